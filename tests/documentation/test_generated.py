"""Generated files are current, and have every item."""

from __future__ import annotations

import pytest

from bot.settings import Settings
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
