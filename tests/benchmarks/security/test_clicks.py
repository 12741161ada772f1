"""A small run of the combinations of clicks and places; all of them: `python -m benchmarks.security clicks`."""

from __future__ import annotations

from benchmarks.security import clicks


def test_all_combinations_are_made() -> None:
    cases = clicks.all_cases()
    assert len(cases) == len(set(cases)) == 2 * (2 * 4 * 4 + 1) * 3 * 9


def test_no_click_sees_more_than_a_new_question() -> None:
    assert clicks.main(["--cases", "75"]) == 0
