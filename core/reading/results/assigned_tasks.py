"""The tasks of a person: "what does Mara have to do" lists the rows in which she is in charge.

A table of tasks answers, by its first header or its heading: in a rota, a row is no task. So does a task list, whose
items say to whom they are assigned.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from core.reading.plans.conditions import Condition
from core.reading.plans.plan import Plan
from core.reading.plans.tasks import DONE_WORDS, TASKS
from core.reading.questions.limits import Comparison
from core.reading.questions.task_question import find_assignee
from core.reading.relations.people import find_assignees, find_names
from core.reading.relations.relation import Relation
from core.reading.relations.rows import CHECKBOXES, DONE, ITEM, OWN_COLUMNS, Row
from core.reading.results.result import Result, write_matching
from core.reading.words import IN_CHARGE, fold_words

_WHO = frozenset("who person people assignee assigned wer bearbeiter bearbeiterin bearbeitet durch".split())
_MAY_BE_NO_TASK = frozenset("action actions follow item items point points punkt punkte ups".split())
_DUE = frozenset("due deadline by until when date frist bis termin fällig datum status state stand".split())
_TICKED = CHECKBOXES["[x]"]
_STATE_CHARS = 20  # of a cell that says whether a task is done
_IN_CHARGE = IN_CHARGE | _WHO
_LIGHT = frozenset("the in of from on to for an a at der die das dem den in im aus von für bei".split())


def find_assigned_tasks(plans: Sequence[Plan]) -> tuple[Plan, Result] | None:
    """Return the rows or items of the only person with the name, of the only tasks that the question can mean.

    Return None if there are several, if a word is left, or if a table has tasks that are done. Items that are ticked
    are left out.
    """
    name = find_assignee(plans[0].question.text) if plans else frozenset[str]()
    having = [
        (plan, column, people)
        for plan in plans
        if name
        and (column := _find_column(plan.relation))
        and (people := _join({each for row in plan.relation.rows for each in _find_people(row, column, name)}))
        and _is_accounted_for(plan, people)
    ]
    tables = [each for each in having if each[1] != ITEM]
    having = tables if len(tables) == 1 else having
    if len(having) != 1 or len(having[0][2]) != 1:
        return None
    plan, column, (person,) = having[0]
    relation = plan.relation
    if column != ITEM and any(_is_done(cell) for row in relation.rows for cell in row.cells.values()):
        return None
    rows = tuple(row for row in relation.rows if _find_people(row, column, name) and row.cells.get(DONE) != _TICKED)
    if not rows:
        return None
    condition = Condition(column, person, Comparison.HAS, strength=1.0)
    plan = replace(plan, conditions=(condition,), fit=1.0, unbound=())
    return plan, Result(write_matching(plan, len(rows)), rows)


def _is_accounted_for(plan: Plan, people: Set[str]) -> bool:
    """Whether each word of the question is in the context of the tasks, or in the person's name."""
    known = {*fold_words(" ".join(people)), *fold_words(plan.relation.context), *_LIGHT}
    return all(word.folded in known for word in plan.question.words)


def _find_people(row: Row, column: str, name: Set[str]) -> list[str]:
    """Return the people of a row, or whom an item of a task list is assigned to, that have this name."""
    people = find_assignees(row) if column == ITEM else find_names(row, column)
    found = [each for each in people if name <= set(fold_words(each))]
    return sorted(found, key=len)[:1] if column == ITEM else found


def _join(people: Set[str]) -> Set[str]:
    """Return the people without shorter forms of the same name: "Mara" beside "Mara Lind"."""
    words = {each: set(fold_words(each)) for each in people}
    return {each for each in people if not any(words[each] < other for other in words.values())}


def _is_done(cell: str) -> bool:
    return len(cell) < _STATE_CHARS and not DONE_WORDS.isdisjoint(fold_words(cell))


def is_in_charge(column: str) -> bool:
    """Whether a header is that of a column with those who do something: "Owner", "Who", "Verantwortlich"."""
    return not _IN_CHARGE.isdisjoint(fold_words(column))


def _find_column(relation: Relation) -> str:
    """Return the only column of those in charge of the tasks of a table, or of the items of a task list; else ""."""
    if DONE in relation.columns:
        return ITEM
    columns = [column for column in relation.columns if column not in OWN_COLUMNS]
    in_charge = [column for column in columns if is_in_charge(column)]
    return in_charge[0] if len(in_charge) == 1 and in_charge != columns[:1] and _is_of_tasks(relation) else ""


def _is_of_tasks(relation: Relation) -> bool:
    """Whether the first column or the heading of a table is called tasks; actions and items need a date or state."""
    columns = [column for column in relation.columns if column not in OWN_COLUMNS]
    said = TASKS.intersection(fold_words(" ".join((*columns[:1], *relation.heading_path[-1:]))))
    is_due = not _DUE.isdisjoint(fold_words(" ".join(columns)))
    return (
        relation.kind == "table"
        and len(relation.rows) == relation.total
        and bool(said if is_due else said - _MAY_BE_NO_TASK)
    )
