"""Reading the ids of chat users, and the accounts file, which maps chat users to Confluence accounts.

The accounts file has two columns, separated by a comma:

# chat user, Confluence account
slack:T012AB3CD:U045EF6GH, 557058:0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0
teams:72f988bf-86f1-41af-91ab-2d7cd011db47:8f2c1f0e-5a55-4c1e-9d0a-3b9a3f1f2e11, jsmith
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import PersonInvalid
from core.model import PersonId, make_person_key
from core.text import remove_invisible

_GUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_PERSON = re.compile(rf"(slack):([A-Z0-9]+):([A-Z0-9]+)|(teams):({_GUID}):({_GUID})")
_HEADINGS = frozenset({"chat user", "person", "user"})
_FORM = "Write slack:TEAM:USER, as in slack:T012AB3CD:U045EF6GH, or teams:TENANT:OBJECT with the two ids of Entra"


def parse_person(text: str) -> PersonId:
    """Parse the key of a person: ``slack:TEAM:USER`` or ``teams:TENANT:OBJECT_ID``. Raises PersonInvalid."""
    platform, _, rest = text.strip().partition(":")
    team, _, user = rest.partition(":")
    whole = f"{team}{user}"
    if platform not in {"slack", "teams"} or not team or not user or any(map(str.isspace, whole)):
        raise PersonInvalid(
            f"{text!r} is no id of a person. Write slack:TEAM:USER, as slack:T012AB3CD:U045EF6GH, or "
            "teams:TENANT:OBJECT_ID with the ids of Microsoft Entra. `wikiwhy feedback export` and `wikiwhy audit` "
            "show ids in this form."
        )
    return PersonId(platform, team, user)


@dataclass(frozen=True, slots=True)
class ChatAccounts:
    """The contents of the accounts file."""

    of: Mapping[str, frozenset[str]] = field(default_factory=dict)  # person key to account; none if its lines are wrong
    errors: tuple[str, ...] = ()  # each with its line number and advice


def parse_accounts(text: str) -> ChatAccounts:
    """Parse the accounts file. A wrong line leaves its person without account; the other lines are used."""
    found: dict[str, frozenset[str]] = {}
    lines: dict[str, int] = {}
    errors: list[str] = []
    for number, line in enumerate(remove_invisible(text).splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = _split_cells(line)
        if number == 1 and cells[0].lower() in _HEADINGS:
            continue
        key = _parse_key(cells[0])
        complaint = _describe_error(cells, key)
        if complaint:
            errors.append(f"line {number}: {complaint}.")
        if key is None:
            continue
        given = frozenset() if complaint else frozenset({cells[1]})
        if key in found and found[key] != given:
            errors.append(f"line {number}: {cells[0]} has another account in line {lines[key]}. Keep one of the two.")
            # It is unclear which of the two is meant.
            given = frozenset()
        found[key] = given
        lines.setdefault(key, number)
    return ChatAccounts(found, tuple(errors))


def _split_cells(line: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], skipinitialspace=True, strict=True))]
    except csv.Error:
        return [line.strip()]


def _parse_key(cell: str) -> str | None:
    match = _PERSON.fullmatch(cell)
    if match is None:
        return None
    platform, team, user = [group for group in match.groups() if group is not None]
    return make_person_key(platform, team, user)


def _describe_error(cells: list[str], key: str | None) -> str:
    if len(cells) != 2:
        return "it has not two columns. Write the chat user, a comma (no semicolon or tab), and the account"
    if key is None:
        return f'"{cells[0][:60]}" is no chat user. {_FORM}'
    if not cells[1] or not cells[1].isprintable():
        return "there is no account after the comma. Write Cloud's account id, or Data Center's username"
    return ""
