"""States in the cells of a table, in groups whose words say the same: "done" and "finished".

A question may have another word of the group than the table: "which measures are not finished" of a status "DONE".
"""

from __future__ import annotations

import re
from enum import StrEnum

from core.reading.plans.translation import replace_phrases
from core.reading.questions.row_question import RowQuestion
from core.reading.relations.marks import is_blank
from core.reading.relations.relation import Relation
from core.reading.words import STATE_ADVERBS, fold_words

_HEADERS = frozenset("status state stage phase zustand stand decision entscheidung".split())
_MOST_WORDS = 4  # of a state


class StateGroup(StrEnum):
    """States that are the same for a verdict, or of one kind."""

    DONE = "done"
    APPROVED = "approved"
    RELEASED = "released"
    ACTIVE = "active"
    NOT_YET = "not yet"
    DENIED = "denied"
    ENDED = "ended"


_STATES = {
    StateGroup.DONE: "done|finished|completed?|closed|resolved|fixed|erledigt|abgeschlossen|fertig|geschlossen|behoben"
    "|gelöst|umgesetzt",
    StateGroup.APPROVED: "approved|accepted|granted|freigegeben|genehmigt|akzeptiert|angenommen|zugelassen",
    StateGroup.RELEASED: "released|shipped|live|deployed|published|veröffentlicht|ausgeliefert",
    StateGroup.ACTIVE: "active|running|in use|in operation|aktiv|in betrieb|in benutzung",
    StateGroup.NOT_YET: "open|pending|planned|proposed|drafts?|todo|to do|new|waiting|requested|scheduled|backlog|wip"
    "|not (?:started|yet)|(?:in|under) (?:progress|review|testing|test|development|work|evaluation|discussion)"
    "|offen|geplant|vorgeschlagen|entwurf|ausstehend|beantragt|neu|nicht begonnen"
    "|in (?:arbeit|prüfung|bearbeitung|vorbereitung|planung|klärung|abstimmung|entwicklung|umsetzung|test)",
    StateGroup.DENIED: "rejected|declined|denied|cancell?ed|withdrawn|abgelehnt|abgebrochen|storniert|zurückgezogen"
    "|gesperrt",
    StateGroup.ENDED: "deprecated|retired|expired|decommissioned|inactive|obsolete|superseded|switched off|abgeschaltet"
    "|abgekündigt|abgelaufen|stillgelegt|veraltet|inaktiv|ausgemustert",
}
KNOWN_STATES = {group: re.compile(rf"(?i)\b(?:{words})\b") for group, words in _STATES.items()}
SAME_STATES = {StateGroup.DONE, StateGroup.APPROVED, StateGroup.RELEASED, StateGroup.ACTIVE}
"""Groups of which all words say the same."""


def is_column_of_states(relation: Relation, column: str) -> bool:
    """Whether a header says that its cells are states, and they are short."""
    cells = [cell for cell in relation.get_cells(column) if not is_blank(cell)]
    is_short = all(len(cell.split()) <= _MOST_WORDS for cell in cells)
    return bool(cells) and is_short and not _HEADERS.isdisjoint(fold_words(column))


def find_state_group(state: str) -> StateGroup | None:
    """Return the only group of which a state is a word, None for "approved with conditions"."""
    found = [group for group, pattern in KNOWN_STATES.items() if pattern.fullmatch(state.strip(" .!"))]
    return found[0] if len(found) == 1 else None


def write_states(question: RowQuestion, relation: Relation) -> RowQuestion:
    """Return a question for rows with the relation's word for a state in place of another word that says the same.

    Only if the relation has one column of states, and one state of that group.
    """
    columns = [column for column in relation.columns if is_column_of_states(relation, column)]
    if len(columns) != 1 or not question.operation.is_on_rows:
        return question
    states = {" ".join(fold_words(cell)): cell for cell in relation.get_cells(columns[0]) if not is_blank(cell)}
    known: dict[tuple[str, ...], str] = {}
    for at, word in enumerate(question.words):
        group = find_state_group(word.folded) if _is_state_of_rows(question, at) else None
        alike = [cell for cell in states.values() if group in SAME_STATES and find_state_group(cell) == group]
        if len(alike) == 1 and word.folded not in relation.vocabulary:
            known[word.folded,] = alike[0].lower()  # in capitals it would be a name
    return replace_phrases(question, known) if known else question


def _is_state_of_rows(question: RowQuestion, at: int) -> bool:
    """Whether a word ends the question or is before what the rows are: not "a fixed price", "the complete list"."""
    following = next((word for word in question.words[at + 1 :] if word.folded not in STATE_ADVERBS), None)
    return following is None or following in question.subject
