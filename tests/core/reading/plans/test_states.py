"""States and tasks in other words than those of the table."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import compute, evidences
from tests.core.reading.test_days import write_table

ACTIONS = "<h2>Actions</h2>" + write_table(
    ("Action", "Who", "Due", "Status"),
    ("Test the pins", "Ada Lind", "30 Sept", "DONE"),
    ("Fit a camera", "Bo Hall", "30 Nov", "IN PROGRESS"),
    ("Claim the damage", "Cy Dorn", "31 Dec", "OPEN"),
)
TITLE = "Incident: pump crash (3 Sept 2026)"


def first_line(question: str, content: str = ACTIONS) -> str:
    found = compute(question, evidences(content, TITLE))
    return found.answer.text.partition("\n")[0] if found else ""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("which follow-up measures after the pump crash are not finished?", "2 of 3 entries in “Actions”"),
        ("which actions are not done yet?", "2 of 3 entries in “Actions”"),
        ("which measures are not yet finished?", "2 of 3 entries in “Actions”"),
        ("Welche Maßnahmen sind schon erledigt?", "1 von 3 Einträgen in „Actions“"),
        ("which measures after the pump crash are completed?", "1 of 3 entries in “Actions”"),
        ("Welche Maßnahmen nach dem pump crash sind erledigt?", "1 von 3 Einträgen in „Actions“"),
        ("how many tasks of the pump crash are closed?", "1 of 3 entries in “Actions”"),
        ("which bikes after the crash are finished?", ""),
        ("which actions have a finished price?", ""),
        ("which actions are in the complete list?", ""),
    ],
)
def test_another_word_for_a_state_selects_rows(question: str, line: str) -> None:
    assert first_line(question).startswith(line)
    assert bool(first_line(question)) is bool(line)


def test_of_two_states_of_a_kind_none_is_meant() -> None:
    """The question may mean one of them or both."""
    assert first_line("which actions are finished?", ACTIONS.replace("OPEN", "CLOSED")) == ""


def test_tasks_are_not_what_any_table_has() -> None:
    items = "<h2>Order items</h2>" + write_table(("Product", "Price"), ("Bolt", "1 €"), ("Nut", "2 €"))
    assert first_line("how many tasks are there?", items) == ""
