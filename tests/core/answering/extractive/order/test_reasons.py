"""Which texts give a reason, and when one comes first."""

from dataclasses import replace

import pytest

from core.answering.extractive.order.reasons import has_reason, has_reason_heading, put_reasons_first
from core.answering.extractive.quoting.selection import select_quotations
from core.answering.extractive.units import ScoredUnit
from core.model import Evidence
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, evidence, ranked, row


def unit(text: str, heading: str = "", score: float = 0.9) -> ScoredUnit:
    return replace(chosen(ranked(evidence(text, heading=heading))[0], 0)[0], score=score)


@pytest.mark.parametrize(
    "text",
    [
        "The move is late because the permit is missing.",
        "No merges on Fridays, since nobody is there to repair it.",
        "Since the lid cracks, stack four at most.",
        "Der Stapler steht, weil das Ladegerät fehlt.",
        "Alle sechs Monate, da sie schneller driften.",
        "Die Halle bleibt besetzt, sonst zahlt die Versicherung nicht.",
        "Why eight copies?: Each can hold 40 connections.",
    ],
)
def test_a_sentence_says_why_in_its_words(text: str) -> None:
    assert has_reason(unit(text))


@pytest.mark.parametrize(
    "text",
    [
        "It has been open, since 3 May, for all.",
        "Since 2019 it is open.",
        "Da ist die Tür.",
        "Das Gerät ist damit fertig.",
        "```\n# because\n```",
    ],
)
def test_a_time_or_place_is_no_reason(text: str) -> None:
    assert not has_reason(unit(text))


@pytest.mark.parametrize(("heading", "expected"), [("Root cause", True), ("2. Warum?", True), ("Causeway", False)])
def test_a_heading_announces_a_reason(heading: str, expected: bool) -> None:
    assert has_reason_heading(evidence("A key expired.", heading=heading)) is expected


def _list_first(question: str, *units: ScoredUnit) -> str:
    return put_reasons_first(find_focus(question), units)[0].text


def test_the_reason_comes_before_what_matches_as_well() -> None:
    said = unit("The move to Leeds is postponed.")
    reason = unit("It is postponed because the permit for the move is missing.", score=0.83)
    other = unit("The canteen is closed because of dust.", score=0.85)
    assert _list_first("Why is the move postponed?", said, other, reason) == reason.text
    assert _list_first("When is the move postponed?", said, other, reason) == said.text
    assert _list_first("Why is the move postponed?", said, replace(reason, score=0.5)) == said.text


def test_a_text_that_gives_the_reason_for_the_best_row_has_its_key() -> None:
    """The key need not be in the question."""
    fair = replace(chosen(ranked(row(("Fair", "MEDICA"), ("Town", "Köln")))[0], 0)[0], score=0.9)
    reason = unit("MEDICA is off because it brought little.", score=0.5)
    other = unit("MEDICAL courses are off because nobody came.", score=0.6)
    assert _list_first("Why are we not in Köln?", fair, other, reason) == reason.text
    assert _list_first("When are we in Köln?", fair, other, reason) == fair.text


def test_a_text_that_begins_with_the_question_why_is_first_if_the_question_has_its_words() -> None:
    said = unit("[ ] Hepatitis shot offered")
    why = unit("Why hepatitis? Machines come from clinics.", score=0.5)
    assert _list_first("Why do we offer a hepatitis shot?", said, why) == why.text
    assert _list_first("Why do we offer a shot?", said, why) == said.text


def test_a_bare_why_asks_for_the_section_that_says_so() -> None:
    other = unit("Nobody was harmed because it was night.", heading="Summary")
    cause = unit("A key expired.", heading="Root cause", score=0.88)
    assert _list_first("Why? (Post-mortem)", other, cause) == cause.text


def test_a_row_is_below_no_reason_heading() -> None:
    below: Evidence = evidence("Row 1 in Table 1: A is B", kind="table_row", heading="Reasons", rows=((("A", "B"),),))
    assert not has_reason_heading(below)


def test_the_cause_follows_a_sentence_that_only_states_what_happened() -> None:
    said = evidence("The generator did not start at 04:12.", "Eleven towers were silent.", heading="Summary", ordinal=0)
    other = evidence("It was bought in 2019.", heading="History", ordinal=1)
    cause = evidence("A switch stood on manual.", "Nobody had looked.", heading="3. Root cause:", ordinal=2)
    found = ranked(said, other, cause)
    units = [replace(chosen(each, 0)[0], score=score) for each, score in zip(found, (0.9, 0.6, 0.5), strict=True)]
    texts = [each.text for each in select_quotations(find_focus("why did the generator not start"), units, found)]
    assert texts == [said.text, cause.text]
    units[0] = replace(units[0], text="The generator did not start because its tank was empty.")
    texts = [each.text for each in select_quotations(find_focus("why did the generator not start"), units, found)]
    assert cause.text not in texts


@pytest.mark.parametrize("heading", ["Background", "Reasons for the move", "Why not Frankfurt"])
def test_another_heading_is_not_that_of_the_cause(heading: str) -> None:
    said, other = evidence("The generator did not start at 04:12."), evidence("It was old.", heading=heading, ordinal=1)
    found = ranked(said, other)
    units = [replace(chosen(each, 0)[0], score=score) for each, score in zip(found, (0.9, 0.5), strict=True)]
    assert len(select_quotations(find_focus("why did the generator not start"), units, found)) == 1
