"""Verdicts: answers to yes-or-no questions from a cell."""

from __future__ import annotations

import re
from dataclasses import replace

from core.i18n import message, plural
from core.reading.plans.conditions import Condition, fulfils
from core.reading.plans.plan import Plan
from core.reading.plans.safety import is_safe_to_check
from core.reading.plans.several_verdicts import asks_what_is_free, has_participle, is_free_column
from core.reading.questions.limits import is_within_limit
from core.reading.relations.marks import is_absent, is_blank, is_test_result, read_verdict
from core.reading.relations.people import is_of_holders
from core.reading.relations.rows import VALUE, Row
from core.reading.results.result import Result, make_verdict, name_conditions
from core.reading.values import read_value
from core.reading.words import FAILURE_WORDS, STATES, SUCCESS_WORDS, has_same_noun, split_words
from core.wording.quotations import write_header

_NEGATIVE_HEADER = re.compile(r"(?i)\b(?:not?|non|without|nicht|kein[er]?|ohne|missing|fehlt)\b")
_FAULT_HEADER = re.compile(r"(?i)\b(?:repro\w*|bugs?|issues?|errors?|faults?|problems?|fehler|störung(?:en)?)\b")
_EXISTS = re.compile(r"(?i)\b(?:is|are|was|were) there\b|\b(?:gibt|gab) es\b|\b(?:exists?|existier\w{1,3})\b")
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


def find_existence(plan: Plan) -> Result | None:
    """Return yes with the rows of a table or list, if the question asks whether there are such.

    The heading right above has to have a word of the question that the title does not have.
    """
    relation, rows = plan.relation, plan.find_rows()
    if not _EXISTS.search(plan.question.text) or relation.kind == "sentence" or len(relation.rows) < relation.total:
        return None
    title = {word.folded for word in split_words(relation.title)}
    heading = {word.folded for word in split_words(" ".join(relation.heading_path[-1:])) if word.is_content} - title
    is_named = any(has_same_noun(word.folded, heading) for word in plan.question.needed)
    if not rows or not is_named or plan.contradicts or not is_safe_to_check(plan, says_yes=True):
        return None
    count, name = len(rows), relation.name
    if plan.conditions:
        return None if count == relation.total else _count_existing(plan, rows)
    reason = plural("{count} entry in “{place}”:", "{count} entries in “{place}”:", count, place=name)
    return make_verdict(True, reason, rows)


def _count_existing(plan: Plan, rows: list[Row]) -> Result:
    reason = plural(
        "{count} of {total} entries in “{place}” matches {conditions}:",
        "{count} of {total} entries in “{place}” match {conditions}:",
        len(rows),
        total=plan.relation.total,
        place=plan.relation.name,
        conditions=name_conditions(plan),
    )
    return make_verdict(True, reason, rows)


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
    filled = [row for row in rows if not is_blank(row.cells.get(column, ""))]
    empty = [row for row in rows if row not in filled] if filled else []
    rows = filled or rows
    asked_words = {word.folded for word in plan.question.words}
    if _FAULT_HEADER.search(column) and asked_words & (SUCCESS_WORDS | FAILURE_WORDS):
        return _show_cell(plan, rows, column, conditions)
    said = {_read_answer(row.cells.get(column, ""), asked_words) for row in rows}
    says = said.pop()
    if says is None and not said and len(rows) == 1:
        says = _read_other_cell(plan, rows[0], column)
    return None if said or says is None else _make_verdict(plan, [*rows, *empty], column, says)


def _read_other_cell(plan: Plan, row: Row, column: str) -> bool | None:
    """Return yes for whoever a header says has it ("Lent to: Mira"), and for a number above zero of what is free."""
    cell = row.cells.get(column, "")
    asks_free = asks_what_is_free(plan)
    if is_blank(cell):
        return True if asks_free and is_of_holders(column) else None
    if is_free_column(plan.relation, column) and (value := read_value(cell)).key:
        return value.key[0] > 0
    is_given = (has_participle(column) or is_of_holders(column)) and read_verdict(cell) is None and not is_absent(cell)
    if not is_given or (asks_free and not is_of_holders(column)):
        return None
    return not asks_free


def _show_cell(plan: Plan, rows: list[Row], column: str, conditions: list[Condition]) -> Result | None:
    """Return the cell of the only row, without a verdict."""
    if len(rows) != 1 or column not in rows[0].cells or not is_safe_to_check(plan, says_yes=True):
        return None
    cell, named = " ".join(rows[0].cells[column].split()), dict.fromkeys(each.column for each in conditions)
    row = ", ".join(" ".join(rows[0].cells[name].split()) for name in named)
    headline = message("{row}, {column}: {value}", row=row, column=write_header(column), value=cell)
    return Result(headline, (rows[0],), is_open=True)


def _read_answer(cell: str, asked_words: set[str]) -> bool | None:
    """Return what a cell answers to a question with these words; None if it gives no answer."""
    first = next((word.folded for word in split_words(cell)), "")
    for pair in STATES:
        if first in pair:
            named = [state for state in pair if state in asked_words]
            return named[0] == first if len(named) == 1 else None
    verdict = read_verdict(cell)
    succeeds, fails = bool(asked_words & SUCCESS_WORDS), bool(asked_words & FAILURE_WORDS)
    if verdict is None or (succeeds and fails):
        return None
    if is_test_result(cell):
        return verdict is succeeds if succeeds or fails else None
    return None if fails else verdict


def _check_value(plan: Plan, conditions: list[Condition]) -> Result | None:
    """Return whether the cell of a named column is the value of the question ("Is the limit for Belgium €155?")."""
    asked_words = {word.folded for word in plan.question.words}
    values = [condition for condition in conditions if _is_named(condition.column, asked_words)]
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


def find_things_of_row(plan: Plan) -> Result | None:
    """Return the columns in which the only row says yes, if its columns are what is counted or listed.

    "Which controllers have a battery" of a table with a column for each controller. "Which have no battery" asks for
    those in which it says no.
    """
    if not plan.subject or [each.column for each in plan.conditions] != list(plan.relation.columns[:1]):
        return None
    [condition], first = plan.conditions, plan.relation.columns[0]
    rows = [row for row in plan.relation.rows if replace(condition, is_negated=False).holds(row.cells.get(first, ""))]
    if len(rows) != 1 or plan.subject[-1].folded in {word.folded for word in split_words(first)}:
        return None
    cells = {column: cell for column, cell in rows[0].cells.items() if column != first and not is_blank(cell)}
    verdicts = {column: verdict for column, cell in cells.items() if (verdict := read_verdict(cell)) is not None}
    left = [word for word in plan.unbound if word not in plan.subject]
    of_row = {word.folded for word in split_words(rows[0].cells[first])}
    if len(verdicts) < max(_LEAST_VERDICTS, len(cells)) or not all(has_same_noun(word.folded, of_row) for word in left):
        return None
    wants = not condition.is_negated
    meant = [column for column, verdict in verdicts.items() if verdict is wants]
    name, total, columns = rows[0].cells[first], len(verdicts), ", ".join(meant)
    if not meant:
        headline = message("In the row “{name}”, none of the {total} columns says yes.", name=name, total=total)
        return Result(headline, (rows[0],)) if wants else None
    if wants:
        headline = plural(
            "“{name}” has {count} of {total}: {columns}",
            "“{name}” has {count} of {total}: {columns}",
            len(meant),
            name=name,
            total=total,
            columns=columns,
        )
    else:
        headline = plural(
            "{count} of {total} without “{name}”: {columns}",
            "{count} of {total} without “{name}”: {columns}",
            len(meant),
            name=name,
            total=total,
            columns=columns,
        )
    return Result(headline, (rows[0],))


def _is_named(column: str, asked_words: set[str]) -> bool:
    return any(word.folded in asked_words for word in split_words(column) if word.is_content)


def _find_only_row(plan: Plan, conditions: list[Condition]) -> Row | None:
    rows = [row for row in plan.relation.rows if fulfils(row, conditions)] if conditions else []
    return rows[0] if len(rows) == 1 else None


def _make_verdict(plan: Plan, rows: list[Row], column: str, says_yes: bool) -> Result | None:
    if not is_safe_to_check(plan, says_yes):
        return None
    row = rows[0]
    cell = " ".join(row.cells.get(column, "").split()) or "–"
    if says_yes and is_of_holders(column) and is_blank(row.cells.get(column, "")):
        return make_verdict(says_yes, message("nobody under “{column}”", column=column), rows)
    cell = cell if len(cell) <= _CELL_CHARS else cell[:_CELL_CHARS].rpartition(" ")[0] + "…"
    reason = f"{row.cells[VALUE]}, {column}: {cell}" if VALUE in row.cells else f"{column}: {cell}"
    return make_verdict(says_yes, reason, rows)
