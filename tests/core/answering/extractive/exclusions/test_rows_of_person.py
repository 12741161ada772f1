"""Rows of a table of which some are of a person whom the question names."""

from __future__ import annotations

import pytest

from core.answering.extractive.exclusions.rows_of_person import keep_rows_of_person
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, ranked, row


def keep(question: str, header: str, *people: str) -> list[str]:
    rows = [row(("Duty", str(at)), (header, person), number=at) for at, person in enumerate(people, start=1)]
    units = [unit for item in ranked(*rows) for unit in chosen(item, 0)]
    return [dict(unit.cells)[header] for unit in keep_rows_of_person(find_focus(question), units)]


def test_the_rows_of_others_are_left_out() -> None:
    assert keep("Which duties does Ann have?", "Owner", "Ann Long", "Bob Hall", "Ann Long") == ["Ann Long", "Ann Long"]


@pytest.mark.parametrize(
    ("question", "header"),
    [
        ("Which duties do Ann and Bob have?", "Owner"),  # both are named
        ("Which duties are there for Ann?", "Name"),  # a name of anything
        ("How long do duties take?", "Owner"),  # no name
    ],
)
def test_all_rows_stay_if_all_may_be_meant(question: str, header: str) -> None:
    assert keep(question, header, "Ann Long", "Bob Hall") == ["Ann Long", "Bob Hall"]
