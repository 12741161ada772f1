"""Persons: the text that names one, among those that match a question for a person nearly as well."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answering.extractive.order.contacts import find_contact
from core.answering.extractive.units import ScoredUnit, is_about_same, put_first
from core.model import RankedEvidence
from core.text import is_stopword
from core.wording.focus import Focus

_LETTERS = 3  # of a first or last name
_NEAR = 0.9  # of the best unit's score
_ROLE = re.compile(
    r"\b(?:HR|IT|CTO|CEO|CFO|COO|CIO)\b|(?i:\b(?:\w*(?:team|leads?|managers?|director|department"
    r"|officer|owner|office|desk|council|committee|board|group|author|engineer|colleague|employee|anyone|anybody|everyone|everybody|leitung|leiter|leiterin"
    r"|leitende|abteilung|dienst|referat|chef|chefin|amt|rat|vorstand|stelle|beauftragte[rn]?|mitarbeite\w+|kolleg\w+"
    r"|alle|jeder|personal|firma|company|supplier|vendor|hersteller)|hotline|support|person|head of|drivers?"
    r"|customers?|users?|members?)\b)"
)
"""A person or group by what they do."""

_FULL_NAME = re.compile(r"\b(?P<first>[A-ZÄÖÜ][a-zäöüßé]+)(?: [A-Z]\.)? (?:(?:van|de|da|di) )*[A-ZÄÖÜ][a-zäöüßé]+\b")


def put_persons_first(
    focus: Focus, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> list[ScoredUnit]:
    """Move to the front a unit that names a person, if one is asked for and the best unit has no person or group.

    The names are those that the pages mention. A role is a person too: "trips are approved by the team lead".
    """
    people = {person.name for ranked in evidences for person in ranked.evidence.people}
    names = {part for name in people for part in (name, *name.split()) if len(part) >= _LETTERS}
    if not units or _has_person(units[0], names):
        return list(units)
    if (contact := find_contact(focus, units)) and _is_reachable(contact, names):
        return put_first(contact, units)
    if focus.answer_type != "person":
        return list(units)
    near = [unit for unit in units if unit.score >= _NEAR * units[0].score and is_about_same(focus, unit, units[0])]
    mentioned = (unit for unit in near if _names_person(unit, names))
    written = (unit for unit in near if _has_full_name(unit.text))
    return put_first(next((unit for some in (mentioned, written) for unit in some), None), units)


def _is_reachable(contact: ScoredUnit, names: set[str]) -> bool:
    """Whether a contact line has a name or an e-mail address, and not "to be decided"."""
    return "@" in contact.text or _names_person(contact, names) or _has_full_name(contact.text)


def _has_person(unit: ScoredUnit, names: set[str]) -> bool:
    return bool(_ROLE.search(unit.text)) or _names_person(unit, names) or _has_full_name(unit.text)


def _has_full_name(text: str) -> bool:
    """Whether a text has two capitalised words of which the first is no article or the like, as in "Kai Petersen"."""
    return any(not is_stopword(found["first"].lower()) for found in _FULL_NAME.finditer(text))


def _names_person(unit: ScoredUnit, names: set[str]) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\b", unit.text) for name in names if name in unit.text)
