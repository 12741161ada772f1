"""Rows that several evidences have a part of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.answering.extractive.quoting.split_rows import quote_row
from core.answering.extractive.units import ScoredUnit
from core.model import RankedEvidence
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, ranked, row

LONG = [
    replace(row(("Part", "crank"), ("Instruction", text)), evidence_id=f"e{at}", ordinal=at)
    for at, text in enumerate(["Oil the crank.", "Turn the lever.", "Ring the bell."])
]
OTHER = replace(row(("Part", "drum"), ("Instruction", "Dust it."), number=2), evidence_id="e9", ordinal=9)


def _list_units(found: Sequence[RankedEvidence]) -> list[ScoredUnit]:
    return [unit for each in found for unit in chosen(each, 0)]


@pytest.mark.parametrize(
    ("best", "question", "shown"),
    [
        (1, "What is the instruction for the crank?", "Part: crank · Instruction: Oil the crank. …"),
        (1, "What happens to the lever of the crank?", "Part: crank · Instruction: … Turn the lever. …"),
        (2, "When does the bell of the crank ring?", "Part: crank · Instruction: … Ring the bell."),
    ],
)
def test_a_part_of_a_long_row_is_marked_and_its_beginning_comes_first(best: int, question: str, shown: str) -> None:
    found = ranked(OTHER, *LONG)
    [unit] = chosen(found[1 + best], 0)
    quoted = quote_row(find_focus(question), unit, _list_units(found), found)
    assert quoted.text == shown
    assert quoted.quote in quoted.evidence.text


def test_a_part_that_fits_better_than_the_first_is_quoted_though_the_first_has_the_words() -> None:
    found = ranked(OTHER, *LONG)
    [unit] = chosen(found[2], 0)
    others = [replace(each, score=0.8) for each in _list_units(found)]
    quoted = quote_row(find_focus("What is the instruction for the crank?"), unit, others, found)
    assert quoted.text == "Part: crank · Instruction: … Turn the lever. …"


def test_a_whole_row_is_quoted_without_a_mark() -> None:
    found = ranked(OTHER, *LONG)
    [unit] = chosen(found[0], 0)
    assert (
        quote_row(find_focus("What about the drum?"), unit, [unit], found).text == "Part: drum · Instruction: Dust it."
    )


def test_rows_of_other_tables_with_the_same_number_are_no_parts() -> None:
    elsewhere = replace(row(("Part", "bell"), ("Instruction", "Cast it."), block=2), evidence_id="e8", ordinal=8)
    found = ranked(elsewhere, *LONG)
    [unit] = chosen(found[0], 0)
    assert (
        quote_row(find_focus("What about the bell?"), unit, [unit], found).text == "Part: bell · Instruction: Cast it."
    )
