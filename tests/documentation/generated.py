"""The generated files in docs/, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.documentation.commands_table import commands_page
from tests.documentation.diagram import structure_svg
from tests.documentation.settings_table import settings_page

DOCS = Path(__file__).parents[2] / "docs"
GENERATED: Mapping[str, Callable[[], str]] = {
    "commands.md": commands_page,
    "settings.md": settings_page,
    "figures/structure.svg": structure_svg,
}
