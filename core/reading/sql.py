"""A plan as SQL, to be read: what was asked of which table, and by which conditions.

Nothing runs it. The table's name says where it stands, and values are compared as they are written.
"""

from __future__ import annotations

from core.model import TracedPlan
from core.reading.conditions import Condition
from core.reading.limits import Comparison
from core.reading.plan import Plan
from core.reading.question import Operation
from core.reading.relation import PAGE
from core.reading.result import name_place


def trace_plan(plan: Plan, rows: int) -> TracedPlan:
    """What a turn's trace keeps of a plan. ``rows``: how many the result comes from."""
    about = [plan.measure.column] if plan.measure else [plan.target] if plan.target else []
    return TracedPlan(
        plan.operation.value,
        _table(plan),
        tuple(_condition(each) for each in (*plan.conditions, *plan.alternatives)),
        tuple(dict.fromkeys((*plan.columns, *about))),
        rows,
        render_sql(plan),
    )


def render_sql(plan: Plan) -> str:
    """One SELECT statement."""
    parts = ["SELECT", _select(plan), "FROM", _name(_table(plan))]
    if where := _where(plan):
        parts += ["WHERE", " AND ".join(where)]
    return " ".join([*parts, *_order(plan)])


def _table(plan: Plan) -> str:
    relation = plan.relation
    if PAGE in relation.columns:
        return f"tables of “{relation.title}”"
    place = name_place(relation)
    return relation.title if place == relation.title else f"{place} on page {relation.title}"


def _select(plan: Plan) -> str:
    if plan.operation is Operation.COUNT:
        return "COUNT(*)"
    if plan.operation is Operation.SUM and plan.measure:
        return f"SUM({_name(plan.measure.column)})"
    about = [plan.measure.column] if plan.measure else [plan.target] if plan.target else list(plan.columns)
    return ", ".join(_name(column) for column in dict.fromkeys((*plan.relation.columns[:1], *about)))


def _where(plan: Plan) -> list[str]:
    conditions = [_condition(condition) for condition in plan.conditions]
    if plan.alternatives:
        first, last = plan.alternatives
        if plan.operation is Operation.SUM:
            conditions.append(f"{_name(first.column)} BETWEEN {_text(first.value)} AND {_text(last.value)}")
        else:
            conditions.append(f"({_condition(first)} OR {_condition(last)})")
    return conditions


def _order(plan: Plan) -> list[str]:
    if plan.measure is None or plan.operation not in {Operation.LARGEST, Operation.SMALLEST}:
        return []
    direction = ["DESC"] if plan.operation is Operation.LARGEST else []
    return ["ORDER BY", _name(plan.measure.column), *direction, "LIMIT 1"]


def _condition(condition: Condition) -> str:
    column = _name(condition.column)
    match condition.comparison:
        case Comparison.POSITIVE:
            return f"{column} = 'yes'"
        case Comparison.NEGATIVE:
            return f"{column} = 'no'"
        case Comparison.MISSING:
            return f"({column} IS NULL OR {column} = 'no')"
        case Comparison.IS:
            written = f"{column} = {_text(condition.value)}"
        case Comparison.HAS | Comparison.DURING:
            written = f"{column} LIKE {_text(f'%{condition.value}%')}"
        case _:
            written = f"{column} {condition.comparison} {_text(condition.value)}"
    return f"NOT {written}" if condition.is_negated else written


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
