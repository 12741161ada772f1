"""Notes beside a table whose rows have only the names of a question."""

import pytest

from core.answering.extractive.order.table_notes import put_legend_last, put_notes_first
from core.answering.extractive.units import ScoredUnit
from core.model import Evidence
from core.wording.focus import find_focus
from core.wording.quotations import Quotation
from tests.core.answering.examples import evidence, ranked, row

TOWER = row(("Tower", "Bergkerk"), ("Clock", "Rook 4"), ("Build", "6524"), title="Tower tests", heading="Results")
TRICKY = "- Winding can be tricky: the key slips."
NOTES = evidence(TRICKY, "- The Bergkerk has a view.", kind="list", ordinal=9, title="Tower tests", heading="Notes")
QUESTION = "Why is the Rook 4 of the Bergkerk tricky with build 6524?"


def order(question: str, *found: tuple[Evidence, float], own: float = 0.5) -> list[str]:
    """The texts of the units of these evidences in their order; ``own`` is that of the first one."""
    evidences = ranked(*(item for item, _ in found))
    units = [
        ScoredUnit(item, index, part, score, own if item is evidences[0] else 0.5, 0.0)
        for item, (_, score) in zip(evidences, found, strict=True)
        for index, part in enumerate(item.evidence.parts)
    ]
    return [unit.text for unit in put_notes_first(find_focus(question), units)]


def test_a_note_with_what_is_asked_comes_before_rows_that_have_only_the_names() -> None:
    assert order(QUESTION, (TOWER, 0.8), (NOTES, 0.65))[0] == TRICKY


def test_all_such_items_of_a_list_come_first_and_fit_as_the_row_did() -> None:
    more = evidence(TRICKY, "- Oiling is tricky too.", kind="list", ordinal=9, title="Tower tests", heading="Notes")
    evidences = ranked(TOWER, more)
    texts = [(evidences[0], TOWER.parts[0], 0.8), *((evidences[1], part, 0.65) for part in more.parts)]
    units = [ScoredUnit(item, item.evidence.parts.index(text), text, score, 0.5, 0.0) for item, text, score in texts]
    found = put_notes_first(find_focus(QUESTION), units)
    assert [(unit.text, unit.score) for unit in found] == [*((part, 0.8) for part in more.parts), (TOWER.parts[0], 0.8)]


ELSEWHERE = evidence(TRICKY, kind="list", page_id="7", title="Other tests")


@pytest.mark.parametrize(
    ("question", "note", "score"),
    [
        ("Which clock has the Bergkerk with build 6524?", NOTES, 0.65),
        ("Why is the Rook 4 of the Bergkerk slow, loud, late and tricky?", NOTES, 0.65),
        (QUESTION, NOTES, 0.5),
        (QUESTION, ELSEWHERE, 0.65),
    ],
)
def test_a_row_stays_first_if_it_has_the_words_or_a_note_few_of_them_or_fits_badly_or_is_elsewhere(
    question: str, note: Evidence, score: float
) -> None:
    assert order(question, (TOWER, 0.8), (note, score))[0] == TOWER.parts[0]


def test_a_text_that_is_best_stays_first() -> None:
    other = evidence("It strikes.", title="Tower tests")
    assert order(QUESTION, (other, 0.9), (TOWER, 0.8), (NOTES, 0.65))[0] == "It strikes."


NEEDED = evidence("1. A key", "2. Gloves", kind="list", ordinal=1, title="Seal procedure", heading="Preconditions")
STEP = row(("Step", "Open the lid"), ("Result", "It opens"), title="Seal procedure", heading="Opening")


def test_a_list_comes_before_rows_that_match_by_their_context_only() -> None:
    question = "Was sind die Voraussetzungen der Seal procedure?"
    assert order(question, (STEP, 0.768), (NEEDED, 0.764), own=0.0)[0] == "1. A key"
    assert order(question, (STEP, 0.768), (NEEDED, 0.7), own=0.0)[0] == STEP.parts[0]
    assert order(question, (STEP, 0.768), (NEEDED, 0.764), own=0.2)[0] == STEP.parts[0]


def quoted(item: Evidence) -> Quotation:
    return Quotation(item.text, item, "\n".join(item.parts))


LEGEND = quoted(evidence("BLD - build of the firmware", "CLK - model of the clock"))
WREN = quoted(row(("CLK", "Wren 2"), ("BLD", "6524")))
PROSE = quoted(evidence("All clocks are tested with the newest firmware."))


def test_the_legend_of_a_table_comes_after_the_rows_that_a_question_names() -> None:
    focus = find_focus("Which build of the firmware (BLD) has the Wren?")
    assert put_legend_last(focus, [LEGEND, PROSE, WREN]) == [PROSE, WREN, LEGEND]


@pytest.mark.parametrize("quotations", [[LEGEND, WREN], [LEGEND], [PROSE, WREN], []])
def test_a_question_about_a_column_is_answered_by_the_legend(quotations: list[Quotation]) -> None:
    assert put_legend_last(find_focus("What is BLD?"), quotations) == quotations
