"""Who does a task: the person in the row of a cell that says what the question says.

"Who asks the tram company about its timetable?" is answered by the owner of "Ask the tram company of Leiden about its
timetable". A cell has to have all words of the question, the verb too, so that nothing is guessed from a few of them.
"""

from __future__ import annotations

import re
from dataclasses import replace

from core.i18n import message
from core.reading.plans.conditions import Condition
from core.reading.plans.plan import Plan
from core.reading.questions.limits import Comparison
from core.reading.relations.people import find_names, holds_people
from core.reading.relations.relation import Relation
from core.reading.relations.rows import OWN_COLUMNS, Row
from core.reading.results.result import Result
from core.reading.words import IN_CHARGE, Word, fold_words, is_related
from core.text import is_stopword

_LEAST_WORDS = 2  # of the question: a verb and what it is about
_WHO_DOES = re.compile(r"(?i)^\W*(?:(?:so|and|und|hey|hi) )?(?:who|wer)\b")
_TO_WHOM = re.compile(
    r"(?i)\b(?:do|does|did|wird|werden|wurden?|worden|sei[dn]?)\b"
    r"|\b(?:should|can|could|must|may|might|shall|will|would)"
    r" (?:i|we|you|they|he|she|it|one|people|the|an?|my|our|your)\b"
    r"|\b(?:is|are|was|were|be|been|being|gets?|got)\b (?:\w+ )?\w+e[dn]\b"
)
"""Questions in which somebody else does it: "who do I ask", "who should the team ask", "who is invited"."""


def find_doer(question: str, plan: Plan) -> tuple[Plan, Result] | None:
    """Return the row and column of the person who does what a question says; None if not exactly one cell says it."""
    if not _WHO_DOES.match(question) or _TO_WHOM.search(question):
        return None
    asked_words = [word for word in plan.question.words if not is_stopword(word.folded)]
    if len(asked_words) < _LEAST_WORDS:
        return None
    found = [
        (row, column)
        for row in plan.relation.rows
        for column in plan.relation.columns
        if column not in OWN_COLUMNS and _says(row.cells.get(column, ""), asked_words)
    ]
    if len(found) != 1:
        return None
    row, task = found[0]
    column = _find_column(plan.relation, row, task)
    if not column:
        return None
    condition = Condition(task, row.cells[task], Comparison.IS, strength=1.0)
    headline = message("{name}", name=", ".join(find_names(row, column)))
    plan = replace(plan, conditions=(condition,), fit=1.0, unbound=(), target=column)
    return plan, Result(headline, (row,))


def _says(cell: str, asked_words: list[Word]) -> bool:
    """Whether a cell has each of the words, in any form."""
    words = fold_words(cell)
    return all(any(is_related(word.folded, each) for each in words) for word in asked_words)


def _find_column(relation: Relation, row: Row, task: str) -> str:
    """Return the only column of people, or of those in charge by its header; "" if the row names nobody there."""
    others = [column for column in relation.columns if column not in {task, *OWN_COLUMNS}]
    people = [column for column in others if holds_people(relation, column)]
    people = people or [column for column in others if not IN_CHARGE.isdisjoint(fold_words(column))]
    return people[0] if len(people) == 1 and find_names(row, people[0]) else ""
