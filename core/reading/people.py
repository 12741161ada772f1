"""Who: the person in the one cell that a question asks for.

A cell is a person where it has nothing but the names of people whom the page mentions
(:attr:`core.model.Evidence.people`). That a word looks like a name is never enough.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.i18n import message
from core.languages import CATALOGUES, choose_catalogue, detect_language
from core.reading.plan import Plan
from core.reading.question import MOST_WORDS, Operation, RowQuestion
from core.reading.relation import Relation, Row
from core.reading.result import Result
from core.reading.safety import has_unbound_name
from core.reading.words import Word, words_of

_WHO = re.compile(r"(?i)^\W*(?:(?:to|from|by|with|for|an|von|bei|mit|für) )?(?:who(?:m|se)?|wer|wem|wen|wessen)\b")
_NOT_ONE = re.compile(r"(?i)\b(?:not|n['’]t|no|never|without|most|least|than|nicht|kein\w{0,2}|ohne|meisten|als)\b")
_BETWEEN = re.compile(r"[\s,;/&+·]+|\b(?:and|und)\b")
_FIT = 0.6
_WHOLE_CELL = 0.8  # strength of a condition
_STEM = 3  # letters that a verb and a noun have in common
_DOER_ENDINGS = ("er", "r", "or", "erin")
_VERB_ENDINGS = ("", "s", "es", "d", "ed", "ing", "t", "et", "en")
_MOST_LEFT = 1  # ordinary word that the table need not account for: "who manages the account of"


def read_who(question: str) -> RowQuestion | None:
    """The question for a person; None where it asks for nobody, or for whoever is not something."""
    who = _WHO.search(question)
    language = detect_language(question)
    if who is None or language not in CATALOGUES or _NOT_ONE.search(question):
        return None
    words = words_of(question[who.end() :])
    return RowQuestion(Operation.PERSON, choose_catalogue(language), words, ()) if len(words) <= MOST_WORDS else None


def find_person(plan: Plan) -> tuple[Plan, Result] | None:
    """The row and the column of the person who is asked for; None where the plan does not name exactly one cell."""
    if has_unbound_name(plan) or plan.contradicts or plan.lists_values:
        return None
    left = [word for word in plan.unbound if not _find_doers(word, plan.relation)]
    names_doer = len(left) < len(plan.unbound)
    if len(left) > _MOST_LEFT or (plan.fit < _FIT and (left or not names_doer)):
        return None
    rows = plan.find_rows()
    if len(rows) != 1 or not (plan.conditions or plan.relation.total == 1):
        return None
    if left and all(condition.strength < _WHOLE_CELL for condition in plan.conditions):
        return None  # the word may be the rest of a name: "Project Heron" is not Project Lark
    column = _find_column(plan)
    if not column or not is_person(rows[0], column):
        return None
    headline = message("{name}", name=", ".join(_find_people(rows[0], column)))
    return replace(plan, target=column), Result(headline, tuple(rows))


def _find_column(plan: Plan) -> str:
    """The column of people that the question names, or the only one; "" where that is not clear."""
    taken = {condition.column for condition in plan.conditions}
    free = [column for column in plan.relation.columns if column not in taken and holds_people(plan.relation, column)]
    doers = {column for word in plan.question.words for column in _find_doers(word, plan.relation)}
    named = [column for column in free if column in plan.columns or column in doers]
    if len(named) == 1:
        return named[0]
    return free[0] if len(free) == 1 and plan.conditions else ""


def _find_doers(word: Word, relation: Relation) -> list[str]:
    """The columns of those who do what a verb says: "owns" and "owned" name "Owner"."""
    stems = _find_stems(word.folded, _VERB_ENDINGS)
    return [column for column in relation.columns if stems & _find_stems(column.casefold(), _DOER_ENDINGS)]


def _find_stems(word: str, endings: Sequence[str]) -> set[str]:
    found = {word.removesuffix(ending) for ending in endings if word.endswith(ending)}
    return {stem for stem in found if len(stem) >= _STEM}


def holds_people(relation: Relation, column: str) -> bool:
    """Whether a column has people in most of its cells."""
    filled = [row for row in relation.rows if row.cells.get(column, "").strip()]
    return bool(filled) and sum(is_person(row, column) for row in filled) * 2 > len(filled)


def is_person(row: Row, column: str) -> bool:
    """Whether a cell has nothing but names of people whom the page mentions."""
    left = row.cells.get(column, "")
    named = _find_people(row, column)
    for name in sorted(named, key=len, reverse=True):
        left = left.replace(name, " ")
    return bool(named) and not _BETWEEN.sub("", left)


def _find_people(row: Row, column: str) -> list[str]:
    """The names of people in a cell, in their order: nothing need stand between two mentions."""
    names = sorted({person.name for person in row.ranked.evidence.people if person.name}, key=len, reverse=True)
    found = re.findall("|".join(map(re.escape, names)), row.cells.get(column, "")) if names else []
    return list(dict.fromkeys(found))
