"""Verdicts from several rows: "did any fail", "did all pass", "all four X with Y", "any other X besides A and B".

They need the whole table, and every word of the question has to be bound: a wrong verdict is worse than none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from core.i18n import Message, message, plural
from core.reading.plans.distinct_columns import group_rows
from core.reading.plans.plan import Plan
from core.reading.plans.plan_facts import has_all_conditions, has_unbound_name, is_whole_cell
from core.reading.plans.result_columns import write_result
from core.reading.questions.quantifier import Quantifier, Quantity
from core.reading.relations.marks import is_blank, is_test_result, read_verdict
from core.reading.relations.rows import Row
from core.reading.results.result import Result, make_verdict, name_conditions
from core.reading.words import FAILURE_WORDS, SUCCESS_WORDS, VERDICT_WORDS, has_same_noun, split_words

_MOST_VALUES = 12
_FIT = 0.7


def find_quantified_verdict(plan: Plan, quantity: Quantity) -> Result | None:
    """Return yes or no with the values that it comes from; None if a word is unbound or rows are missing."""
    relation = plan.relation
    is_whole = relation.kind == "table" and len(relation.rows) == relation.total
    if not is_whole or plan.question.bounds or plan.unbound or plan.fit < _FIT:
        return None
    if has_unbound_name(plan) or plan.contradicts or not has_all_conditions(plan) or _names_other_column(plan):
        return None
    rows = plan.find_rows()
    asked = _read_asked_verdicts(plan)
    if quantity.quantifier is not Quantifier.OTHER and len(asked) == 1:
        return _check_results(plan, rows, quantity.quantifier, asked == {True})
    if asked or any(has_same_noun(word.folded, VERDICT_WORDS) for word in plan.question.words):
        return None  # "supported" may be what another column says
    if quantity.quantifier is Quantifier.OTHER:
        return _find_others(plan, rows, quantity.besides)
    return _check_values(plan, rows, quantity.count) if quantity.quantifier is Quantifier.ALL else None


def _names_other_column(plan: Plan) -> bool:
    """Whether the question names a column besides the first that the verdict is not about: "with notes"."""
    known = {plan.distinct, plan.target, plan.relation.columns[0], *(each.column for each in plan.conditions)}
    context = {word.folded for word in split_words(plan.relation.context)}
    others = set(plan.columns) - known
    return any(not context.issuperset(word.folded for word in split_words(column)) for column in others)


# ------------------------------------------------------------------------------------------ results


def _read_asked_verdicts(plan: Plan) -> set[bool]:
    """Return whether the question asks for success, for failure, both or neither.

    Words of a condition ask for neither: "GPU pass through tests".
    """
    taken = {each.at + word for each in plan.conditions for word in range(len(split_words(each.value)))}
    said = {word.folded for at, word in enumerate(plan.question.words) if at not in taken}
    verdicts = ((True, SUCCESS_WORDS), (False, FAILURE_WORDS))
    return {says for says, words in verdicts if any(has_same_noun(word, words) for word in said)}


def _check_results(plan: Plan, rows: Sequence[Row], quantifier: Quantifier, succeeds: bool) -> Result | None:
    column = plan.target
    if not column or not rows or any(each.column == column for each in plan.conditions):
        return None
    if not all(is_whole_cell(each, plan.find_rows()) or len(split_words(each.value)) > 1 for each in plan.conditions):
        return None
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[_name_result(row.cells.get(column, ""))].append(row)
    first = {name: group[0].cells.get(column, "") for name, group in groups.items()}
    if len(groups) > _MOST_VALUES or any(_may_hide_result(cell) for cell in first.values()):
        return None
    meant = [name for name, cell in first.items() if is_test_result(cell) and read_verdict(cell) is succeeds]
    opposite = [name for name, cell in first.items() if is_test_result(cell) and read_verdict(cell) is not succeeds]
    says: bool | None = bool(meant)
    if quantifier is Quantifier.ALL:
        says = False if opposite else True if meant and {*groups} <= {*meant, ""} else None
    deciding = meant if quantifier is Quantifier.ANY else opposite
    examples = [groups[name][0] for name in sorted(groups, key=lambda name: not name)]  # rows without a result last
    shown = [row for name in deciding for row in groups[name]] or examples
    counts = {write_result(cell): len(groups[name]) for name, cell in first.items()}
    reason = _describe_rows(plan, len(rows), _join_counts(plan, counts))
    if says and quantifier is Quantifier.ALL and "" in groups:
        headline = message("Yes, not counting rows without a value – {reason}", reason=reason)
        return Result(headline, tuple(shown), verdict=True)
    return Result(reason, tuple(shown), is_open=True) if says is None else make_verdict(says, reason, shown)


def _name_result(cell: str) -> str:
    """Return a result to group by: of "PASS; initially slow" only "pass"."""
    return " ".join(word.folded for word in split_words(write_result(cell)))


def _may_hide_result(cell: str) -> bool:
    """Whether a cell has both results, or one that it does not begin with: "Pass/Fail", "did not pass"."""
    said = {word.folded for word in split_words(cell)}
    succeeds, fails = bool(said & SUCCESS_WORDS), bool(said & FAILURE_WORDS)
    return (succeeds and fails) or (not is_test_result(cell) and (succeeds or fails))


def _describe_rows(plan: Plan, count: int, values: str) -> Message:
    name = plan.relation.name
    if not plan.conditions:
        return plural(
            "{count} row in “{place}”: {values}",
            "{count} rows in “{place}”: {values}",
            count,
            place=name,
            values=values,
        )
    return plural(
        "{count} row in “{place}” for {conditions}: {values}",
        "{count} rows in “{place}” for {conditions}: {values}",
        count,
        place=name,
        conditions=name_conditions(plan),
        values=values,
    )


def _join_counts(plan: Plan, counts: Mapping[str, int]) -> str:
    empty = message("{count} without a value", count=counts.get("", 0)).render(plan.question.language)
    named = sorted(((value, count) for value, count in counts.items() if value), key=lambda each: -each[1])
    return _join([*(f"{count} {value}" for value, count in named), *([empty] if "" in counts else [])])


# ------------------------------------------------------------------------------------------- values


def _check_values(plan: Plan, rows: Sequence[Row], count: int) -> Result | None:
    """Return whether the rows have all values that a column has, of which there are ``count`` if that is not 0."""
    if (
        not plan.distinct
        or not plan.conditions
        or not all(is_whole_cell(each, plan.find_rows()) for each in plan.conditions)
    ):
        return None
    known, found = group_rows(plan, plan.relation.rows), group_rows(plan, rows)
    if not found or len(known) > _MOST_VALUES or (count and count != len(known)):
        return None
    headline = plural(
        "{found} of {count} value of “{column}” in “{place}” for {conditions}: {values}",
        "{found} of {count} values of “{column}” in “{place}” for {conditions}: {values}",
        len(known),
        found=len(found),
        column=plan.distinct,
        place=plan.relation.name,
        conditions=name_conditions(plan),
        values=_join(value for _, value in found.values()),
    )
    return make_verdict(len(found) == len(known), headline, [row for row, _ in found.values()])


def _find_others(plan: Plan, rows: Sequence[Row], besides: Sequence[tuple[str, ...]]) -> Result | None:
    """Return whether a column has other values than the named ones, each of which has to be one of them."""
    if not plan.distinct or any(is_blank(row.cells.get(plan.distinct, "")) for row in rows):
        return None
    groups = group_rows(plan, rows)
    words = {name: tuple(word.folded for word in split_words(name)) for name in groups}
    others = [name for name in groups if words[name] not in besides]
    if len(groups) - len(others) != len(set(besides)) or len(groups) > _MOST_VALUES:
        return None
    if any(set(words[name]) & set(part) for name in others for part in besides):
        return None  # "HP Inc." besides "HP"
    shown = others or list(groups)
    values = _join(groups[name][1] for name in shown)
    named = {"column": plan.distinct, "place": plan.relation.name, "values": values}
    if others:
        headline = plural(
            "{count} other value of “{column}” in “{place}”: {values}",
            "{count} other values of “{column}” in “{place}”: {values}",
            len(others),
            **named,
        )
    else:
        headline = plural(
            "in {count} row of “{place}”, “{column}” has only: {values}",
            "in {count} rows of “{place}”, “{column}” has only: {values}",
            len(rows),
            **named,
        )
    return make_verdict(bool(others), headline, [groups[name][0] for name in shown])


def _join(values: Iterable[str]) -> str:
    return ", ".join(values)
