"""The README names what there is: every command and every setting."""

from pathlib import Path

import pytest
import typer

from bot.cli.app import app
from bot.settings import Settings

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


def _commands(group: typer.Typer, prefix: str) -> list[str]:
    own = [f"{prefix} {command.name}" for command in group.registered_commands]
    inner = [
        name
        for part in group.registered_groups
        if part.typer_instance is not None
        for name in _commands(part.typer_instance, f"{prefix} {part.name}")
    ]
    return own + inner


@pytest.mark.parametrize("command", _commands(app, "wikiwhy"))
def test_every_command_is_shown(command: str) -> None:
    assert f"`{command}" in README


@pytest.mark.parametrize("setting", Settings.model_fields)
def test_every_setting_is_listed(setting: str) -> None:
    assert f"_{setting.upper()}`" in README
