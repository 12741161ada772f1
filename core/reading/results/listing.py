"""Counts and lists the rows of a plan, or reports that no row matches."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.i18n import message, plural
from core.model import RankedEvidence
from core.reading.plans.conditions import fulfils
from core.reading.plans.plan import Plan
from core.reading.plans.safety import is_count_in_one_row, is_safe_to_show_rows
from core.reading.plans.unknown_names import add_unknown_name
from core.reading.questions.row_question import Operation
from core.reading.results.checking import find_things_of_row
from core.reading.results.distinct_values import has_different_rows, list_values
from core.reading.results.result import Result, name_conditions, write_matching

_MOST_ROWS_UNASKED = 40

_ASKS_FOR_ALL = re.compile(
    r"(?i)^\W*(?:(?:please|bitte|can you|could you) )?(?:list|show|name|liste|zeige?|nenne)\b"
    r"|\b(?:all|every|alle|sämtliche|gibt es|haben wir)\b"
    r"|\b(?:which|what) (?:\w+ ){1,3}(?:do we have|exist|are (?:there|in|on|listed)|there are|is there)\b"
)
"""Questions that certainly ask for all rows of a table."""


def show_rows(plan: Plan) -> Result | None:
    """Return the rows that are counted or listed, however many; None if they are not certain.

    Nested items count only with a condition.
    """
    if plan.distinct:
        return list_values(plan)
    if things := find_things_of_row(plan):
        return things
    if not is_safe_to_show_rows(plan) or (plan.question.is_distinct and not has_different_rows(plan)):
        return None
    rows = [row for row in plan.find_rows() if plan.conditions or row.depth == 0]
    if not rows:
        return _report_no_row(plan)
    is_list = plan.operation is Operation.LIST and not plan.conditions
    if is_list and len(rows) > _MOST_ROWS_UNASKED and not _ASKS_FOR_ALL.search(plan.question.text):
        return None  # "What machine should I order?" does not ask for all of them
    if plan.operation is Operation.COUNT and len(rows) == 1 and is_count_in_one_row(plan):
        return None
    name = plan.relation.name
    if not plan.conditions:
        if len(plan.relation.rows) < plan.relation.total:
            return None
        counted = plural("{count} entry in “{place}”:", "{count} entries in “{place}”:", len(rows), place=name)
        return Result(counted, tuple(rows))
    return Result(write_matching(plan, len(rows)), tuple(rows))


def report_unknown_name(plan: Plan, evidences: Sequence[RankedEvidence]) -> tuple[Plan, Result] | None:
    """Return the answer that no row has a name by which the question selects rows."""
    with_name = add_unknown_name(plan, evidences)
    result = _report_no_row(with_name) if with_name else None
    return (with_name, result) if with_name and result else None


def _report_no_row(plan: Plan) -> Result | None:
    """Return the result that no row fulfils the conditions, with rows that fulfil one; None if rows are missing."""
    if not plan.conditions or len(plan.relation.rows) < plan.relation.total:
        return None
    has_units = all(condition.limit and condition.limit.measure for condition in plan.conditions)
    if len(plan.unbound) > (1 if has_units else 0):  # "cost" besides a limit in euros
        return None
    near = [row for row in plan.relation.rows if any(fulfils(row, [each]) for each in plan.conditions)]
    headline = message(
        "No row of “{place}” matches {conditions}.",
        place=plan.relation.name,
        conditions=name_conditions(plan),
    )
    return Result(headline, tuple(near))
