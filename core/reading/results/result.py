"""Results, and what their first lines say: yes or no, and the conditions of the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.i18n import Message, message, plural
from core.reading.plans.conditions import Condition
from core.reading.plans.plan import Plan
from core.reading.questions.limits import Comparison
from core.reading.relations.people import is_of_holders
from core.reading.relations.rows import DONE, ITEM, SECTION, VALUE, Row


@dataclass(frozen=True, slots=True)
class Result:
    """``headline``: the first line of the answer. ``rows``: those that the result comes from; () if no row is close.

    ``is_empty``: whether it says that a cell is empty. ``is_open``: whether it leaves a yes-or-no question open.
    ``verdict``: whether it says yes or no, None for neither.
    """

    headline: Message
    rows: tuple[Row, ...]
    is_open: bool = False
    verdict: bool | None = None
    is_empty: bool = False


def make_verdict(says_yes: bool, reason: Message | str, rows: Sequence[Row]) -> Result:
    """Return the result that begins with yes or no."""
    headline = message("Yes – {reason}", reason=reason) if says_yes else message("No – {reason}", reason=reason)
    return Result(headline, tuple(rows), verdict=says_yes)


def write_matching(plan: Plan, count: int) -> Message:
    """Return the first line of an answer with the rows that fulfil the conditions: "2 of 4 entries in …"."""
    return plural(
        "{count} of {total} entries in “{place}” matches {conditions}:",
        "{count} of {total} entries in “{place}” match {conditions}:",
        count,
        total=plan.relation.total,
        place=plan.relation.name,
        conditions=name_conditions(plan),
    )


def name_conditions(plan: Plan) -> str:
    """Return the conditions of a plan as text."""
    named = [_name_condition(condition) for condition in plan.conditions]
    written = (each if isinstance(each, str) else each.render(plan.question.language) for each in named)
    return ", ".join(dict.fromkeys(written))


def _name_condition(condition: Condition) -> Message | str:
    """Return a condition as text: "Vendor: HP"."""
    if condition.column == DONE:
        is_done = condition.comparison is Comparison.POSITIVE
        return message("state: done") if is_done else message("state: open")
    match condition.comparison:
        case Comparison.POSITIVE:
            return message("{column}: yes", column=condition.column)
        case Comparison.NEGATIVE:
            return message("{column}: no", column=condition.column)
        case Comparison.MISSING if condition.is_negated:
            return message("{column}: given", column=condition.column)
        case Comparison.MISSING if is_of_holders(condition.column):
            return message("nobody under “{column}”", column=condition.column)
        case Comparison.MISSING:
            return message("no {column}", column=condition.column)
    named: Message | str = f"{condition.column}: {condition.value}"
    if condition.limit and condition.comparison is not Comparison.DURING:
        named = _name_limit(condition)
    elif condition.column in {ITEM, VALUE, SECTION}:
        named = message("“{value}”", value=condition.value)
    return message("not {condition}", condition=named) if condition.is_negated else named


def _name_limit(condition: Condition) -> Message | str:
    """Return a limit as text: "Price > €100", "Due before June 2026"."""
    values = {"column": condition.column, "value": condition.value}
    if not condition.is_on_dates:
        return f"{condition.column} {condition.comparison} {condition.value}"
    match condition.comparison:
        case Comparison.LESS:
            return message("{column} before {value}", **values)
        case Comparison.MORE:
            return message("{column} after {value}", **values)
        case Comparison.AT_MOST:
            return message("{column} until {value}", **values)
    return message("{column} from {value}", **values)
