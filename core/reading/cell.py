"""One cell: the value that a row has in a column, where a question names both: "the actual of IT".

The row is named by a whole cell, and by no other row's, the column by all words of its header. A question that names
only one of them is not read so: its row is quoted instead.
"""

from __future__ import annotations

import re
from dataclasses import replace

from core.i18n import message
from core.languages import CATALOGUES, choose_catalogue, detect_language
from core.reading.conditions import Condition, is_blank
from core.reading.measure import score_name
from core.reading.plan import Plan
from core.reading.question import MOST_WORDS, Operation, RowQuestion, asks_for_verdict, read_question
from core.reading.relation import OWN_COLUMNS, Row
from core.reading.result import Result
from core.reading.safety import has_unbound_name
from core.reading.words import words_of

_ASKS_FOR_MORE = re.compile(
    r"(?i)\b(?:why|how (?:to|do|does|did|can|could|should|is|are|was|were)|who(?:m|se)?|not|n['’]t|no|never|without"
    r"|except|and|or|all|each|every|any|more|less|than|between|warum|wieso|weshalb|wer|wem|wen|wessen|nicht|kein\w{0,2}|ohne"
    r"|außer|und|oder|alle\w?|jede\w?|mehr|weniger|als|zwischen"
    r"|wie (?!hoch|viele?|lange?|groß|weit|alt|schwer|teuer|oft|heißt)\w)\b"
)
_FIT = 0.6
_MOST_LEFT = 1  # ordinary word that the table need not account for: "when does it close"
_MOST_CELL_WORDS = 12


def read_cell(question: str) -> RowQuestion | None:
    """The question for one value; None where it asks for several, or for an operation on rows, or for a reason."""
    asked = read_question(question)
    if (asked and asked.operation is not Operation.LIST) or asks_for_verdict(question):
        return None
    if _ASKS_FOR_MORE.search(question):
        return None
    language, words = detect_language(question), words_of(question)
    if language not in CATALOGUES or len(words) > MOST_WORDS:
        return None
    return RowQuestion(Operation.CELL, choose_catalogue(language), words, ())


def find_cell(plan: Plan) -> tuple[Plan, Result] | None:
    """The cell, with its row; None where the plan does not name exactly one."""
    if plan.relation.kind != "table" or has_unbound_name(plan) or plan.contradicts or plan.lists_values:
        return None
    if len(plan.unbound) > _MOST_LEFT or plan.fit < _FIT:
        return None
    rows, column = plan.find_rows(), _find_column(plan)
    if len(rows) != 1 or not column or not any(_is_whole_cell(rows[0], each) for each in plan.conditions):
        return None
    cell = " ".join(rows[0].cells.get(column, "").split())
    if is_blank(cell) or len(cell.split()) > _MOST_CELL_WORDS:
        return None
    row = ", ".join(" ".join(rows[0].cells[each.column].split()) for each in plan.conditions)
    headline = message("{row}, {column}: {value}", row=row, column=column.replace(" > ", ", "), value=cell)
    return replace(plan, target=column, columns=(column,)), Result(headline, (rows[0],))


def _is_whole_cell(row: Row, condition: Condition) -> bool:
    cell = [word.folded for word in words_of(row.cells.get(condition.column, ""))]
    return condition.limit is None and cell == [word.folded for word in words_of(condition.value)]


def _find_column(plan: Plan) -> str:
    """The column whose header the question has in full, of several that with most words; "" where that is not one."""
    taken = {each.column for each in plan.conditions}
    asked = [word for word in plan.question.words if word.is_content]
    said = {word.folded for word in asked}
    scores = {
        column: score_name(column, asked)
        for column in plan.relation.columns
        if column not in taken
        and column not in OWN_COLUMNS
        and all(word.folded in said for word in words_of(column) if word.is_name)
    }
    best = max(scores.values(), default=0.0)
    named = [column for column, score in scores.items() if score == best]
    return named[0] if best >= 1 and len(named) == 1 else ""
