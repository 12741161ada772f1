"""Which questions are read, and which of them need all rows of a table."""

from __future__ import annotations

import pytest

from core.reading.questions.readers import may_be_computed, read_question_for_all_rows


@pytest.mark.parametrize(
    "question",
    [
        "How many bells are there?",
        "What is heavier, Trude or Lotte?",
        "contracts ending in 2027",
        "When is Ada on duty as controller?",
        "What does Mara have to do?",
        "How long from the alarm until the last kiln was cold?",
    ],
)
def test_questions_for_rows_need_all_of_them(question: str) -> None:
    assert read_question_for_all_rows(question)
    assert may_be_computed(question)


@pytest.mark.parametrize(
    "question", ["Who owns the depot?", "When does the depot close?", "Wie viel Platz hat der Saal?"]
)
def test_a_person_a_cell_and_an_amount_need_one_row(question: str) -> None:
    assert read_question_for_all_rows(question) is None
    assert may_be_computed(question)


def test_a_reason_is_asked_of_no_row() -> None:
    assert not may_be_computed("Why was the depot closed?")
