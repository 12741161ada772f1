"""Computes results from the values of a column (largest or smallest, difference, sum, mean)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from core.i18n import Message, message, plural
from core.languages import Language
from core.reading.plans.conditions import Condition, fulfils
from core.reading.plans.measure import Measure, is_hinted, read_measure
from core.reading.plans.plan import Plan
from core.reading.plans.safety import is_safe_to_calculate
from core.reading.questions.row_question import Operation, Superlative
from core.reading.relations.rows import ITEM, PAGE, SECTION, VALUE, Row
from core.reading.relations.totals import has_total, may_be_total
from core.reading.results.result import Result, name_conditions
from core.reading.values import Value, ValueKind, count_days, read_column, write_number
from core.reading.words import fold_words, has_same_noun, is_same_noun

_PER = frozenset("per by pro je nach".split())
_OR = frozenset(["or", "oder"])
_PLACES = 2  # decimals of a mean, twice as many below one
_MOST_BLANK = 3  # rows without a value, which a sum names
_UNNAMED = frozenset({ITEM, PAGE, SECTION})
_NAME_CHARS = 60  # of a first cell; a longer one is a description
_MOST_TIED = 5  # rows with the largest value; with more there is no answer


def find_extreme_rows(plan: Plan) -> Result | None:
    """Return the rows with the largest or smallest value."""
    if plan.measure is None or not is_safe_to_calculate(plan):
        return None
    found = [(row, value) for row, value in _pair_rows_with_values(plan, plan.measure) if value]
    if len(found) < 2 or _may_have_total(plan):
        return None
    choose = max if plan.operation is Operation.LARGEST else min
    rows, reread = (
        [at for at, key in enumerate(keys) if key == choose(keys)]
        for keys in ([value.key for _, value in found], [value.reread.key for _, value in found])
    )
    if len(rows) > _MOST_TIED or rows != reread:
        return None
    headline = _add_conditions(_describe_extreme(plan, plan.measure, found[rows[0]][1]), plan)
    extreme = tuple(found[at][0] for at in rows)
    return Result(_add_names(headline, plan, extreme), extreme)


def _add_names(headline: Message, plan: Plan, rows: Sequence[Row]) -> Message:
    """Return the first line with the names of the rows: by the column that the question names, else the first one."""
    columns = [] if plan.relation.kind != "table" else [each for each in plan.relation.columns if each not in _UNNAMED]
    subject = plan.subject[-1].folded if plan.subject else ""
    named = [each for each in columns if any(is_same_noun(subject, word) for word in fold_words(each))]
    if plan.relation.properties:  # the things, which may be years
        column = columns[0]
    else:
        column = next((each for each in (*named, *columns) if not _is_figure(plan, each)), "")
    names = [" ".join(row.cells.get(column, "").split()) for row in rows]
    if not all(0 < len(name) <= _NAME_CHARS for name in names):
        return headline
    return message("{result} – {rows}", result=headline, rows=", ".join(dict.fromkeys(names)))


def _is_figure(plan: Plan, column: str) -> bool:
    """Whether a column is the measure itself, or of numbers such as a rank."""
    measure = read_measure(plan.relation, column)
    is_own = plan.measure is not None and plan.measure.column == column
    return is_own or (measure is not None and measure.kind is ValueKind.NUMBER)


def _describe_extreme(plan: Plan, measure: Measure, value: Value) -> Message:
    name = plan.relation.name
    is_largest = plan.operation is Operation.LARGEST
    if measure.column not in plan.relation.columns or measure.column == ITEM:
        if is_largest:
            return message("Latest in “{place}”: {value}", value=value.text, place=name)
        return message("Earliest in “{place}”: {value}", value=value.text, place=name)
    values = {"column": measure.column, "place": name, "value": value.text}
    if measure.kind in {ValueKind.DATE, ValueKind.VERSION}:
        if is_largest:
            return message("Latest “{column}” in “{place}”: {value}", **values)
        return message("Earliest “{column}” in “{place}”: {value}", **values)
    if is_largest:
        return message("Largest “{column}” in “{place}”: {value}", **values)
    return message("Smallest “{column}” in “{place}”: {value}", **values)


def compute_aggregate(plan: Plan) -> Result | None:
    """Return the sum or mean over the rows that fulfil the conditions, or that are between two named ones."""
    measure, is_mean = plan.measure, plan.operation is Operation.MEAN
    if measure is None or measure.kind is not ValueKind.NUMBER or not _is_safe_to_aggregate(plan):
        return None
    found = _pair_rows_with_values(plan, measure)
    if plan.compared:
        ends = [at for at, (row, _) in enumerate(found) if any(fulfils(row, [each]) for each in plan.compared)]
        if len(ends) != 2:
            return None
        found = found[ends[0] : ends[1] + 1]
    values = [value for _, value in found if value]
    if len(values) < 2 or _may_have_total(plan) or any(value.other for value in values):
        return None
    blank = [row for row, value in found if value is None]
    if blank and (is_mean or plan.compared or len(blank) > _MOST_BLANK or not _are_named(plan, blank)):
        return None
    if len(found) == len(plan.relation.rows) and _contradicts_total(plan, measure, values):
        return None
    total = sum((value.key[0] for value in values), Decimal(0))
    rows = tuple(row for row, _ in found)
    if is_mean:
        return Result(_add_conditions(_describe_mean(plan, measure.column, total / len(values), values), plan), rows)
    shown = _write_amount(total, values[0], plan.question.language)
    headline = describe_sum(plan, measure.column, len(values), shown)
    headline = _add_conditions(headline, plan)
    if blank:
        names = ", ".join(" ".join(row.cells[plan.relation.columns[0]].split()) for row in blank)
        headline = message("{result}; without a value: {rows}", result=headline, rows=names)
    return Result(headline, rows)


def describe_sum(plan: Plan, column: str, count: int, value: str) -> Message:
    """Return the first line of an answer with the sum of a column in some rows."""
    return plural(
        "Sum of “{column}” in {count} row of “{place}”: {value}",
        "Sum of “{column}” in {count} rows of “{place}”: {value}",
        count,
        column=column,
        place=plan.relation.name,
        value=value,
    )


def _are_named(plan: Plan, rows: Sequence[Row]) -> bool:
    """Whether rows without a value can be named by their first cells."""
    first = plan.relation.columns[0]
    is_apart = plan.measure is not None and plan.measure.column != first
    return is_apart and plan.relation.kind == "table" and all(row.cells.get(first, "").strip() for row in rows)


def _add_conditions(headline: Message, plan: Plan) -> Message:
    """Return the first line with the conditions that selected the rows."""
    if not plan.conditions:
        return headline
    return message("{result} ({conditions})", result=headline, conditions=name_conditions(plan))


def _is_safe_to_aggregate(plan: Plan) -> bool:
    """Whether no word is left that may select rows, and the page does not state the result itself."""
    if plan.unbound or not is_safe_to_calculate(plan) or _divides_by_column(plan):
        return False
    if plan.question.has_range and not plan.compared:
        return False
    is_mean = plan.operation is Operation.MEAN
    is_stated = plan.question.asks_value and has_total(plan.relation.totals, is_mean)
    return bool(plan.conditions) or not is_stated


def _describe_mean(plan: Plan, column: str, mean: Decimal, values: Sequence[Value]) -> Message:
    like = values[0]
    places = _PLACES if abs(mean / like.factor) >= 1 else 2 * _PLACES
    return plural(
        "Mean of “{column}” in {count} row of “{place}”: {value}",
        "Mean of “{column}” in {count} rows of “{place}”: {value}",
        len(values),
        column=column,
        place=plan.relation.name,
        value=_write_amount(round(mean / like.factor, places) * like.factor, like, plan.question.language),
    )


def _divides_by_column(plan: Plan) -> bool:
    """Whether a value for each group of rows is asked for: "per country", of a column whose values repeat."""
    asked_words, relation = plan.question.words, plan.relation
    groups = [after.folded for word, after in pairwise(asked_words) if word.folded in _PER]
    others = [column for column in relation.columns if not plan.measure or column != plan.measure.column]
    named = [column for column in others if any(has_same_noun(each, fold_words(column)) for each in groups)]
    return any(len(set(cells)) < len(cells) for cells in map(relation.get_cells, named))


def compare_values(plan: Plan) -> Result | None:
    """Return the difference between two rows in one column, or between two columns of one row; for texts both cells.

    For a choice ("what is cheaper, X or Y"), return the larger or smaller one.
    """
    if not is_safe_to_calculate(plan):
        return None
    if plan.compared and plan.measure:
        return _compare_rows(plan, plan.measure)
    if plan.compared and plan.target:
        values = tuple(
            Value(ValueKind.TEXT, " ".join(cell.split())) if (cell := row.cells.get(plan.target)) else None
            for row in plan.relation.rows
        )
        return _compare_rows(plan, Measure(plan.target, values))
    return None if plan.compared else _compare_columns(plan)


def _compare_rows(plan: Plan, measure: Measure) -> Result | None:
    found = _pair_rows_with_values(plan, measure)
    pairs: list[tuple[str, Row, Value]] = []
    for alternative in plan.compared:
        rows = [(row, value) for row, value in found if fulfils(row, [alternative])]
        if len(rows) != 1 or rows[0][1] is None:
            return None
        pairs.append((_name_row(alternative, rows[0][0]), *rows[0]))  # type: ignore[arg-type]
    (first, first_row, one), (second, second_row, other) = pairs
    if first_row is second_row:
        return None
    if plan.question.choice:
        if not (_are_joined_by_or(plan) and _is_measured(measure, plan.question.superlative)):
            return None
        return _choose(plan.question.choice, measure.column, pairs)
    headline = _describe_difference(measure.column, first, one, second, other, plan.question.language)
    return Result(headline, (first_row, second_row)) if headline else None


def _compare_columns(plan: Plan) -> Result | None:
    rows = plan.find_rows()
    if len(rows) != 1 or len(plan.columns) != 2 or not plan.conditions:
        return None
    measures = [read_measure(plan.relation, column) for column in plan.columns]
    at = plan.relation.rows.index(rows[0])
    values = [measure.values[at] if measure else None for measure in measures]
    one, other = values
    if one is None or other is None or not one.is_comparable(other) or plan.question.choice:
        return None
    name = rows[0].cells.get(plan.relation.columns[0], "")
    headline = _describe_difference(name, plan.columns[0], one, plan.columns[1], other, plan.question.language)
    return Result(headline, (rows[0],)) if headline else None


def _are_joined_by_or(plan: Plan) -> bool:
    """Whether "or" stands between the two things, so that they are all that may be chosen."""
    at = next((at for at, word in enumerate(plan.question.words) if word.folded in _OR), -1)
    first, second = sorted(each.at for each in plan.compared)
    return first < at < second


def _is_measured(measure: Measure, wanted: Superlative) -> bool:
    """Whether a larger value of the column is also what the comparative calls larger.

    A faster thing has the shorter time, but the larger speed; an older one the earlier date, but the larger age.
    """
    if wanted.is_temporal:
        return measure.kind in {ValueKind.DATE, ValueKind.VERSION, ValueKind.TIME}
    return measure.kind is not ValueKind.TEXT and (not wanted.is_specific or is_hinted(measure, wanted))


def _choose(choice: Operation, about: str, pairs: Sequence[tuple[str, Row, Value]]) -> Result | None:
    """Return the larger or smaller of two rows before the other; None if it depends on how the numbers are read."""
    is_reverse = choice is Operation.LARGEST
    chosen = sorted(pairs, key=lambda pair: pair[2].key, reverse=is_reverse)
    if chosen != sorted(pairs, key=lambda pair: pair[2].reread.key, reverse=is_reverse):
        return None
    (first, first_row, one), (second, second_row, other) = chosen
    if (one.key == other.key) is not (one.reread.key == other.reread.key):
        return None
    values = {"about": about, "first": first, "one": one.text, "second": second, "other": other.text}
    if one.key == other.key:
        headline = message("No difference in “{about}”: {one} ({first}), {other} ({second})", **values)
    else:
        headline = message("{first} – {about}: {one} ({second}: {other})", **values)
    return Result(headline, (first_row, second_row))


def _describe_difference(
    about: str, first: str, one: Value, second: str, other: Value, spoken: Language
) -> Message | None:
    if one.other or other.other:
        return None
    if one.kind is ValueKind.DATE:
        days = count_days(one, other)
        shown: Message | str = plural("{count} day", "{count} days", abs(days)) if days is not None else ""
    elif one.kind is ValueKind.NUMBER:
        shown = _write_amount(abs(one.key[0] - other.key[0]), _choose_coarser(one, other), spoken)
    elif one.kind is ValueKind.TIME:
        shown = plural("{count} minute", "{count} minutes", int(abs(one.key[0] - other.key[0])))
    else:
        shown = ""
    values = {"about": about, "first": first, "one": one.text, "second": second, "other": other.text}
    if not shown:
        return message("“{about}”: {one} ({first}), {other} ({second})", **values)
    return message(
        "Difference of {difference} in “{about}”: {one} ({first}), {other} ({second})", difference=shown, **values
    )


def _choose_coarser(one: Value, other: Value) -> Value:
    return one if one.factor >= other.factor else other


def _write_amount(base: Decimal, like: Value, spoken: Language) -> str:
    """Return an amount in base units as text, in the unit of ``like``."""
    return write_number(base / like.factor, like.unit, spoken)


def _name_row(alternative: Condition, row: Row) -> str:
    """Return the name of a compared row: its cell, or the condition's value if the cell is a page with its headings."""
    return alternative.value if alternative.column in {PAGE, VALUE} else row.cells[alternative.column]


def _pair_rows_with_values(plan: Plan, measure: Measure) -> list[tuple[Row, Value | None]]:
    pairs = zip(plan.relation.rows, measure.values, strict=True)
    return [(row, value) for row, value in pairs if fulfils(row, plan.conditions)]


def _may_have_total(plan: Plan) -> bool:
    """Whether one of the rows may be a total of others, though its figures do not say so."""
    rows = plan.relation.rows
    return any(may_be_total(rows, at) for at in range(len(rows)))


def _contradicts_total(plan: Plan, measure: Measure, values: Sequence[Value]) -> bool:
    """Whether the page states totals of the column, and none of them is the sum of the values."""
    relation = plan.relation
    stated = read_column([row.cells.get(measure.column, "") for row in relation.totals], relation.language)
    amounts = [value.key[0] for value in stated if value.is_comparable(values[0])]
    return bool(amounts) and sum(value.key[0] for value in values) not in amounts
