"""People in the columns of a relation, and headers that say who has a thing."""

from __future__ import annotations

import re

from core.reading.relations.marks import is_blank
from core.reading.relations.relation import Relation
from core.reading.relations.rows import ITEM, Row
from core.text import has_digit

_BETWEEN = re.compile(r"[\s,;/&+·]+|\b(?:and|und)\b")
_BETWEEN_NAMES = re.compile(r"[,;/&\n+·]|\b(?:and|und)\b")
_MOST_NAME_WORDS = 4
_FIRST_MENTION = re.compile(r"^@(?P<first>[^\W\d_][\w.-]*)(?: [A-ZÄÖÜ][\w.-]*)?")
_BEFORE_COLON = re.compile(r"^@?([^\W\d_][^:\n]{0,60}):\s")
_IN_BRACKETS_AT_END = re.compile(r"[(\[]([^()\[\],]{1,60})(?:,[^()\[\]]{0,60})?[)\]]\W{0,3}$")
_HOLDER = re.compile(
    r"(?i)(?:currently |now |aktuell |derzeit |zurzeit )?"
    r"(?:(?:allocated|assigned|checked out|given|handed out|issued|leased|lent|let|loaned|lent out|rented) to"
    r"|(?:booked|checked out|leased|occupied|rented|reserved) by|borrowed by|(?:booked|reserved) for"
    r"|(?:ausgegeben|ausgeliehen|verliehen|vergeben|vermietet|zugeteilt|zugewiesen) an"
    r"|(?:ausgeliehen|belegt|besetzt|entliehen|gebucht|gemietet|reserviert) (?:von|durch)|(?:gebucht|reserviert) für)"
)


def holds_people(relation: Relation, column: str) -> bool:
    """Whether most filled cells of a column are people."""
    filled = [row for row in relation.rows if row.cells.get(column, "").strip()]
    return bool(filled) and sum(is_person(row, column) for row in filled) * 2 > len(filled)


def is_person(row: Row, column: str) -> bool:
    """Whether a cell consists of names of people that the page mentions."""
    left = row.cells.get(column, "")
    named = _find_people(row, column)
    for name in sorted(named, key=len, reverse=True):
        left = left.replace(name, " ")
    return bool(named) and not _BETWEEN.sub("", left)


def find_names(row: Row, column: str) -> list[str]:
    """Return the people in a cell; of a cell without mentions, what is written like names. [] if it has more."""
    if is_person(row, column):
        return _find_people(row, column)
    cell = row.cells.get(column, "")
    parts = [part.strip() for part in _BETWEEN_NAMES.split(cell)] if not is_blank(cell) else []
    return parts if parts and all(map(_is_written_as_name, parts)) and not _find_people(row, column) else []


def find_assignees(row: Row) -> list[str]:
    """Return to whom an item of a task list is assigned: the people that it mentions, or else the names as written.

    These begin the item ("@Mara Lind order the winch", "Mara and Bo: …") or end it in brackets ("… (Mara/Bo)"). After
    "@" the second word may be of the name or not: both are returned.
    """
    if mentioned := _find_people(row, ITEM):
        return mentioned
    text = row.cells.get(ITEM, "").strip()
    found = [*_BEFORE_COLON.findall(text), *_IN_BRACKETS_AT_END.findall(text)]
    names = [part.strip() for each in found for part in _BETWEEN_NAMES.split(each)]
    mentions = [name for match in _FIRST_MENTION.finditer(text) for name in (match["first"], match[0].strip("@ "))]
    return list(dict.fromkeys(filter(_is_written_as_name, [*mentions, *names])))


def is_name_of_people(row: Row, column: str) -> bool:
    """Whether a cell has only people, mentioned or typed."""
    return bool(find_names(row, column))


def is_of_holders(column: str) -> bool:
    """Whether a header names those who have the thing: "Lent to", but not "Requested by" or "Issued by"."""
    return bool(_HOLDER.fullmatch(column.strip()))


def _is_written_as_name(text: str) -> bool:
    words = text.split()
    return 0 < len(words) <= _MOST_NAME_WORDS and text[0].isupper() and not has_digit(text)


def _find_people(row: Row, column: str) -> list[str]:
    """Return the names of people in a cell, in their order. Two mentions may have nothing between them."""
    names = sorted({person.name for person in row.ranked.evidence.people if person.name}, key=len, reverse=True)
    found = re.findall("|".join(map(re.escape, names)), row.cells.get(column, "")) if names else []
    return list(dict.fromkeys(found))
