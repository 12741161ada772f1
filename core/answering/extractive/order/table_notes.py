"""Texts beside tables: notes that say what a question asks, where rows only have its names, and legends of columns.

A row has many words, and its cells the names of versions, machines and people. It matches a question with several names
well, also if it lacks what is asked about them. A note below the table has that, and few of the names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.answering.extractive.units import ScoredUnit, describe_context
from core.model import TABLE_KINDS, TEXT_KINDS
from core.reading.relations.legend import explains_column
from core.wording.focus import Focus
from core.wording.quotations import Quotation
from core.wording.word_matches import match_text, match_texts

_NEAR = 0.7  # of the best row's score
_MOST = 2 / 3  # of the words that no row has
_AS_GOOD = 0.98  # of the best row's score: the question does not tell the two apart


def put_notes_first(focus: Focus, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Move to the front the notes on the best row's page that have the words of the question that no row has.

    A best row without any word of the question matches by its context only. If a list is wanted, one that matches as
    well by its context comes first.
    """
    best = units[0]
    if best.evidence.kind not in TABLE_KINDS:
        return list(units)
    texts = [
        unit for unit in units if unit.evidence.kind in TEXT_KINDS and unit.evidence.page_id == best.evidence.page_id
    ]
    first = _find_notes(focus, texts, [unit for unit in units if unit.evidence.kind in TABLE_KINDS])
    if not first and focus.wants_list and not best.word_share:
        first = [unit for unit in texts if unit.evidence.kind == "list" and unit.score >= _AS_GOOD * best.score][:1]
    # With the score of the row, so that what fits worse than the row is not shown with them.
    return [*(replace(unit, score=best.score) for unit in first), *(unit for unit in units if unit not in first)]


def _find_notes(focus: Focus, texts: Sequence[ScoredUnit], rows: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the texts of one evidence that have most of the question's words that no row and no context of one has."""
    known = " ".join(f"{describe_context(unit)} {unit.text}" for unit in rows)
    lacking = tuple(word for word, match in zip(focus.words, match_text(focus.words, known), strict=True) if not match)
    near = [unit for unit in texts if lacking and unit.score >= _NEAR * rows[0].score]
    found = match_texts(lacking, [unit.text for unit in near])
    notes = [unit for unit, each in zip(near, found, strict=True) if sum(map(bool, each)) >= _MOST * len(lacking)]
    return [unit for unit in notes if unit.ranked is notes[0].ranked]


def put_legend_last(focus: Focus, quotations: Sequence[Quotation]) -> list[Quotation]:
    """Return the quotations, rows before texts that explain their columns, if the rows have names of the question.

    "FW - firmware version" has the words of "Which firmware versions do Dell machines have?", and none of the versions.
    """
    rows = [each for each in quotations if each.evidence.kind in TABLE_KINDS]
    if not rows:
        return list(quotations)
    cells = [cell for each in rows for row in each.evidence.rows for cell in row]
    columns = {header for header, _ in cells}
    legend = [
        each
        for each in quotations
        if each not in rows and any(explains_column(line, columns) for line in each.quote.splitlines())
    ]
    in_rows, in_legend = match_texts(
        focus.words, [" ".join(value for _, value in cells), " ".join(each.quote for each in legend)]
    )
    if not any(row == 1 and not explained for row, explained in zip(in_rows, in_legend, strict=True)):
        return list(quotations)
    return [*(each for each in quotations if each not in legend), *legend]
