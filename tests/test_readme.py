"""docs/commands.md has every command, and the README is short."""

from pathlib import Path

import pytest
import typer

from bot.cli.app import app

ROOT = Path(__file__).parents[1]
COMMANDS = (ROOT / "docs" / "commands.md").read_text("utf-8")


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
def test_every_command_is_documented(command: str) -> None:
    assert f"`{command}" in COMMANDS


def test_the_readme_takes_three_minutes() -> None:
    assert len((ROOT / "README.md").read_text("utf-8")) <= 9_000
