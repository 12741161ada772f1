"""Columns of test results ("Pass", "FAIL"), and those that "any", "all" and "other" are about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.reading.plans.distinct_columns import find_named_columns
from core.reading.questions.quantifier import Quantifier
from core.reading.questions.row_question import RowQuestion
from core.reading.relations.marks import is_blank, is_test_result
from core.reading.relations.relation import Relation
from core.reading.relations.rows import OWN_COLUMNS, Row
from core.reading.words import split_words

_LEAST_RESULTS = 0.5  # share of a result column's filled cells that begin with "Pass" or "Fail"
_RESULT_WORDS = 3  # of another value of a result column: "PWE", "not tested"
_RESULT_ENDS = re.compile(r"[;:(,\n]| [-–—] ")
_LEAST_ROWS = 2


def find_result_column(relation: Relation, rows: Sequence[Row]) -> str:
    """Return the only column of :func:`find_result_columns`; "" if there is not exactly one."""
    found = find_result_columns(relation, rows)
    return found[0] if len(found) == 1 else ""


def find_result_columns(relation: Relation, rows: Sequence[Row]) -> list[str]:
    """Return the columns of test results ("Pass", "FAIL", "PWE") that are filled in some of the rows."""
    return [
        column
        for column in relation.columns
        if column not in OWN_COLUMNS
        and any(not is_blank(row.cells.get(column, "")) for row in rows)
        and _holds_results(relation, column)
    ]


def find_quantified_column(row_question: RowQuestion, relation: Relation) -> str:
    """Return the column whose values "all" or "other" is about; "" if the question does not name exactly one."""
    if not row_question.quantity or row_question.quantity.quantifier is Quantifier.ANY or relation.kind != "table":
        return ""
    named = find_named_columns(row_question, relation) if row_question.subject else []
    return named[0] if len(named) == 1 else ""


def _holds_results(relation: Relation, column: str) -> bool:
    filled = [cell for row in relation.rows if not is_blank(cell := row.cells.get(column, ""))]
    others = [cell for cell in filled if not is_test_result(cell)]
    is_short = all(len(write_result(cell).split()) <= _RESULT_WORDS for cell in others)
    return len(filled) >= _LEAST_ROWS and len(filled) - len(others) >= _LEAST_RESULTS * len(filled) and is_short


def write_result(cell: str) -> str:
    """Return the result at the beginning of a cell: of "PWE; see OXT-7" only "PWE"; "" of a blank cell."""
    words = split_words(cell)
    if words and is_test_result(cell):
        return words[0].text
    return "" if is_blank(cell) else " ".join(_RESULT_ENDS.split(cell)[0].split())
