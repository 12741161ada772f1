"""How long it took from one row of a timeline to another: "How long from the alarm until the last kiln was cold?"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from core.i18n import Message, message, plural
from core.reading.plans.conditions import Condition
from core.reading.plans.measure import Measure, read_measure
from core.reading.plans.plan import Plan
from core.reading.questions.event_question import split_events
from core.reading.questions.limits import Comparison
from core.reading.questions.row_question import RowQuestion
from core.reading.relations.relation import Relation
from core.reading.relations.rows import Row
from core.reading.results.result import Result
from core.reading.values import Value, ValueKind, count_days, read_value
from core.reading.words import Word, fold_words, has_same_noun, is_related, split_words

_PASSED = frozenset("passed elapsed took taken gedauert vergangen vergingen verging lag lagen liegen".split())
_CLOCK = re.compile(r"(?<![\d.:])[0-2]?\d:[0-5]\d(?![\d:])")
_LEAST_SHARE = 0.6  # of the content words for an event, that its row has
_MOST_ROWS = 500
_DAY = 24 * 60
_HOURS_FROM = 120  # minutes from which hours are written


def find_elapsed_time(row_question: RowQuestion, relations: Sequence[Relation]) -> tuple[Plan, Result] | None:
    """Return the time between the two rows that a question names; None if it names none, or it is not clear which."""
    events = list(split_events(row_question.text))
    found: dict[tuple[str, str], tuple[Plan, Result]] = {}
    for relation in sorted(relations, key=lambda each: each.rank):
        for measure in _list_times(relation):
            for start, end in events:
                first, last = (_find_row(event, relation, measure) for event in (start, end))
                if first is None or last is None or first == last:
                    continue
                one, other = measure.values[first], measure.values[last]
                if one and other and (headline := _write_time(one, other, is_later=last > first)):
                    rows = (relation.rows[first], relation.rows[last])
                    plan = _make_plan(row_question, relation, measure, rows)
                    found.setdefault((one.text, other.text), (plan, Result(headline, rows)))
    return next(iter(found.values())) if len(found) == 1 else None


def _list_times(relation: Relation) -> Iterator[Measure]:
    """Yield the columns of clock times or dates that each row has, if the table is whole."""
    if relation.kind != "table" or not 2 <= len(relation.rows) <= _MOST_ROWS or len(relation.rows) < relation.total:
        return
    for column in relation.columns:
        measure = read_measure(relation, column)
        if measure and all(measure.values) and measure.kind in {ValueKind.TIME, ValueKind.DATE}:
            yield measure


def _find_row(event: str, relation: Relation, measure: Measure) -> int | None:
    """Return the only row that an event names by its time, or best by its words; None if there is none."""
    times = {read_value(each).key for each in _CLOCK.findall(event)}
    if times and measure.kind is ValueKind.TIME:
        at = [number for number, value in enumerate(measure.values) if value and value.key in times]
        return at[0] if len(at) == 1 else None
    words = [word for word in split_words(event) if word.is_content and word.folded not in _PASSED]
    context = set(fold_words(relation.context))
    said = [_count_said(words, row, context) for row in relation.rows]
    best = max(said)
    rows = [number for number, count in enumerate(said) if count == best]
    return rows[0] if best and len(rows) == 1 else None


def _count_said(words: Sequence[Word], row: Row, context: Set[str]) -> int:
    """Return how many of the words a row has; 0 if it lacks a name, or too many that its context does not have."""
    row_words = {folded for cell in row.cells.values() for folded in fold_words(cell)}
    missing = [word for word in words if not _is_said(word, row_words)]
    count = len(words) - len(missing)
    missing = [word for word in missing if not _is_said(word, context)]
    is_said = count >= _LEAST_SHARE * (count + len(missing))
    return count if is_said and not any(word.is_name for word in missing) else 0


def _is_said(word: Word, said: Set[str]) -> bool:
    if has_same_noun(word.folded, said):
        return True
    return not word.is_name and any(is_related(word.folded, each) for each in said)


def _write_time(one: Value, other: Value, is_later: bool) -> Message | None:
    """Return the time from one value to another. ``is_later``: whether the other row is the later one of the table."""
    if one.kind is ValueKind.DATE:
        days = count_days(one, other)
        if days is None:
            return None
        first, last = (one, other) if days >= 0 else (other, one)
        days = abs(days)
        return plural(
            "{count} day – from {first} to {last}",
            "{count} days – from {first} to {last}",
            days,
            first=first.text,
            last=last.text,
        )
    minutes = int(other.key[0] - one.key[0])
    if minutes < 0 and is_later:
        minutes += _DAY  # the table goes on after midnight
    first, last = (one, other) if minutes >= 0 else (other, one)
    minutes = abs(minutes)
    values = {"first": first.text, "last": last.text}
    if minutes < _HOURS_FROM:
        return plural(
            "{count} minute – from {first} to {last}", "{count} minutes – from {first} to {last}", minutes, **values
        )
    hours, rest = divmod(minutes, 60)
    return message("{hours} h {minutes} min – from {first} to {last}", hours=hours, minutes=rest, **values)


def _make_plan(row_question: RowQuestion, relation: Relation, measure: Measure, rows: tuple[Row, Row]) -> Plan:
    first, last = (Condition(measure.column, row.cells[measure.column], Comparison.IS, strength=1.0) for row in rows)
    return Plan(row_question, relation, (), (measure.column,), 1.0, (), measure=measure, compared=(first, last))
