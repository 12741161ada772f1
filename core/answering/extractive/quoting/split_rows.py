"""Rows that are longer than an evidence: several evidences have a part of the row each, of which one is quoted.

What the quote leaves out is marked by "…": a part of an instruction must not look like the whole of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.answering.extractive.quoting.compose import quote_units
from core.answering.extractive.units import ScoredUnit
from core.model import Evidence, RankedEvidence
from core.wording.focus import Focus
from core.wording.quotations import ELLIPSIS, Quotation
from core.wording.word_matches import match_text

_NEARLY = 0.95  # of the unit's score


def quote_row(
    focus: Focus, unit: ScoredUnit, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> Quotation:
    """Quote a row; of a long one the first retrieved part if it fits as well as the unit.

    It does if it has all words of the question that the unit has, and nearly the same score.
    """
    parts = _find_parts(unit, evidences)
    at = next((index for index, part in enumerate(parts) if part.evidence.parts[0] == unit.text), 0)
    if len(parts) < 2:
        return quote_units(focus, [unit])
    first = next((each for each in units if each.text == parts[0].evidence.parts[0]), None)
    if first and first.score >= _NEARLY * unit.score and _has_words_of(focus, first.text, unit.text):
        at = 0
    part = parts[at]
    quoted = quote_units(focus, [replace(unit, ranked=part, index=0, text=part.evidence.parts[0])])
    text = _mark_begin(quoted.text, part.evidence) if at else quoted.text
    return replace(quoted, text=f"{text} {ELLIPSIS}" if at < len(parts) - 1 else text)


def _find_parts(unit: ScoredUnit, evidences: Sequence[RankedEvidence]) -> list[RankedEvidence]:
    """Return the retrieved parts of a unit's row, in their order."""
    own = unit.evidence.structure
    if own is None or unit.index >= len(own.numbers):
        return []
    row = (unit.evidence.page_id, own.block, own.numbers[unit.index])
    parts = [each for each in evidences if each.evidence.kind == "table_row" and _get_row(each.evidence) == row]
    return sorted(parts, key=lambda part: part.evidence.ordinal)


def _get_row(evidence: Evidence) -> tuple[str, int, int]:
    structure = evidence.structure
    return (evidence.page_id, structure.block, structure.numbers[0]) if structure else (evidence.page_id, 0, 0)


def _has_words_of(focus: Focus, text: str, other: str) -> bool:
    has, wanted = match_text(focus.words, text), match_text(focus.words, other)
    return all(there >= here for there, here in zip(has, wanted, strict=True))


def _mark_begin(text: str, evidence: Evidence) -> str:
    """Mark that the value of the first cell after the row's name is not the beginning."""
    header, value = evidence.rows[0][min(1, len(evidence.rows[0]) - 1)]
    cell = f"{header}: {value}" if header else value
    return text.replace(cell, cell.removesuffix(value) + f"{ELLIPSIS} {value}", 1)
