"""Texts with the own words of a completed question."""

from dataclasses import replace

import pytest

from core.answering.extractive.order.own_words import put_own_words_first
from core.model import Evidence
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, evidence, ranked, row

NOT_CHOSEN = evidence("- Rook is too dear.", "- Heron needs a licence.", kind="list", heading="Why not the others")


def _find_first(question: str, *scored: tuple[Evidence, int, float]) -> str:
    found = ranked(*(each for each, _, _ in scored))
    units = [
        replace(chosen(each, index)[0], score=score) for each, (_, index, score) in zip(found, scored, strict=True)
    ]
    return put_own_words_first(find_focus(question), units)[0].text


def test_a_single_own_word_is_asked_for_in_the_same_section() -> None:
    question = "and Heron? (Clock manual: Rook chosen)"
    assert _find_first(question, (NOT_CHOSEN, 0, 0.8), (NOT_CHOSEN, 1, 0.7)) == "- Heron needs a licence."
    assert _find_first(question, (NOT_CHOSEN, 0, 0.8), (NOT_CHOSEN, 1, 0.6)) == "- Rook is too dear."
    assert _find_first("what of Heron?", (NOT_CHOSEN, 0, 0.8), (NOT_CHOSEN, 1, 0.7)) == "- Rook is too dear."


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("and Heron? (Clock manual: Rook)", "- Rook is too dear."),
        ("Heron feathers? (Clock manual: Rook)", "Heron feathers fall."),
    ],
)
def test_another_section_needs_two_own_words(question: str, first: str) -> None:
    other = evidence("Heron feathers fall.", heading="Birds", ordinal=1)
    assert _find_first(question, (NOT_CHOSEN, 0, 0.8), (other, 0, 0.7)) == first


TERMS = evidence("- Aktives Rad: Mindestens drei Fahrten.", "- Fahrt: Ab 200 Metern.", kind="list", heading="Begriffe")


def test_a_line_whose_name_is_among_the_own_words_comes_first() -> None:
    question = "Und was zählt als Fahrt? (Clock manual: Rad aktiv)"
    assert _find_first(question, (TERMS, 0, 0.8), (TERMS, 1, 0.7)) == "- Fahrt: Ab 200 Metern."
    assert (
        _find_first("Und was zählt mit? (Clock manual: Rad aktiv)", (TERMS, 0, 0.8), (TERMS, 1, 0.7)) == TERMS.parts[0]
    )


def test_a_row_whose_key_is_among_the_own_words_comes_first() -> None:
    rook = row(("Step", "rook"), ("Builds", "towers"), title="Clock manual")
    other = evidence("Then rook is built again.", title="Other manual", page_id="2")
    assert "towers" in _find_first("and rook? (Clock manual: heron step)", (other, 0, 0.8), (rook, 0, 0.7))
    assert "again" in _find_first("and rook? (Other manual: heron step)", (other, 0, 0.8), (rook, 0, 0.7))
