"""Answers that are a person: "who owns the depot?".

The cell has to consist of names of people that the page mentions (:attr:`core.model.Evidence.people`). That a word
looks like a name is not enough, except in a column whose header says that its cells are the ones asked for: "Owner" for
"Who owns …?", "Verantwortlich" for "Wer ist … zuständig?". There a typed name or a team counts, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from core.i18n import message
from core.reading.plans.plan import Plan
from core.reading.plans.plan_facts import has_unbound_name, names_record
from core.reading.relations.people import find_names, holds_people
from core.reading.relations.relation import Relation
from core.reading.relations.rows import Row
from core.reading.results.result import Result
from core.reading.words import DEPUTIES, IN_CHARGE, LEADERS, Word, fold_words

_WHO_FIT = 0.6
_WHOLE_CELL = 0.8  # strength of a condition
_STEM_LETTERS = 3  # at least, that a verb and a noun share
_DOER_ENDINGS = ("er", "r", "or", "erin", "ung")
_VERB_ENDINGS = ("", "s", "es", "d", "ed", "ing", "t", "et", "en")
_OF_TEAMS = frozenset("department group name of project team abteilung der des gruppe projekt".split())
_QUALIFIED = re.compile(
    r"(?i)\b(?:acting|assistant|co|deputy|first|former|interim|last|next|previous|second|technical|vice|ehemalige[nrsm]?"
    r"|erste[nrsm]?|frühere[nrsm]?|nächste[nrsm]?|stellvertretende[nrsm]?|technische[nrsm]?)\b"
)
"""Before "lead": somebody else than who leads."""
_WHO_MOST_LEFT = 1  # ordinary word that the table need not have: "who manages the account of"


def find_person(plan: Plan) -> tuple[Plan, Result] | None:
    """Return the row and column of the person; None if the plan does not name exactly one cell."""
    if has_unbound_name(plan) or plan.contradicts or plan.lists_values:
        return None
    finds = (_find_doers, _find_owners, _find_deputies, _find_leaders)
    left = [word for word in plan.unbound if not any(find(word, plan.relation) for find in finds)]
    names_doer = len(left) < len(plan.unbound)
    if len(left) > _WHO_MOST_LEFT or (plan.fit < _WHO_FIT and (left or not names_doer)):
        return None
    rows = plan.find_rows()
    if len(rows) != 1 or not (plan.conditions or plan.relation.total == 1):
        return None
    if plan.relation.is_record and not names_record(plan):
        return None
    if left and all(condition.strength < _WHOLE_CELL for condition in plan.conditions):
        return None  # the word may be the rest of a name: "Project Heron" is not "Project Lark"
    column = _find_column_of_people(plan, rows[0])
    names = find_names(rows[0], column) if column else []
    if not names:
        return None
    headline = message("{name}", name=", ".join(names))
    return replace(plan, target=column), Result(headline, tuple(rows))


def _find_column_of_people(plan: Plan, row: Row) -> str:
    """Return the column of people that the question names, or the only one; "" if there is not exactly one.

    ``row``: in a column that only a word for leading tells, its cell has to be written like full names.
    """
    taken = {condition.column for condition in plan.conditions}
    others = [column for column in plan.relation.columns if column not in taken]
    free = [column for column in others if holds_people(plan.relation, column)]
    doers = {column for word in plan.question.words for column in _find_doers(word, plan.relation)}
    owners = {column for word in plan.question.words for column in _find_owners(word, plan.relation)}
    if deputies := {column for word in plan.question.words for column in _find_deputies(word, plan.relation)}:
        return deputies.pop() if len(deputies) == 1 and deputies <= set(others) else ""
    named = [column for column in free if column in plan.columns or column in doers]
    named = named or [column for column in free if column in owners]
    if len(named) == 1:
        return named[0]
    if len(free) == 1 and plan.conditions and not plan.relation.is_record:
        return free[0]
    typed = [column for column in others if column in doers or _is_asked_first(column, plan)] or [
        column for column in others if column in owners
    ]
    is_bound = all(word.folded in LEADERS for word in plan.unbound)
    if not typed and is_bound and not _QUALIFIED.search(plan.question.text):
        leading = {column for word in plan.question.words for column in _find_leaders(word, plan.relation)}
        typed = [column for column in others if column in leading and _has_full_name(row, column)]
    return typed[0] if not free and len(typed) == 1 else ""


def _has_full_name(row: Row, column: str) -> bool:
    """Whether a cell has names of two words or more: "Berlin" and "Copper" are none."""
    return all(len(name.split()) > 1 for name in find_names(row, column)) and bool(find_names(row, column))


def _is_asked_first(column: str, plan: Plan) -> bool:
    """Whether a question begins with the header: "who is the caretaker of the villa"."""
    header, asked_words = fold_words(column), [word.folded for word in plan.question.words if word.is_content]
    return bool(header) and tuple(asked_words[: len(header)]) == header


def _find_doers(word: Word, relation: Relation) -> list[str]:
    """Return the columns that name who does what a verb says: "owns" and "owned" name "Owner"."""
    stems = _find_stems(word.folded, _VERB_ENDINGS)
    return [column for column in relation.columns if stems & _find_stems(column.casefold(), _DOER_ENDINGS)]


def _find_deputies(word: Word, relation: Relation) -> list[str]:
    """Return the columns of those who stand in for others, if the word asks for them: "vertritt" names "Vertretung"."""
    return _find_role(DEPUTIES, word, relation)


def _find_owners(word: Word, relation: Relation) -> list[str]:
    """Return the columns of those who are in charge, if the word asks for them: "responsible" names "Owner"."""
    return _find_role(IN_CHARGE, word, relation)


def _find_leaders(word: Word, relation: Relation) -> list[str]:
    """Return the columns of those who lead, if the word asks for them; their headers say nothing else: "Team lead"."""
    columns = _find_role(LEADERS, word, relation)
    return [column for column in columns if all(each in LEADERS | _OF_TEAMS for each in fold_words(column))]


def _find_role(role: Set[str], word: Word, relation: Relation) -> list[str]:
    """Return the columns whose header has a word of the role, if the question's word is one."""
    columns = relation.columns if word.folded in role else ()
    return [column for column in columns if not role.isdisjoint(fold_words(column))]


def _find_stems(word: str, endings: Sequence[str]) -> set[str]:
    found = {word.removesuffix(ending) for ending in endings if word.endswith(ending)}
    return {stem for stem in found if len(stem) >= _STEM_LETTERS}
