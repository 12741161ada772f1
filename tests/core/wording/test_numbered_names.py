"""Names with a number."""

from __future__ import annotations

import pytest

from core.wording.numbered_names import list_numbers_of_names


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Rook 4 and rook-5", {"rook": {"4", "5"}}),
        ("the RC2 tests", {"rc": {"rc2"}}),
        ("version 9.0.1", {"version": {"9.0.1"}}),
        ("in 2026", {}),
        ("4 rooks", {}),
    ],
)
def test_numbers_are_found_by_their_names(text: str, numbers: dict[str, set[str]]) -> None:
    assert list_numbers_of_names(text) == numbers
