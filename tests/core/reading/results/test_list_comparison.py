"""Two lists that a question compares: what only one of them has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reading.tables import compute, evidences

NOTES = """<h2>Orbit 5.0.0</h2><p>Of March.</p><ul><li>PostgreSQL 16</li><li>Node 20</li><li>Dark mode</li></ul>
<h2>Orbit 4.0.0</h2><p>Main components:</p><ul><li>PostgreSQL 14</li><li>Node 20</li></ul>
<h2>Known bugs</h2><ul><li>Slow start</li></ul>"""
DIFFERENCE = """“Orbit 4.0.0” and “Orbit 5.0.0” have 1 entry in common and differ in these:
- Orbit 4.0.0: PostgreSQL 14 [1]
- Orbit 5.0.0: PostgreSQL 16 [2]
- Orbit 5.0.0: Dark mode [2]"""


def answer(question: str, content: str = NOTES) -> str:
    found = compute(question, evidences(content, "Release notes"))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    "question",
    [
        "What changed from Orbit 4.0.0 to 5.0.0?",
        "Orbit 4.0.0 vs 5.0.0",
        "How do Orbit 4.0.0 and Orbit 5.0.0 differ?",
        "What is the difference between Orbit 4.0.0 and 5.0.0?",
    ],
)
def test_what_only_one_of_two_lists_has_is_shown(question: str) -> None:
    assert answer(question) == DIFFERENCE


def test_a_german_question_is_answered_in_german() -> None:
    found = answer("Was hat sich von Orbit 4.0.0 auf 5.0.0 geändert?")
    assert found.startswith("„Orbit 4.0.0“ und „Orbit 5.0.0“ haben 1 Eintrag gemeinsam")


@pytest.mark.parametrize(
    "question",
    [
        "What changed from Orbit 3.0.0 to 5.0.0?",  # there is no such list
        "What is the difference in price between Orbit 4.0.0 and 5.0.0?",  # of which the lists say nothing
        "How do Orbit 4.0.0 and the bugs differ?",
        "What changed in Orbit 5.0.0?",
    ],
)
def test_lists_that_are_not_both_named_are_not_compared(question: str) -> None:
    assert answer(question) == ""


_ENTRIES = st.lists(st.sampled_from(["Alpha", "Beta", "Gamma", "Delta"]), min_size=1, max_size=5, unique=True)


@given(_ENTRIES, _ENTRIES)
def test_each_entry_is_common_or_shown(one: list[str], other: list[str]) -> None:
    lists = ("".join(f"<li>{entry}</li>" for entry in entries) for entries in (one, other))
    page = "".join(f"<h2>Orbit {at}.0.0</h2><ul>{items}</ul>" for at, items in enumerate(lists, start=1))
    found = compute("Orbit 1.0.0 vs 2.0.0", evidences(page, "Release notes"))
    assert found is not None
    shown = [(row.cells["section"], row.cells["item"]) for row in found.result.rows]
    wanted = [("Orbit 1.0.0", entry) for entry in one if entry not in other]
    assert shown == wanted + [("Orbit 2.0.0", entry) for entry in other if entry not in one]
