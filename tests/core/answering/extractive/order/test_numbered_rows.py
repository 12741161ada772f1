"""Rows of things that a question names by their number."""

from dataclasses import replace

import pytest

from core.answering.extractive.confidence import ANSWER_THRESHOLD
from core.answering.extractive.order.numbered_rows import find_answer_threshold, put_numbered_row_first
from core.answering.extractive.units import ScoredUnit
from core.model import Evidence
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, evidence, ranked, row

TOOLS = row(("Tool", "Tachometer"), ("Lab", "in house"))


def _order(question: str, named: Evidence, rating: float = 1.0) -> list[ScoredUnit]:
    found = ranked(TOOLS, named)
    scored = zip(found, (0.8, 0.4), strict=True)
    units = [replace(chosen(each, 0)[0], score=score, rating=rating) for each, score in scored]
    return put_numbered_row_first(find_focus(question), units)


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("E12 - can the lab clear that?", ("Code", "E12")),
        ("how fast must the lab react to a sev 2?", ("Sev", "2")),
        ("wer leitet in KW 50 das Labor?", ("Woche", "KW 50")),
    ],
)
def test_the_row_of_the_number_is_first_and_enough(question: str, key: tuple[str, str]) -> None:
    units = _order(question, row(key, ("Customer", "no")))
    assert units[0].key == key[1]
    assert find_answer_threshold(find_focus(question), units) < ANSWER_THRESHOLD


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("E13 - can the lab clear that?", ("Code", "E12")),
        ("2 tools of the lab?", ("Sev", "2")),
        ("when does the lab get a Rook 4?", ("Part", "Battery of Rook 4")),
        ("and the lab? (Alarms: E12)", ("Code", "E12")),
    ],
)
def test_other_rows_stay_where_they_are(question: str, key: tuple[str, str]) -> None:
    units = _order(question, row(key, ("Customer", "no")))
    assert units[0].key == "Tachometer"
    assert find_answer_threshold(find_focus(question), units) == ANSWER_THRESHOLD


def test_a_row_that_is_rated_as_no_answer_needs_the_usual_confidence() -> None:
    question = "who won the cup in hall 7?"
    units = _order(question, row(("Hall", "7"), ("Street", "Oak road")), rating=-2.0)
    assert find_answer_threshold(find_focus(question), units) == ANSWER_THRESHOLD


def test_a_text_about_the_number_stays_first() -> None:
    text, named = evidence("E12 is hidden because the lab asked for it."), row(("Code", "E12"), ("Customer", "no"))
    units = [chosen(each, 0)[0] for each in ranked(text, named)]
    assert put_numbered_row_first(find_focus("why is E12 hidden?"), units) == units


def test_of_several_rows_with_the_number_none_is_meant() -> None:
    found = ranked(TOOLS, row(("Code", "E12"), ("Customer", "no")), row(("Code", "E12"), ("Customer", "yes")))
    units = [chosen(each, 0)[0] for each in found]
    assert put_numbered_row_first(find_focus("E12 in the lab?"), units) == units
