"""Verdicts: answers to yes-or-no questions from a cell."""

from __future__ import annotations

import re

from core.i18n import message, plural
from core.reading.conditions import Condition, fulfils, is_blank, is_test_result, is_within_limit, read_verdict
from core.reading.plan import Plan, Result
from core.reading.refine import FAILURE_WORDS, STATES, SUCCESS_WORDS
from core.reading.relation import VALUE, Row
from core.reading.safety import is_safe_to_check
from core.reading.words import split_words

_NEGATIVE_HEADER = re.compile(r"(?i)\b(?:not?|non|without|nicht|kein[er]?|ohne|missing|fehlt)\b")
_FAULT_HEADER = re.compile(r"(?i)\b(?:repro\w*|bugs?|issues?|errors?|faults?|problems?|fehler|störung(?:en)?)\b")
_CELL_CHARS = 160
_LEAST_VERDICTS = 3
_MOST_AGREEING = 5  # rows of one thing, such as its two builds, with the same verdict


def find_verdict(plan: Plan) -> Result | None:
    """Return yes or no, and the row that says so; None if no single cell decides it."""
    limits = [condition for condition in plan.conditions if condition.limit]
    others = [condition for condition in plan.conditions if not condition.limit]
    if len(limits) == 1:
        return _check_limit(plan, limits[0], others)
    if limits or plan.question.bounds:
        return None
    if plan.target:
        return _check_verdict(plan, plan.target, others)
    return _check_value(plan, others)


def _check_limit(plan: Plan, limit: Condition, others: list[Condition]) -> Result | None:
    row = _find_only_row(plan, others)
    value = (limit.values or {}).get(row.cells.get(limit.column, "")) if row else None
    if row is None or value is None or limit.limit is None:
        return None
    return _make_verdict(plan, [row], limit.column, is_within_limit(value, limit.comparison, limit.limit))


def _check_verdict(plan: Plan, column: str, conditions: list[Condition]) -> Result | None:
    """Return the verdict of the named column, in one row or in several that agree; rows without a value do not count.

    If the column is of a fault, "yes" means that it exists, which is no verdict on a pass: only the cell is returned.
    """
    rows = [row for row in plan.relation.rows if fulfils(row, conditions)] if conditions else []
    if not rows or len(rows) > _MOST_AGREEING or _NEGATIVE_HEADER.search(column):
        return None
    empty = [row for row in rows if is_blank(row.cells.get(column, ""))]
    rows = [row for row in rows if row not in empty] or rows
    asked = {word.folded for word in plan.question.words}
    if _FAULT_HEADER.search(column) and asked & (SUCCESS_WORDS | FAILURE_WORDS):
        return _show_cell(plan, rows, column, conditions)
    said = {_read_answer(row.cells.get(column, ""), asked) for row in rows}
    says = said.pop()
    return None if said or says is None else _make_verdict(plan, [*rows, *empty], column, says)


def _show_cell(plan: Plan, rows: list[Row], column: str, conditions: list[Condition]) -> Result | None:
    """Return the cell of the only row, without a verdict."""
    if len(rows) != 1 or column not in rows[0].cells or not is_safe_to_check(plan, says_yes=True):
        return None
    cell, named = " ".join(rows[0].cells[column].split()), dict.fromkeys(each.column for each in conditions)
    row = ", ".join(" ".join(rows[0].cells[name].split()) for name in named)
    headline = message("{row}, {column}: {value}", row=row, column=column.replace(" > ", ", "), value=cell)
    return Result(headline, (rows[0],), is_open=True)


def _read_answer(cell: str, asked: set[str]) -> bool | None:
    """Return what a cell answers to a question with these words; None if it gives no answer."""
    first = next((word.folded for word in split_words(cell)), "")
    for pair in STATES:
        if first in pair:
            named = [state for state in pair if state in asked]
            return named[0] == first if len(named) == 1 else None
    verdict = read_verdict(cell)
    succeeds, fails = bool(asked & SUCCESS_WORDS), bool(asked & FAILURE_WORDS)
    if verdict is None or (succeeds and fails):
        return None
    if is_test_result(cell):
        return verdict is succeeds if succeeds or fails else None
    return None if fails else verdict


def _check_value(plan: Plan, conditions: list[Condition]) -> Result | None:
    """Return whether the cell of a named column is the value of the question ("Is the limit for Belgium €155?")."""
    asked = {word.folded for word in plan.question.words}
    values = [condition for condition in conditions if _is_named(condition.column, asked)]
    row = _find_only_row(plan, [condition for condition in conditions if condition not in values])
    if row is None or len(values) != 1:
        return None
    column, cell = values[0].column, row.cells.get(values[0].column, "")
    if is_blank(cell):
        return None
    said = [word.folded for word in split_words(values[0].value)]
    whole = [word.folded for word in split_words(cell)]
    if values[0].holds(cell) and said != whole[: len(said)]:
        return None
    return _make_verdict(plan, [row], column, said == whole[: len(said)])


def count_cells(plan: Plan, row: Row) -> Result | None:
    """Return how many cells of the row say yes, if its columns are what is counted ("how many features has …")."""
    first = plan.relation.columns[0]
    header = {word.folded for word in split_words(first)}
    if [condition.column for condition in plan.conditions] != [first] or plan.subject[-1].folded in header:
        return None
    verdicts = {column: verdict for column, cell in row.cells.items() if (verdict := read_verdict(cell)) is not None}
    rest = [column for column, cell in row.cells.items() if column != first and not is_blank(cell)]
    if len(verdicts) < _LEAST_VERDICTS or len(verdicts) < len(rest):
        return None
    yes = [column for column, verdict in verdicts.items() if verdict]
    name = row.cells[first]
    if not yes:
        return Result(message("“{name}” has none of {total}.", name=name, total=len(verdicts)), (row,))
    headline = plural(
        "“{name}” has {count} of {total}: {columns}",
        "“{name}” has {count} of {total}: {columns}",
        len(yes),
        name=name,
        total=len(verdicts),
        columns=", ".join(yes),
    )
    return Result(headline, (row,))


def _is_named(column: str, asked: set[str]) -> bool:
    return any(word.folded in asked for word in split_words(column) if word.is_content)


def _find_only_row(plan: Plan, conditions: list[Condition]) -> Row | None:
    rows = [row for row in plan.relation.rows if fulfils(row, conditions)] if conditions else []
    return rows[0] if len(rows) == 1 else None


def _make_verdict(plan: Plan, rows: list[Row], column: str, says_yes: bool) -> Result | None:
    if not is_safe_to_check(plan, says_yes):
        return None
    row = rows[0]
    cell = " ".join(row.cells[column].split())
    cell = cell if len(cell) <= _CELL_CHARS else cell[:_CELL_CHARS].rpartition(" ")[0] + "…"
    reason = f"{row.cells[VALUE]}, {column}: {cell}" if VALUE in row.cells else f"{column}: {cell}"
    verdict = message("Yes – {reason}", reason=reason) if says_yes else message("No – {reason}", reason=reason)
    return Result(verdict, tuple(rows))
