"""The tasks of a person: "what does Mara have to do" lists the rows in which she is in charge.

Only a table of tasks answers, by its first header or its heading. In a rota, a row is no task.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from core.languages import LanguageCode, choose_catalogue
from core.reading.plans.conditions import Condition
from core.reading.plans.plan import Plan, Result, write_matching
from core.reading.plans.tasks import DONE_WORDS, TASKS
from core.reading.questions.limits import Comparison
from core.reading.questions.question import Operation, RowQuestion
from core.reading.relations.people import find_names
from core.reading.relations.relation import Relation
from core.reading.relations.rows import OWN_COLUMNS, Row
from core.reading.words import DENIALS, IN_CHARGE, fold_words, split_words
from core.text_caches import cache_texts

_NAME = r"(?P<name>[^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*){0,3}?)"
_BEGIN = r"(?i)^\W*(?:(?:so|and|und|hey|hi) )?"
_TASK = r"(?:action items?|actions?|tasks?|to-?dos?|aufgaben?|ma(?:ß|ss)nahmen?|action points?)(?: (?:list|liste))?"
_ENGLISH = (
    rf"what(?: else| all)? (?:do|does|did) {_NAME} (?:still |now )?(?:have|need|get) to (?:do|finish|take care of)",
    rf"what (?:must|should|shall|has|will) {_NAME} (?:still |now )?(?:to )?(?:do|finish|take care of)",
    rf"what (?:is|was) {_NAME} (?:still |now )?(?:supposed|meant|asked|expected) to (?:do|finish)",
    rf"what(?:['’]s| is| was) (?:still )?on {_NAME}['’]s? (?:plate|list)",
    rf"(?:what (?:are|were) )?{_NAME}['’]s? {_TASK}",
    rf"(?:what (?:are|were) )?(?:the |all )?{_TASK} (?:of|for|assigned to) {_NAME}",
)
_GERMAN = (
    rf"was (?:alles )?(?:muss|musste|soll|sollte|hat|hatte) {_NAME} (?:noch |alles |jetzt ){{0,2}}"
    r"(?:zu )?(?:machen|tun|erledigen)",
    rf"(?:was sind )?(?:die )?(?P<owner>[^\W\d_]{{2,30}}?)s {_TASK}",
    rf"(?:was sind )?(?:die |alle )?{_TASK} (?:von|für) {_NAME}",
)
_QUESTIONS = tuple(
    (language, re.compile(rf"{_BEGIN}{pattern}(?P<rest>\W.*)?$"))
    for language, patterns in (("en", _ENGLISH), ("de", _GERMAN))
    for pattern in patterns
)
_DENIAL = re.compile(rf"(?i)\b(?:{DENIALS}|never)\b")
_WHO = frozenset("who person people assignee assigned wer bearbeiter bearbeiterin bearbeitet durch".split())  # noqa: SIM905
_MAY_BE_NO_TASK = frozenset("action actions item items point points punkt punkte".split())  # noqa: SIM905
_DUE = frozenset("due deadline by until when date frist bis termin fällig datum status state stand".split())  # noqa: SIM905
_STATE_CHARS = 20  # of a cell that says whether a task is done
_IN_CHARGE = IN_CHARGE | _WHO
_LIGHT = frozenset("the in of from on to for an a at der die das dem den in im aus von für bei".split())  # noqa: SIM905


@cache_texts(64)
def read_assigned_tasks(question: str) -> RowQuestion | None:
    """Return a question for what a person has to do, with the words after the name; None for any other."""
    found = _match(question)
    if found is None or _DENIAL.search(question):
        return None
    language, match = found
    words = split_words(match["rest"] or "")
    return RowQuestion(Operation.LIST, choose_catalogue(language), words, (), text=question)


def _match(question: str) -> tuple[LanguageCode, re.Match[str]] | None:
    found = ((language, pattern.match(question)) for language, pattern in _QUESTIONS)
    return next(((language, match) for language, match in found if match), None)


def find_assigned_tasks(plans: Sequence[Plan]) -> tuple[Plan, Result] | None:
    """Return the rows of the only person with the name in the only table of tasks that has one.

    None otherwise, if a word is left, and if some of the tasks are done.
    """
    found = _match(plans[0].question.text) if plans else None
    if found is None:
        return None
    groups = found[1].groupdict()
    name = set(fold_words(groups.get("name") or groups.get("owner") or ""))
    having = [
        (plan, column, people)
        for plan in plans
        if (column := _find_column(plan.relation))
        and (people := {each for row in plan.relation.rows for each in _find_people(row, column, name)})
    ]
    if not name or len(having) != 1 or len(having[0][2]) != 1:
        return None
    plan, column, (person,) = having[0]
    relation = plan.relation
    if any(_is_done(cell) for row in relation.rows for cell in row.cells.values()):
        return None
    known = {*fold_words(person), *fold_words(relation.context), *_LIGHT}
    if not all(word.folded in known for word in plan.question.words):
        return None
    rows = tuple(row for row in relation.rows if _find_people(row, column, name))
    condition = Condition(column, person, Comparison.HAS, strength=1.0)
    plan = replace(plan, conditions=(condition,), fit=1.0, unbound=())
    return plan, Result(write_matching(plan, len(rows)), rows)


def _find_people(row: Row, column: str, name: Set[str]) -> list[str]:
    """Return the people of a row that have this name."""
    return [each for each in find_names(row, column) if name <= set(fold_words(each))]


def _is_done(cell: str) -> bool:
    return len(cell) < _STATE_CHARS and not DONE_WORDS.isdisjoint(fold_words(cell))


def is_in_charge(column: str) -> bool:
    """Whether a header is that of a column with those who do something: "Owner", "Who", "Verantwortlich"."""
    return not _IN_CHARGE.isdisjoint(fold_words(column))


def _find_column(relation: Relation) -> str:
    """Return the only column of those in charge of the tasks of a table; "" for any other table."""
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
