"""Verdicts from a column of states: "is the vendor approved?" of a row with "Status: under review".

The same state, or another word for it, is yes. A state that excludes the one that is asked for is no: what is planned
or rejected is not released. Of any other state only the cell is returned, since "in progress" may count as "open".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from core.i18n import message
from core.reading.plans.conditions import Condition, fulfils
from core.reading.plans.plan import Plan
from core.reading.plans.plan_facts import has_unbound_name, names_record
from core.reading.questions.limits import OF_WORDS
from core.reading.relations.marks import is_blank
from core.reading.relations.relation import Relation
from core.reading.relations.rows import Row
from core.reading.results.result import Result, make_verdict
from core.reading.words import fold_words

_HEADERS = frozenset("status state stage phase zustand stand decision entscheidung".split())
_MOST_WORDS = 4  # of a state
_EMPTY = frozenset("already yet still now currently schon bereits noch jetzt inzwischen mittlerweile derzeit".split())


class _Group(StrEnum):
    """States that are the same for a verdict, or of one kind."""

    DONE = "done"
    APPROVED = "approved"
    RELEASED = "released"
    ACTIVE = "active"
    NOT_YET = "not yet"
    DENIED = "denied"
    ENDED = "ended"


_STATES = {
    _Group.DONE: "done|finished|completed?|closed|resolved|fixed|erledigt|abgeschlossen|fertig|geschlossen|behoben"
    "|gelöst|umgesetzt",
    _Group.APPROVED: "approved|accepted|granted|freigegeben|genehmigt|akzeptiert|angenommen|zugelassen",
    _Group.RELEASED: "released|shipped|live|deployed|published|veröffentlicht|ausgeliefert",
    _Group.ACTIVE: "active|running|in use|in operation|aktiv|in betrieb|in benutzung",
    _Group.NOT_YET: "open|pending|planned|proposed|drafts?|todo|to do|new|waiting|requested|scheduled|backlog|wip"
    "|not (?:started|yet)|(?:in|under) (?:progress|review|testing|test|development|work|evaluation|discussion)"
    "|offen|geplant|vorgeschlagen|entwurf|ausstehend|beantragt|neu|nicht begonnen"
    "|in (?:arbeit|prüfung|bearbeitung|vorbereitung|planung|klärung|abstimmung|entwicklung|umsetzung|test)",
    _Group.DENIED: "rejected|declined|denied|cancell?ed|withdrawn|abgelehnt|abgebrochen|storniert|zurückgezogen"
    "|gesperrt",
    _Group.ENDED: "deprecated|retired|expired|decommissioned|inactive|obsolete|superseded|switched off|abgeschaltet"
    "|abgekündigt|abgelaufen|stillgelegt|veraltet|inaktiv|ausgemustert",
}
_KNOWN = {group: re.compile(rf"(?i)\b(?:{words})\b") for group, words in _STATES.items()}
_UNFINISHED = re.compile(r"(?i)open|pending|drafts?|todo|to do|offen|ausstehend|entwurf|(?:in|under) \w+")
"""States that end when something is done: what is released was planned, too, but is not open."""
_SAME = {_Group.DONE, _Group.APPROVED, _Group.RELEASED, _Group.ACTIVE}
"""Groups of which all words say the same."""
_RESULTS = frozenset({_Group.DONE, _Group.APPROVED, _Group.RELEASED})
_EXCLUDED = {
    **dict.fromkeys(_RESULTS, frozenset({_Group.NOT_YET, _Group.DENIED})),
    _Group.ACTIVE: frozenset({_Group.NOT_YET, _Group.ENDED}),
    _Group.NOT_YET: _RESULTS | {_Group.ACTIVE, _Group.DENIED, _Group.ENDED},
    _Group.DENIED: _RESULTS | {_Group.ACTIVE, _Group.NOT_YET},
    _Group.ENDED: _RESULTS - {_Group.DONE} | {_Group.ACTIVE, _Group.NOT_YET},
}
"""For each group of states, the groups that answer no to a question for one of its states."""


def find_state_verdict(plan: Plan) -> Result | None:
    """Return yes or no from the only column of states in the row that the question names; None for other questions."""
    columns = [column for column in plan.relation.columns if _is_column_of_states(plan.relation, column)]
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


def _is_column_of_states(relation: Relation, column: str) -> bool:
    """Whether a header says that its cells are states, and they are short."""
    cells = [cell for cell in relation.get_cells(column) if not is_blank(cell)]
    is_short = all(len(cell.split()) <= _MOST_WORDS for cell in cells)
    return bool(cells) and is_short and not _HEADERS.isdisjoint(fold_words(column))


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
    said = [match[0] for pattern in _KNOWN.values() if (match := pattern.search(plan.question.text))]
    return said[0] if len(said) == 1 else ""


def _is_accounted_for(plan: Plan, asked: str) -> bool:
    """Whether the row and the state are all that the question says."""
    known = {*fold_words(asked), *_EMPTY}
    return all(word.folded in known for word in plan.unbound)


def _compare(asked: str, cell: str) -> bool | None:
    """Return whether a state is the one that is asked for, None if that is not clear."""
    if fold_words(asked) == fold_words(cell):
        return True
    one, other = _find_group(asked), _find_group(cell)
    if one is None or other is None or (one is _Group.NOT_YET and not _UNFINISHED.fullmatch(asked)):
        return None
    if one == other and one in _SAME:
        return True
    return False if other in _EXCLUDED[one] else None


def _find_group(state: str) -> _Group | None:
    """Return the only group of which a state is a word, None for "approved with conditions"."""
    found = [group for group, pattern in _KNOWN.items() if pattern.fullmatch(state.strip(" .!"))]
    return found[0] if len(found) == 1 else None
