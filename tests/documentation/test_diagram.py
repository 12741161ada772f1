"""The rows of the diagram, and which imports it draws."""

from __future__ import annotations

from tests.documentation.diagram import reduced, rows_of

IMPORTS = {
    "top": frozenset({"left", "right", "base"}),
    "left": frozenset({"right", "base"}),
    "right": frozenset({"left", "base"}),
    "base": frozenset[str](),
}


def test_what_is_imported_stands_lower_and_a_cycle_shares_a_row() -> None:
    assert rows_of(IMPORTS) == [["top"], ["left", "right"], ["base"]]


def test_an_import_that_follows_from_others_is_not_drawn() -> None:
    assert reduced(IMPORTS) == [("left", "base"), ("right", "base"), ("top", "left"), ("top", "right")]
