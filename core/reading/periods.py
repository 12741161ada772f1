"""Days, months and years that a question names, as conditions on a column of dates: "in July 2026", "im Juli", "2023".

The words of "July 2026" are in no cell "2026-07-03", and those of a cell "2 July 2025" are not in that month. So a
period is compared as a date, where exactly one column of dates can be meant.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.dates import MONTHS
from core.reading.conditions import Condition, may_limit
from core.reading.limits import Bound, Comparison, is_year
from core.reading.measure import Measure, names, read_measure
from core.reading.relation import ITEM, Relation
from core.reading.values import Value, ValueKind, read_value
from core.reading.words import Word

_MOST_WORDS = 3
_ABBREVIATED = 3  # letters of "Dec", which is a month in capitals only
_ALSO_VERBS = frozenset(["may", "march"])


def find_periods(asked: Sequence[Word], relation: Relation, place: set[str]) -> list[Condition]:
    """A condition for each period that the place does not have already, as far as one column can be meant."""
    found: list[Condition] = []
    measures: list[Measure] | None = None
    at = 0
    while at < len(asked):
        length, period = _read_period(asked, at)
        if period and not all(word.folded in place for word in asked[at : at + length]):
            measures = _find_dates(relation) if measures is None else measures
            if condition := _bind(period, at, asked, measures, relation):
                found.append(condition)
        at += length
    return found


def _read_period(asked: Sequence[Word], at: int) -> tuple[int, Value | None]:
    """The longest span at a place that is a date, a month or a year, with its number of words; else 1 and None."""
    for length in range(min(_MOST_WORDS, len(asked) - at), 0, -1):
        span = asked[at : at + length]
        value = read_value(" ".join(word.text for word in span))
        if (value.kind is ValueKind.DATE and (length > 1 or _is_period(span[0]))) or (length == 1 and is_year(value)):
            return length, value
    return 1, None


def _is_period(word: Word) -> bool:
    """Whether a word by itself can only be a month, or is a date in figures."""
    name = word.text.lower()
    is_doubtful = name in MONTHS and (len(name) <= _ABBREVIATED or name in _ALSO_VERBS)
    return word.text[0].isupper() or not is_doubtful


def _find_dates(relation: Relation) -> list[Measure]:
    measures = (read_measure(relation, column) for column in relation.columns if column != ITEM)
    return [measure for measure in measures if measure and measure.kind is ValueKind.DATE]


def _bind(
    period: Value, at: int, asked: Sequence[Word], measures: Sequence[Measure], relation: Relation
) -> Condition | None:
    bound = Bound(Comparison.DURING, period, is_temporal=True)
    able = [measure for measure in measures if may_limit(bound, [value for value in measure.values if value])]
    meant = [measure for measure in able if names(measure.column, asked, ())] or able
    if len(meant) != 1:
        return None
    [measure] = meant
    values = read_cells(relation, measure)
    return Condition(measure.column, period.text, Comparison.DURING, 1.0, period, values, at=at)


def read_cells(relation: Relation, measure: Measure) -> dict[str, Value]:
    """The cells of a measure and their values; blank ones are left out."""
    cells = (row.cells.get(measure.column, "") for row in relation.rows)
    return {cell: value for cell, value in zip(cells, measure.values, strict=True) if value}
