"""Markers of items, and how items are nested."""

from __future__ import annotations

import pytest

from core.wording.list_markers import find_ancestor_items, find_item_depth, find_nested_items, read_label, strip_marker

ITEMS = ("- keys", "  - transponder", "    1. deposit", "  - gate", "[x] lamps", "  [ ] spare lamp")


@pytest.mark.parametrize(
    ("index", "ancestors", "nested"),
    [(0, [], [1, 2, 3]), (1, [0], [2]), (2, [1, 0], []), (3, [0], []), (4, [], [5]), (5, [4], [])],
)
def test_an_item_is_in_those_above_it_that_are_less_indented(
    index: int, ancestors: list[int], nested: list[int]
) -> None:
    assert find_ancestor_items(ITEMS, index) == ancestors
    assert find_nested_items(ITEMS, index) == nested


def test_only_an_item_is_nested() -> None:
    assert [find_item_depth(each) for each in ("- a", "  - a", "    12. a", "    a", "")] == [0, 1, 2, 0, 0]


@pytest.mark.parametrize(
    ("text", "label"),
    [("(B) Ring.", ("(A)", 2)), ("4.2) Ring.", ("4.1)", 2)), ("c. Ring.", ("a.", 3)), ("Ring.", None)],
)
def test_a_label_has_a_form_and_a_number(text: str, label: tuple[str, int] | None) -> None:
    assert read_label(text) == label


def test_a_marker_is_no_part_of_the_item() -> None:
    assert [strip_marker(each).strip() for each in ITEMS] == [
        *("keys", "transponder", "deposit", "gate", "lamps", "spare lamp")
    ]
