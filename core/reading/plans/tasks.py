"""Task lists: the items that are done or open.

The task lists of a page are joined into one relation, with the heading over an item as its section: "which tasks of the
first day are open" selects a section, "which are open" all. An item is open by its checkbox, not by its words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.model import Evidence
from core.reading.plans.conditions import Condition
from core.reading.plans.plan import Plan
from core.reading.questions.limits import Comparison
from core.reading.questions.row_question import RowQuestion
from core.reading.relations.relation import Relation
from core.reading.relations.rows import CHECKBOXES, DONE, SECTION, Row
from core.reading.words import fold_words

_OPEN = frozenset(
    """open undone unticked unchecked unfinished outstanding pending remaining incomplete left todo
    offen offene offenen offener ausstehend ausstehende ausstehenden unerledigt unerledigte
    unerledigten übrig""".split()
)
DONE_WORDS = frozenset(
    """done ticked checked finished completed complete closed tick ticks checkmark checkmarks
    erledigt erledigte erledigten abgehakt abgehakte abgehakten fertig abgeschlossen häkchen haken""".split()
)
STATE_WORDS = _OPEN | DONE_WORDS
TASKS = frozenset(
    """task tasks item items action actions measure measures point points todo todos step steps follow followup
    followups ups
    aufgabe aufgaben punkt punkte maßnahme maßnahmen schritt schritte""".split()
)
_ACTION_HEADINGS = frozenset(
    """action,actions,action items,follow up actions,follow ups,measures,next steps,task,tasks,todo,todos,to do,to dos
    aufgabe,aufgaben,maßnahme,maßnahmen,nächste schritte""".replace("\n    ", ",").split(",")
)
"""Headings of tables with tasks, folded."""
"""Names for the items of a task list, whatever the list is called; "follow" and "ups" are read of "follow-ups"."""


def join_task_lists(relations: Iterable[Relation]) -> list[Relation]:
    """Return the relations with the task lists of each page as one."""
    joined: list[Relation] = []
    lists: dict[str, list[Relation]] = defaultdict(list)
    for relation in relations:
        if DONE in relation.columns:
            lists[relation.page_id].append(relation)
        else:
            joined.append(relation)
    return [*joined, *(_join(found) if len(found) > 1 else found[0] for found in lists.values())]


def _join(lists: Sequence[Relation]) -> Relation:
    rows = tuple(_add_section(row, each) for each in lists for row in each.rows)
    return replace(
        lists[0],
        heading_path=(),
        introduction="",
        columns=tuple(dict.fromkeys(name for row in rows for name in row.cells)),
        rows=rows,
        total=sum(each.total for each in lists),
        rank=min(each.rank for each in lists),
    )


def _add_section(row: Row, relation: Relation) -> Row:
    above = [*relation.heading_path, row.cells.get(SECTION, "")]
    section = " > ".join(name for name in above if name)
    return replace(row, cells={**row.cells, SECTION: section}) if section else row


def is_task_list(evidence: Evidence) -> bool:
    """Whether an evidence is a list, or a piece of one, with checkboxes."""
    structure = evidence.structure
    return evidence.kind == "list" and structure is not None and any(each in CHECKBOXES for each in structure.labels)


def asks_for_state(row_question: RowQuestion) -> bool:
    """Whether a question counts or lists rows by a word for done or open."""
    return row_question.operation.is_on_rows and any(word.folded in STATE_WORDS for word in row_question.words)


def add_state(plan: Plan) -> Plan:
    """Return the plan with the state that the question names, if its relation is a task list; else unchanged."""
    if DONE not in plan.relation.columns:
        return plan
    asked_words = {word.folded for word in plan.question.words}
    is_open, is_done = bool(asked_words & _OPEN), bool(asked_words & DONE_WORDS)
    if is_open is is_done:
        return plan
    wants_done = is_done is (plan.question.negated is None)
    wanted = Comparison.POSITIVE if wants_done else Comparison.NEGATIVE
    return replace(plan, conditions=(*plan.conditions, Condition(DONE, "", wanted, 1.0)))


def find_words_for_tasks(plan: Plan) -> frozenset[str]:
    """Return words that the task list need not have."""
    has_state = any(condition.column == DONE for condition in plan.conditions)
    return STATE_WORDS | TASKS if has_state else frozenset()


def find_words_for_actions(plan: Plan) -> frozenset[str]:
    """Return the words for tasks if the table is one of them: "measures" of a table below "Actions"."""
    heading = " ".join(fold_words(" ".join(plan.relation.heading_path[-1:])))
    return TASKS if heading in _ACTION_HEADINGS else frozenset()
