"""Phrases without a question word that list rows."""

from __future__ import annotations

import pytest

from tests.core.reading.pages import compute, evidences
from tests.core.reading.test_days import write_table

CONTRACTS = write_table(
    ("Supplier", "Ends", "Value (£)", "Owner", "Audited"),
    ("Stadler", "31 Dec 2028", "1,250", "Arjun Mehra", "yes"),
    ("Brightwash", "30 Jun 2027", "640", "Beatrix Amadi", "no"),
    ("Orrin", "31 Mar 2027", "85", "Arjun Mehra", "yes"),
)
TITLE = "Supplier contracts"


def headline(question: str) -> str:
    found = compute(question, evidences(CONTRACTS, TITLE))
    return found.answer.text.partition("\n")[0] if found else ""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("contracts ending in 2027", "2 of 3 entries in “Supplier contracts” match Ends: 2027:"),
        ("contracts of arjun mehra", "2 of 3 entries in “Supplier contracts” match Owner: arjun mehra:"),
        ("contracts under £100", "1 of 3 entries in “Supplier contracts” matches Value (£) < £100:"),
        ("suppliers that are not audited", "1 of 3 entries in “Supplier contracts” matches Audited: no:"),
    ],
)
def test_a_phrase_lists_the_rows_that_it_describes(question: str, line: str) -> None:
    assert headline(question) == line


@pytest.mark.parametrize(
    "question",
    [
        "contracts",
        "cancelled contracts of arjun mehra",  # a word that no row has
        "cleaning of arjun mehra",  # not what the rows are
        "owner of stadler and orrin",
        "why contracts of arjun mehra",
    ],
)
def test_other_phrases_list_nothing(question: str) -> None:
    assert " of 3 entries" not in headline(question)


def test_a_phrase_for_one_cell_is_answered_with_it() -> None:
    assert headline("owner of brightwash") in {"Beatrix Amadi", "Brightwash, Owner: Beatrix Amadi"}
