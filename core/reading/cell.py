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
from core.reading.plan import Plan, Result
from core.reading.question import MOST_WORDS, Operation, RowQuestion, is_yes_no_question, read_question
from core.reading.relation import OWN_COLUMNS, Relation, Row
from core.reading.safety import has_unbound_name
from core.reading.words import split_words

_ASKS_FOR_MORE = re.compile(
    r"(?i)\b(?:why|how (?:to|do|does|did|can|could|should|is|are|was|were)|who(?:m|se)?|not|n['’]t|no|never|without"
    r"|except|and|or|all|each|every|any|more|less|than|between|warum|wieso|weshalb|wer|wem|wen|wessen|nicht|kein\w{0,2}|ohne"
    r"|außer|und|oder|alle\w?|jede\w?|mehr|weniger|als|zwischen"
    r"|wie (?!hoch|viele?|lange?|groß|weit|alt|schwer|teuer|oft|heißt)\w)\b"
)
_FIT = 0.6
_MOST_LEFT = 1  # ordinary word that the table need not account for: "when does it close"
_MOST_CELL_WORDS = 12


def read_cell_question(question: str) -> RowQuestion | None:
    """The question for one value; None where it asks for several, or for an operation on rows, or for a reason."""
    asked = read_question(question)
    if (asked and asked.operation is not Operation.LIST) or is_yes_no_question(question):
        return None
    if _ASKS_FOR_MORE.search(question):
        return None
    language, words = detect_language(question), split_words(question)
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
    cell = [word.folded for word in split_words(row.cells.get(condition.column, ""))]
    return condition.limit is None and cell == [word.folded for word in split_words(condition.value)]


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
        and all(word.folded in said for word in split_words(column) if word.is_name)
    }
    best = max(scores.values(), default=0.0)
    named = [column for column, score in scores.items() if score == best]
    return named[0] if best >= 1 and len(named) == 1 else ""


# ------------------------------------------------------------------------------------------- people


_WHO = re.compile(r"(?i)^\W*(?:(?:to|from|by|with|for|an|von|bei|mit|für) )?(?:who(?:m|se)?|wer|wem|wen|wessen)\b")
_NOT_ONE = re.compile(r"(?i)\b(?:not|n['’]t|no|never|without|most|least|than|nicht|kein\w{0,2}|ohne|meisten|als)\b")
_BETWEEN = re.compile(r"[\s,;/&+·]+|\b(?:and|und)\b")
_WHO_FIT = 0.6
_WHO_MOST_LEFT = 1  # ordinary word that the table need not account for: "who manages the account of"


def read_person_question(question: str) -> RowQuestion | None:
    """The question for a person; None where it asks for nobody, or for whoever is not something."""
    who = _WHO.search(question)
    language = detect_language(question)
    if who is None or language not in CATALOGUES or _NOT_ONE.search(question):
        return None
    words = split_words(question[who.end() :])
    return RowQuestion(Operation.PERSON, choose_catalogue(language), words, ()) if len(words) <= MOST_WORDS else None


def find_person(plan: Plan) -> tuple[Plan, Result] | None:
    """The row and the column of the person who is asked for; None where the plan does not name exactly one cell."""
    if has_unbound_name(plan) or plan.contradicts or plan.lists_values:
        return None
    if len(plan.unbound) > _WHO_MOST_LEFT or plan.fit < _WHO_FIT:
        return None
    rows = plan.find_rows()
    if len(rows) != 1 or not (plan.conditions or plan.relation.total == 1):
        return None
    column = _find_column_of_people(plan)
    if not column or not is_person(rows[0], column):
        return None
    headline = message("{name}", name=rows[0].cells[column])
    return replace(plan, target=column), Result(headline, tuple(rows))


def _find_column_of_people(plan: Plan) -> str:
    """The column of people that the question names, or the only one; "" where that is not clear."""
    taken = {condition.column for condition in plan.conditions}
    free = [column for column in plan.relation.columns if column not in taken and holds_people(plan.relation, column)]
    named = [column for column in free if column in plan.columns]
    if len(named) == 1:
        return named[0]
    return free[0] if len(free) == 1 and plan.conditions else ""


def holds_people(relation: Relation, column: str) -> bool:
    """Whether a column has people in most of its cells."""
    filled = [row for row in relation.rows if row.cells.get(column, "").strip()]
    return bool(filled) and sum(is_person(row, column) for row in filled) * 2 > len(filled)


def is_person(row: Row, column: str) -> bool:
    """Whether a cell has nothing but names of people whom the page mentions."""
    left = cell = row.cells.get(column, "")
    for person in sorted(row.ranked.evidence.people, key=lambda person: -len(person.name)):
        left = left.replace(person.name, " ")
    return left != cell and not _BETWEEN.sub("", left)
