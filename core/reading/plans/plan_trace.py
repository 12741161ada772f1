"""Writes a plan for the trace of a turn, also as SQL."""

from __future__ import annotations

from dataclasses import replace

from core.model import TracedPlan
from core.reading.plans.conditions import Condition
from core.reading.plans.plan import Plan
from core.reading.questions.limits import Comparison
from core.reading.questions.row_question import Operation
from core.reading.relations.rows import PAGE


def trace_plan(plan: Plan, rows: int) -> TracedPlan:
    """Return the plan as the turn's trace has it. ``rows``: the number of rows that the result comes from."""
    about = [plan.measure.column] if plan.measure else [plan.target] if plan.target else []
    return TracedPlan(
        plan.operation.value,
        _describe_table(plan),
        tuple(_write_condition(each) for each in (*plan.conditions, *plan.compared)),
        tuple(dict.fromkeys((*plan.columns, *about))),
        rows,
        render_sql(plan),
    )


def render_sql(plan: Plan) -> str:
    """Return the plan as one SELECT statement."""
    parts = ["SELECT", _write_select(plan), "FROM", _quote_name(_describe_table(plan))]
    if where := _write_where(plan):
        parts += ["WHERE", " AND ".join(where)]
    return " ".join([*parts, *_write_order(plan)])


def _describe_table(plan: Plan) -> str:
    relation = plan.relation
    if PAGE in relation.columns:
        return f"tables of “{relation.title}”"
    name = relation.name
    return relation.title if name == relation.title else f"{name} on page {relation.title}"


def _write_select(plan: Plan) -> str:
    if plan.distinct:
        values = f"DISTINCT {_quote_name(plan.distinct)}"
        return f"COUNT({values})" if plan.operation is Operation.COUNT else values
    if plan.operation is Operation.COUNT:
        return "COUNT(*)"
    if plan.operation in {Operation.SUM, Operation.MEAN} and plan.measure:
        return f"{'SUM' if plan.operation is Operation.SUM else 'AVG'}({_quote_name(plan.measure.column)})"
    about = [plan.measure.column] if plan.measure else [plan.target] if plan.target else list(plan.columns)
    return ", ".join(_quote_name(column) for column in dict.fromkeys((*plan.relation.columns[:1], *about)))


def _write_where(plan: Plan) -> list[str]:
    if plan.distinct and any(each.is_negated for each in plan.conditions):
        return _write_denied(plan)
    conditions = [_write_condition(condition) for condition in plan.conditions]
    if plan.compared:
        first, last = plan.compared
        if plan.operation is Operation.SUM:
            conditions.append(
                f"{_quote_name(first.column)} BETWEEN {_quote_text(first.value)} AND {_quote_text(last.value)}"
            )
        else:
            conditions.append(f"({_write_condition(first)} OR {_write_condition(last)})")
    return conditions


def _write_denied(plan: Plan) -> list[str]:
    """Return the conditions for things of which no row states what is denied."""
    others = [_write_condition(each) for each in plan.conditions if not each.is_negated]
    denied = " OR ".join(
        _write_condition(replace(each, is_negated=False)) for each in plan.conditions if each.is_negated
    )
    column, table = _quote_name(plan.distinct), _quote_name(_describe_table(plan))
    inner = " AND ".join([*others, f"({denied})"])
    return [*others, " ".join([column, "NOT IN (SELECT", column, "FROM", table, "WHERE", f"{inner})"])]


def _write_order(plan: Plan) -> list[str]:
    if plan.measure is None or plan.operation not in {Operation.LARGEST, Operation.SMALLEST}:
        return []
    direction = ["DESC"] if plan.operation is Operation.LARGEST else []
    return ["ORDER BY", _quote_name(plan.measure.column), *direction, "LIMIT 1"]


def _write_condition(condition: Condition) -> str:
    column = _quote_name(condition.column)
    first, _, last = map(_quote_text, condition.value.partition("/"))
    match condition.comparison:
        case Comparison.POSITIVE:
            return f"{column} = 'yes'"
        case Comparison.NEGATIVE:
            return f"{column} = 'no'"
        case Comparison.MISSING if condition.is_negated:
            return f"({column} IS NOT NULL AND {column} <> 'no')"
        case Comparison.MISSING:
            return f"({column} IS NULL OR {column} = 'no')"
        case Comparison.IS:
            written = f"{column} = {_quote_text(condition.value)}"
        case Comparison.LISTS:
            written = f"', ' || {column} || ',' LIKE {_quote_text(f'%, {condition.value},%')}"
        case Comparison.DURING if "/" in condition.value:  # stretches of days
            written = " AND ".join((f"{column} <= {last}", f"{column} >= {first}"))
        case Comparison.HAS | Comparison.DURING:
            written = f"{column} LIKE {_quote_text(f'%{condition.value}%')}"
        case _:
            written = f"{column} {condition.comparison} {_quote_text(condition.value)}"
    return f"NOT {written}" if condition.is_negated else written


def _quote_name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _quote_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
