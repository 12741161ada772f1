"""The order of units that match a question equally well by meaning."""

import pytest

from core.answering.extractive.units import ScoredUnit, find_amounts, put_letters_first
from core.model import Evidence
from core.wording.focus import find_focus
from tests.core.answering.examples import evidence, ranked, row


def _order(question: str, *scored: tuple[Evidence, float]) -> list[str]:
    found = ranked(*(each for each, _ in scored))
    units = [
        ScoredUnit(each, 0, each.evidence.parts[0], score, 0.0, 0.0)
        for each, (_, score) in zip(found, scored, strict=True)
    ]
    return [unit.text for unit in put_letters_first(find_focus(question), units)]


GREASE = evidence("The keeper of the motor is Ada.", ordinal=1, title="Winch repairs")
RETURN = evidence("There is no way back after step 4.", ordinal=2, title="Winch repairs")


def test_of_units_that_match_as_well_the_one_with_words_of_the_question_comes_first() -> None:
    question = "can we go back during winch repairs"
    assert _order(question, (GREASE, 0.77), (RETURN, 0.76)) == [RETURN.parts[0], GREASE.parts[0]]
    assert _order(question, (GREASE, 0.77), (RETURN, 0.74)) == [GREASE.parts[0], RETURN.parts[0]]


def test_words_of_the_title_and_units_of_other_pages_do_not_count() -> None:
    titled = evidence("Winch repairs take a day.", ordinal=3, title="Winch repairs")
    elsewhere = evidence("Back at the winch.", page_id="2", title="Harbour")
    for other in (titled, elsewhere):
        assert _order("can we go back during winch repairs", (GREASE, 0.77), (other, 0.77))[0] == GREASE.parts[0]


def test_without_units_there_is_no_first() -> None:
    assert put_letters_first(find_focus("why?"), []) == []


def test_a_row_stays_first_though_it_has_fewer_words_of_its_own() -> None:
    due = row(("Occasion", "Moving"), ("Days", "1"), title="Winch repairs")
    assert _order("can we go back during winch repairs", (due, 0.77), (RETURN, 0.77))[0] == due.parts[0]


@pytest.mark.parametrize(
    ("question", "amounts"),
    [
        ("woken at 3am, or at 4 p.m.", {"3am", "4", "p", "m"}),
        ("ist um 16 Uhr noch jemand da", {"16", "uhr"}),
        ("a restart at 8:30", {"8:30"}),
        ("a 10-day trip for 140 euros", {"10", "day", "140", "euros"}),
        ("Rook 4, exit code 2, release 5.4.0 of 2026, 450 kg", set()),
    ],
)
def test_amounts_are_told_from_names_with_numbers(question: str, amounts: set[str]) -> None:
    assert find_amounts(question) == amounts
