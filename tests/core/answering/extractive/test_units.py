"""The order of units that match a question equally well by meaning."""

import asyncio
from collections.abc import Collection, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.extractive.units import ScoredUnit, find_amounts, list_units, put_letters_first, score_units
from core.model import Evidence
from core.ports.models import WordMatches
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


class _Table:
    """Matches each word of a question with each of these texts by a given score, .5 for words without one."""

    def __init__(self, scores: dict[str, Sequence[float]], texts: Sequence[str]) -> None:
        self._scores = scores
        self._texts = texts

    async def match_words(self, question: str, texts: Sequence[str]) -> WordMatches:
        words = tuple(question.split())
        known = [self._scores.get(word.strip("?():"), [0.5] * len(self._texts)) for word in words]
        order = [next(at for at, own in enumerate(self._texts) if own in text) for text in texts]
        return WordMatches(words, np.full(len(words), 1 / len(words)), np.array(known).T[order])

    async def match_stored(self, question: str, hashes: Collection[str]) -> dict[str, float]:
        return {}


def _score(question: str, scores: dict[str, Sequence[float]], *evidences: Evidence) -> list[ScoredUnit]:
    table = _Table(scores, [each.text for each in evidences])
    return asyncio.run(score_units(find_focus(question), list_units(ranked(*evidences)), table))


MOTOR, DRUM, COVER = (
    evidence(text, ordinal=at, title="Winch handbook")
    for at, text in enumerate(("The motor is blue.", "The drum is red.", "The cover is green."), start=1)
)
MATCHES = st.lists(st.floats(0, 1), min_size=3, max_size=3)


@given(typed=st.permutations([0.2, 0.4, 0.6]), winch=MATCHES, handbook=MATCHES)
def test_a_title_that_completion_added_does_not_choose_between_the_units_of_its_page(
    typed: list[float], winch: list[float], handbook: list[float]
) -> None:
    scores = {"drum": typed, "Winch": winch, "handbook": handbook}
    for question in ("and the drum? (Winch handbook)", "and the drum? (Winch handbook: colour motor)"):
        units = _score(question, scores, MOTOR, DRUM, COVER)
        best = (MOTOR, DRUM, COVER)[typed.index(0.6)]
        assert units[0].evidence.evidence_id == best.evidence_id


@given(winch=MATCHES, handbook=MATCHES)
def test_it_still_chooses_between_pages(winch: list[float], handbook: list[float]) -> None:
    """The mean of the scores of a page stays."""
    scores = {"Winch": winch, "handbook": handbook}
    elsewhere = evidence("The crane is grey.", page_id="2", title="Crane handbook")
    units = _score("and the drum? (Winch handbook)", scores, MOTOR, DRUM, elsewhere)
    of_page = [unit.score for unit in units if unit.evidence.page_id != "2"]
    [other] = [unit.score for unit in units if unit.evidence.page_id == "2"]
    assert of_page[0] == pytest.approx(of_page[1])
    expected = sum(winch[:2]) / 2 + sum(handbook[:2]) / 2 - winch[2] - handbook[2]
    assert (of_page[0] - other) * 3 == pytest.approx(expected)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what is winch?", "The motor is blue."),  # typed, so it chooses
        ("winch drum? (Boat)", "The motor is blue."),  # another title
        ("and its colour? (Winch handbook: winch)", "The motor is blue."),  # of the question before
    ],
)
def test_other_words_of_the_title_choose(question: str, first: str) -> None:
    units = _score(question, {"winch": [0.9, 0.1, 0.1]}, MOTOR, DRUM, COVER)
    assert units[0].text == first
