"""Verdicts from a column of states: "is the vendor approved?" of a row with "Status: under review".

The same state, or another word for it, is yes. A state that excludes the one that is asked for is no: what is planned
or rejected is not released. Of any other state only the cell is returned, since "in progress" may count as "open".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.i18n import message
from core.reading.plans.conditions import Condition, fulfils
from core.reading.plans.plan import Plan
from core.reading.plans.plan_facts import has_unbound_name, names_record
from core.reading.plans.states import KNOWN_STATES, SAME_STATES, StateGroup, find_state_group, is_column_of_states
from core.reading.questions.limits import OF_WORDS
from core.reading.relations.marks import is_blank
from core.reading.relations.rows import Row
from core.reading.results.result import Result, make_verdict
from core.reading.words import STATE_ADVERBS, fold_words

_UNFINISHED = re.compile(r"(?i)open|pending|drafts?|todo|to do|offen|ausstehend|entwurf|(?:in|under) \w+")
"""States that end when something is done: what is released was planned, too, but is not open."""
_RESULTS = frozenset({StateGroup.DONE, StateGroup.APPROVED, StateGroup.RELEASED})
_EXCLUDED = {
    **dict.fromkeys(_RESULTS, frozenset({StateGroup.NOT_YET, StateGroup.DENIED})),
    StateGroup.ACTIVE: frozenset({StateGroup.NOT_YET, StateGroup.ENDED}),
    StateGroup.NOT_YET: _RESULTS | {StateGroup.ACTIVE, StateGroup.DENIED, StateGroup.ENDED},
    StateGroup.DENIED: _RESULTS | {StateGroup.ACTIVE, StateGroup.NOT_YET},
    StateGroup.ENDED: _RESULTS - {StateGroup.DONE} | {StateGroup.ACTIVE, StateGroup.NOT_YET},
}
"""For each group of states, the groups that answer no to a question for one of its states."""


def find_state_verdict(plan: Plan) -> Result | None:
    """Return yes or no from the only column of states in the row that the question names; None for other questions."""
    columns = [column for column in plan.relation.columns if is_column_of_states(plan.relation, column)]
    if len(columns) != 1 or has_unbound_name(plan) or plan.question.bounds:
        return None
    [column] = columns
    on_state = [each for each in plan.conditions if each.column == column]
    others = [each for each in plan.conditions if each.column != column]
    row = _find_row(plan, others)
    asked = _find_asked_state(plan, on_state)
    if row is None or not asked or not _is_accounted_for(plan, asked) or is_blank(row.cells.get(column, "")):
        return None
    cell = " ".join(row.cells[column].split())
    says = _compare(asked, cell)
    if says is None:
        return Result(message("{row}", row=f"{column}: {cell}"), (row,), is_open=True)
    return make_verdict(says, f"{column}: {cell}", (row,))


def _find_row(plan: Plan, others: Sequence[Condition]) -> Row | None:
    if plan.relation.is_record:
        return plan.relation.rows[0] if names_record(plan) else None
    rows = [row for row in plan.relation.rows if fulfils(row, others)] if others else []
    return rows[0] if len(rows) == 1 else None


def _find_asked_state(plan: Plan, on_state: Sequence[Condition]) -> str:
    """Return the state that the question asks for: a cell of the column, or a word for a state; "" for none."""
    values = [each.value for each in on_state if each.comparison in OF_WORDS]
    if len(on_state) == len(values) == 1:
        whole = (
            cell for cell in plan.relation.get_cells(on_state[0].column) if fold_words(cell) == fold_words(values[0])
        )
        return next(whole, "")
    if on_state:
        return ""
    said = [match[0] for pattern in KNOWN_STATES.values() if (match := pattern.search(plan.question.text))]
    return said[0] if len(said) == 1 else ""


def _is_accounted_for(plan: Plan, asked: str) -> bool:
    """Whether the row and the state are all that the question says."""
    known = {*fold_words(asked), *STATE_ADVERBS}
    return all(word.folded in known for word in plan.unbound)


def _compare(asked: str, cell: str) -> bool | None:
    """Return whether a state is the one that is asked for, None if that is not clear."""
    if fold_words(asked) == fold_words(cell):
        return True
    one, other = find_state_group(asked), find_state_group(cell)
    if one is None or other is None or (one is StateGroup.NOT_YET and not _UNFINISHED.fullmatch(asked)):
        return None
    if one == other and one in SAME_STATES:
        return True
    return False if other in _EXCLUDED[one] else None
