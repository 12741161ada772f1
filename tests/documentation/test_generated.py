"""Generated files are current, and have every item."""

from __future__ import annotations

import pytest

from bot.settings import Settings
from tests.documentation.commands_table import SECTIONS as COMMAND_SECTIONS
from tests.documentation.commands_table import list_commands
from tests.documentation.generated import DOCS, GENERATED
from tests.documentation.settings_table import SECTIONS


@pytest.mark.parametrize("name", GENERATED)
def test_the_file_is_current(name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == GENERATED[name](), "run `make docs`"


def test_every_section_begins_with_a_setting() -> None:
    assert set(SECTIONS) <= set(Settings.model_fields)


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_described(name: str) -> None:
    assert Settings.model_fields[name].description


def test_every_command_is_in_one_section() -> None:
    assert sorted(name for section in COMMAND_SECTIONS for name in section.commands) == sorted(list_commands())


@pytest.mark.parametrize("name", list_commands())
def test_every_option_is_described(name: str) -> None:
    assert [argument.opts for argument in list_commands()[name].params if not argument.help] == []
