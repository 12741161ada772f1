"""Answers which rows of a table are at a time: "who is on call this week", "when is the next release".

The table has to account for all words of the question but those for the time, and one column (or a pair such as "From"
and "To") has to say when its rows are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from core.i18n import Message, message, plural
from core.reading.plans.conditions import Condition
from core.reading.plans.measure import score_name
from core.reading.plans.plan import Plan
from core.reading.plans.plan_facts import has_unbound_name
from core.reading.questions.limits import Comparison
from core.reading.questions.moments import Moment, Order
from core.reading.questions.periods import Span
from core.reading.questions.schedule_question import asks_for_existence
from core.reading.questions.yes_no import is_yes_no_question
from core.reading.relations.marks import is_blank
from core.reading.relations.relation import Relation
from core.reading.relations.rows import OWN_COLUMNS, Row
from core.reading.results.result import Result, make_verdict
from core.reading.results.spans import TimeColumns, find_time_columns
from core.reading.words import (
    DEPUTIES,
    END_HEADERS,
    END_VERBS,
    Word,
    fold_words,
    has_same_noun,
    is_compound,
    is_related,
)
from core.wording.quotations import BETWEEN_CELLS
from core.wording.word_matches import match_texts

_ENDS = END_VERBS | frozenset("out finish finishes aus ab".split())
_BEGINS = frozenset("start starts starting begin begins beginning startet starten beginnt beginnen".split())
_VERBS = (
    _ENDS
    | _BEGINS
    | frozenset(
        """come comes coming due happen happening happens held hold on people person place planned scheduled take takes
        taking turn up one dran drankommt dienst ein fällig findet finden geplant ist kommt kommen nächsten statt
        steht stehen vorgesehen""".split()
    )
)
"""Words for what happens at a time, which a table need not have."""
_OF_RECORD = frozenset("updated created changed modified added geändert erstellt angelegt aktualisiert stand".split())
"""Words of the headers of dates on which a row was written."""
_OF_NOTES = frozenset(
    "note notes comment comments remark remarks bemerkung bemerkungen notiz kommentar hinweis".split()
)
_ALIKE = 0.65  # share of a word's 4-grams
_SHOWN_CELLS = 3
_MOST_OF_CELL = 0.5  # strength of a condition


def find_scheduled_rows(moment: Moment, plans: Sequence[Plan]) -> Iterator[tuple[Plan, Result]]:
    """Yield the rows at the time, for each plan that accounts for the question; first those that have such rows."""
    without: list[tuple[Plan, Result]] = []
    for plan in plans:
        timed = _find_time(plan, moment) if _is_accounted_for(plan) else None
        if timed is None or (moment.order is Order.PRESENT and not timed.starts):
            continue
        if moment.order is Order.PRESENT and plan.conditions and not moment.is_relative:
            continue  # without a time, only a rota is read for today
        rows = _select_rows(plan, timed, moment)
        is_open = is_yes_no_question(plan.question.text) and not asks_for_existence(plan.question.text)
        if is_open and not (rows and moment.order in {Order.DURING, Order.PRESENT}):
            continue  # a row says yes, but no row says no
        dated = _add_condition(plan, timed, moment)
        if rows:
            yield dated, _describe_rows(dated, timed, moment, rows)
        elif _has_whole_values(plan) and (none := _describe_none(dated, timed, moment)):
            without.append((dated, none))
    yield from without


def _is_accounted_for(plan: Plan) -> bool:
    relation = plan.relation
    if relation.kind != "table" or relation.is_record or len(relation.rows) < relation.total or has_unbound_name(plan):
        return False
    if plan.contradicts or plan.lists_values:
        return False
    needed = plan.question.needed
    known = {word.folded for word in needed if _is_known(word, plan) or _find_deputies(word.folded, plan)}
    return bool(known) and all(word.folded in known | _VERBS for word in needed)


def _has_whole_values(plan: Plan) -> bool:
    """Whether each condition is most of a cell. A drill for the "On-call handbook" does not say who is on call."""
    return all(condition.strength >= _MOST_OF_CELL for condition in plan.conditions)


def _is_known(word: Word, plan: Plan) -> bool:
    """Whether a table has a word, or most of it: the location of people says nothing about their vacation."""
    asked_words = plan.question.words
    bound = {asked_words[at].folded for each in plan.conditions for at in each.bound if at < len(asked_words)}
    texts = [plan.relation.context, *plan.relation.columns]
    is_alike = any(matches[0] >= _ALIKE for matches in match_texts((word.folded,), texts))
    return word not in plan.unbound and (word.folded in bound or is_alike or _is_in_context(word, plan.relation))


def _is_in_context(word: Word, relation: Relation) -> bool:
    words = {*fold_words(relation.context), *relation.headers}
    is_there = has_same_noun(word.folded, words) or is_compound(word.folded, words)
    return is_there or any(is_related(word.folded, each) for each in words)


def _find_deputies(folded: str, plan: Plan) -> list[str]:
    """Return the columns of deputies, if a word asks for one: "Vertretung" for "backup"."""
    columns = plan.relation.columns if folded in DEPUTIES else ()
    return [column for column in columns if not DEPUTIES.isdisjoint(fold_words(column))]


def _find_time(plan: Plan, moment: Moment) -> TimeColumns | None:
    """Return the columns that say when the rows are; None unless exactly one can be meant."""
    relation, words = plan.relation, plan.question.words
    said = {word.folded for word in words}
    if moment.order is not Order.DURING and _has_word_of_order(relation):
        return None
    found = [
        each
        for each in find_time_columns(relation, moment.span.start.year, moment.is_week)
        if not any(condition.column in each.columns for condition in plan.conditions)
    ]
    named = [each for each in found if any(score_name(column, words) >= 1 for column in each.columns)]
    others = [each for each in found if _OF_RECORD.isdisjoint(fold_words(" ".join(each.columns)))]
    found = named or others
    if said & _ENDS and len(found) > 1:
        found = [each for each in found if not END_HEADERS.isdisjoint(fold_words(" ".join(each.columns)))]
    if len(found) != 1:
        return None
    [timed] = found
    if len(timed.columns) > 1 and said & (_ENDS | _BEGINS):
        is_end = bool(said & _ENDS)
        spans = (
            span and (Span(span.end, span.end) if is_end else Span(span.start, span.start)) for span in timed.spans
        )
        return TimeColumns((timed.columns[is_end],), tuple(spans), starts=False)
    return timed


def _has_word_of_order(relation: Relation) -> bool:
    """Whether a header or the context itself says "next": "Next inspection" of each device."""
    return bool(re.search(r"(?i)\b(?:next|n(?:ä|ae)chste[rnsm]?|last|letzte[rnsm]?)\b", " ".join(relation.columns)))


def _select_rows(plan: Plan, timed: TimeColumns, moment: Moment) -> list[Row]:
    kept = set(map(id, plan.find_rows()))
    pairs = [(row, span) for row, span in zip(plan.relation.rows, timed.spans, strict=True) if span and id(row) in kept]
    day = moment.span.end
    match moment.order:
        case Order.DURING | Order.PRESENT:
            return [row for row, span in pairs if span.has_common_days(moment.span)]
        case Order.PAST:
            return [row for row, span in pairs if span.end < day]
        case Order.PREVIOUS:
            past = [(row, span) for row, span in pairs if span.end <= day]
            if len(past) == len(pairs):
                return []  # the last one of all
            return [row for row, span in past if span.start == max(each.start for _, each in past)]
    earliest = day + timedelta(timed.starts)
    coming = [(row, span) for row, span in pairs if span.start >= earliest]
    if moment.order is Order.COMING:
        return [row for row, _ in sorted(coming, key=lambda pair: pair[1].start)]
    return [row for row, span in coming if span.start == min(each.start for _, each in coming)]


def _add_condition(plan: Plan, timed: TimeColumns, moment: Moment) -> Plan:
    """Return the plan with the time as a condition, for the trace."""
    comparison = {
        Order.DURING: Comparison.DURING,
        Order.PRESENT: Comparison.DURING,
        Order.PREVIOUS: Comparison.AT_MOST,
        Order.PAST: Comparison.LESS,
    }.get(moment.order, Comparison.MORE if timed.starts else Comparison.AT_LEAST)
    value = f"{moment.span.start}/{moment.span.end}" if comparison is Comparison.DURING else str(moment.span.end)
    added = (Condition(column, value, comparison, 1.0) for column in timed.columns)
    return replace(plan, conditions=(*plan.conditions, *added))


# ------------------------------------------------------------------------------------- the first line


def _describe_rows(plan: Plan, timed: TimeColumns, moment: Moment, rows: Sequence[Row]) -> Result:
    headline = (
        _describe_row(plan, timed, moment, rows[0])
        if len(rows) == 1 and moment.order is not Order.PAST
        else _count_rows(plan, moment, len(rows))
    )
    if asks_for_existence(plan.question.text) or is_yes_no_question(plan.question.text):
        return make_verdict(True, headline, rows)
    return Result(headline, tuple(rows))


def _describe_row(plan: Plan, timed: TimeColumns, moment: Moment, row: Row) -> Message:
    written = f"{_write_cells(plan, timed, row)} ({_write_time(timed, row)})"
    match moment.order:
        case Order.NEXT | Order.COMING:
            return message("Next after {day}: {row}", day=moment.span.end, row=written)
        case Order.PREVIOUS:
            return message("Last until {day}: {row}", day=moment.span.end, row=written)
        case Order.PRESENT:
            return message("On {day}: {row}", day=moment.span.end, row=written)
    return message("{row}", row=written)


def _count_rows(plan: Plan, moment: Moment, count: int) -> Message:
    total, place = plan.relation.total, plan.relation.name
    if moment.order in {Order.DURING, Order.PRESENT}:
        return plural(
            "{count} of {total} entries in “{place}” is for {time}:",
            "{count} of {total} entries in “{place}” are for {time}:",
            count,
            time=_name_time(moment.span),
            total=total,
            place=place,
        )
    if moment.order is Order.PAST:
        return plural(
            "{count} of {total} entries in “{place}” is before {day}:",
            "{count} of {total} entries in “{place}” are before {day}:",
            count,
            day=moment.span.end,
            total=total,
            place=place,
        )
    if moment.order is Order.PREVIOUS:
        return message("Last until {day} in “{place}”:", day=moment.span.end, place=place)
    if moment.order is Order.NEXT:
        return message("Next after {day} in “{place}”:", day=moment.span.end, place=place)
    return plural(
        "{count} of {total} entries in “{place}” is after {day}:",
        "{count} of {total} entries in “{place}” are after {day}:",
        count,
        day=moment.span.end,
        total=total,
        place=place,
    )


def _describe_none(plan: Plan, timed: TimeColumns, moment: Moment) -> Result | None:
    """Return the result that no row is at the time, with the last one if a later one is asked for."""
    name = plan.relation.name
    if any(span is None for span in timed.spans):
        return None  # it may be in a row without a time
    if moment.order is Order.DURING:
        headline = message("No entry in “{place}” is for {time}.", place=name, time=_name_time(moment.span))
        if asks_for_existence(plan.question.text):
            return make_verdict(False, headline, ())
        return Result(headline, ())
    if moment.order in {Order.PREVIOUS, Order.PRESENT}:
        return None
    if moment.order is Order.PAST:
        return Result(message("No entry in “{place}” is before {day}.", place=name, day=moment.span.end), ())
    headline = message("No entry in “{place}” is after {day}.", place=name, day=moment.span.end)
    return Result(headline, ())


def _name_time(span: Span) -> Message | date:
    if span.is_one_day:
        return span.start
    return message("{start} to {end}", start=span.start, end=span.end)


def _write_time(timed: TimeColumns, row: Row) -> str:
    written = " – ".join(" ".join(row.cells[column].split()) for column in timed.columns if column in row.cells)
    return f"{timed.columns[0]} {written}" if written.isdigit() else written


def _write_cells(plan: Plan, timed: TimeColumns, row: Row) -> str:
    """Return the cells of the columns that the question names, else the first ones; without remarks."""
    conditions = {each.column for each in plan.conditions}
    deputies = [column for word in plan.question.words for column in _find_deputies(word.folded, plan)]
    named = [column for column in [*plan.columns, *deputies] if column not in conditions and _is_filled(row, column)]
    others = [
        column
        for column in plan.relation.columns
        if _is_filled(row, column) and column not in timed.columns and _OF_NOTES.isdisjoint(fold_words(column))
    ]
    first = [column for column in others[:1] if column in conditions or _names_rows(plan, column)]
    columns = list(dict.fromkeys([*first, *named])) if named else others[:_SHOWN_CELLS]
    return BETWEEN_CELLS.join(
        " ".join(row.cells[column].split())
        if column in OWN_COLUMNS
        else f"{column}: {' '.join(row.cells[column].split())}"
        for column in columns
    )


def _is_filled(row: Row, column: str) -> bool:
    return not is_blank(row.cells.get(column, ""))


def _names_rows(plan: Plan, column: str) -> bool:
    """Whether the question names the first column, and so what the rows are."""
    asked_words = {word.folded for word in plan.question.words if word.is_content}
    return any(has_same_noun(name, asked_words) for name in fold_words(column))
