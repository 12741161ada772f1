"""What was computed: a sentence, and the rows that it comes from."""

from __future__ import annotations

from dataclasses import dataclass

from core.i18n import Message, message
from core.reading.conditions import Condition
from core.reading.limits import Comparison
from core.reading.plan import Plan
from core.reading.relation import DONE, ITEM, SECTION, VALUE, Relation, Row


@dataclass(frozen=True, slots=True)
class Result:
    """``headline``: the first line of the answer. ``rows``: those that it comes from; none where none is near."""

    headline: Message
    rows: tuple[Row, ...]


def name_place(relation: Relation) -> str:
    """What a table or list is called: its last heading, else the title of its page."""
    return relation.heading_path[-1].rstrip(":") if relation.heading_path else relation.title


def name_conditions(plan: Plan) -> str:
    """The conditions of a plan, as people read them."""
    named = [_name_condition(condition) for condition in plan.conditions]
    return ", ".join(each if isinstance(each, str) else each.render(plan.question.language) for each in named)


def _name_condition(condition: Condition) -> Message | str:
    """A condition as people read it: "Vendor: HP"."""
    if condition.column == DONE:
        is_done = condition.comparison is Comparison.POSITIVE
        return message("state: done") if is_done else message("state: open")
    match condition.comparison:
        case Comparison.POSITIVE:
            return message("{column}: yes", column=condition.column)
        case Comparison.NEGATIVE:
            return message("{column}: no", column=condition.column)
        case Comparison.MISSING:
            return message("no {column}", column=condition.column)
    if condition.limit and condition.comparison is not Comparison.DURING:
        return _name_limit(condition)
    named: Message | str = f"{condition.column}: {condition.value}"
    if condition.column in {ITEM, VALUE, SECTION}:
        named = message("“{value}”", value=condition.value)
    return message("not {condition}", condition=named) if condition.is_negated else named


def _name_limit(condition: Condition) -> Message | str:
    """A limit as people read it: "Price > €100", "Due before June 2026"."""
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
