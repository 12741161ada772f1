"""Selects the rows of a table that an answer quotes: the one that is meant, with those that answer as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.answering.extractive.exclusions.rows_of_person import keep_rows_of_person
from core.answering.extractive.order.definitions import is_named_property
from core.answering.extractive.quoting.split_rows import quote_row
from core.answering.extractive.units import ScoredUnit, Unit
from core.model import RankedEvidence
from core.text import count_words
from core.wording.content_words import select_content_words
from core.wording.focus import Focus
from core.wording.quotations import Quotation

_NAMED_KEY = 0.95  # of the best row's score: for a row of its page whose key the question names
_NAMED_ROW = 0.85  # of the best unit's score: for a row with a cell that the question names in full
_SIMILAR_ROWS = 0.85  # of the best row's scores: for rows that answer the same question
_TIED = 0.98  # of the best row's share of words: the question does not tell these rows apart
_TIED_SCORE = 0.98  # of the best row's score
_MAX_TIED_ROWS = 3
_MAX_ROWS = 5
_SMALL_TABLE = 8  # rows: such a table is shown whole, the best row first
_NAME_WORDS = 6  # a longer cell describes, it does not name
_SMALL_WORDS = 120  # of all rows of a small table


def prefer_named_row(focus: Focus, units: Sequence[ScoredUnit]) -> ScoredUnit:
    """Return the best unit, or a row that fits nearly as well and has a cell that the question names in full.

    "sparrow" names the row of sparrow, not that of sparrow-classic, though both have the word.
    """
    best = units[0]
    rows = [
        unit
        for unit in units
        if unit.score >= _NAMED_ROW * best.score and 2 * _count_named_words(focus, unit) >= max(len(focus.words), 1)
    ]
    named = max(rows, key=lambda unit: (_count_named_words(focus, unit), unit.score), default=best)
    if _count_named_words(focus, named) > _count_named_words(focus, best):
        return named
    return _prefer_named_key(focus, best, units) if best.cells and not has_named_key(focus, best) else best


def _prefer_named_key(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> ScoredUnit:
    """Return the row of the same page, that fits as well, whose key the question names; the best row without one."""
    page = (unit for unit in units if unit.evidence.page_id == best.evidence.page_id and unit.cells)
    return next((unit for unit in page if unit.score >= _NAMED_KEY * best.score and has_named_key(focus, unit)), best)


def has_named_key(focus: Focus, unit: Unit) -> bool:
    """Whether the question has the key of a row in full."""
    key = select_content_words(unit.key)
    return 0 < len(key) <= _NAME_WORDS and set(focus.words) >= set(key)


def quote_rows(
    focus: Focus,
    best: ScoredUnit,
    older: Sequence[ScoredUnit],
    units: Sequence[ScoredUnit],
    evidences: Sequence[RankedEvidence],
) -> list[Quotation]:
    """Quote the best row with those like it, the other rows of a small table, and those of older pages."""
    rows = _select_rows(focus, best, units)
    is_named = _count_named_words(focus, best) or is_named_property(focus.words, best)
    others = [] if older or is_named else _complete_small_table(rows, evidences)
    kept = keep_rows_of_person(focus, [*rows, *others])
    whole = [quote_row(focus, unit, units, evidences) for unit in [*kept, *older]]
    if focus.wants_list and len(kept) == len(rows) > 1 and not older:
        whole[-1] = _count_rows(whole[-1], len(rows))
    return whole


def _count_named_words(focus: Focus, scored: ScoredUnit) -> int:
    """Return the number of content words of the longest cell that the question names exactly; 0 if there is none."""
    cells = (select_content_words(value) for _, value in scored.cells)
    asked = set(focus.words)
    return max((len(cell) for cell in cells if 0 < len(cell) <= _NAME_WORDS and asked >= set(cell)), default=0)


def _select_rows(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the best row with similar rows of its table if a list is wanted, else with those that are tied with it."""
    table = [unit for unit in units if unit is not best and unit.evidence.table_key == best.evidence.table_key]
    if focus.wants_list:
        rows = [unit for unit in table if _is_similar(unit, best)]
        return [best, *rows][:_MAX_ROWS]
    page = [unit for unit in units if unit is not best and unit.evidence.page_id == best.evidence.page_id]
    tied = [unit for unit in page if unit.evidence.table_key[1] and best.word_share and _is_tied(focus, unit, best)]
    return [best, *tied][:_MAX_TIED_ROWS]


def _complete_small_table(shown: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]) -> list[ScoredUnit]:
    """Return the other rows of a small table, in its order, if all of them are among the evidences.

    The answer may need more than the row that matches best: the remaining rows, the largest, or their number.
    """
    structure = shown[0].evidence.structure
    if structure is None or structure.total > _SMALL_TABLE:
        return []
    rows: dict[int, Unit] = {}
    for ranked in sorted(evidences, key=lambda ranked: ranked.evidence.kind == "table"):
        found = ranked.evidence.structure
        if found is not None and ranked.evidence.table_key == shown[0].evidence.table_key:
            for index, number in enumerate(found.numbers):
                rows.setdefault(number, Unit(ranked, index, ranked.evidence.parts[index]))
    if len(rows) != structure.total or sum(count_words(row.text) for row in rows.values()) > _SMALL_WORDS:
        return []
    known = {scored.text for scored in shown}
    return [
        ScoredUnit(row.ranked, row.index, row.text, 0.0, 0.0, 0.0)
        for _, row in sorted(rows.items())
        if row.text not in known
    ]


def _count_rows(last: Quotation, shown: int) -> Quotation:
    """Return the quotation of the last row, with how many of the table's rows are shown."""
    structure = last.evidence.structure
    return replace(last, shown=shown, total=structure.total) if structure and structure.total > shown else last


def _is_similar(unit: ScoredUnit, best: ScoredUnit) -> bool:
    return unit.word_share >= _SIMILAR_ROWS * best.word_share and unit.score >= _SIMILAR_ROWS * best.score


def _is_tied(focus: Focus, unit: ScoredUnit, best: ScoredUnit) -> bool:
    return (
        unit.word_share >= _TIED * best.word_share
        and unit.score >= _TIED_SCORE * best.score
        and _count_named_words(focus, unit) == _count_named_words(focus, best)
    )
