"""As much CQL as a sync asks: comparisons joined by ``and``, then ``order by``.

https://developer.atlassian.com/server/confluence/advanced-searching-using-cql/
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from tests.servers.confluence.asked import Asked, Refused, number_of
from tests.servers.confluence.parts import Page, Status

_TERM = re.compile(
    r"""\s*(?P<field>[\w.]+)\s*(?P<operator>!=|>=|<=|=|>|<|~|\bnot\s+in\b|\bin\b)\s*
    (?P<value>\((?:[^()"']|"[^"]*"|'[^']*')*\)|"(?:[^"\\]|\\.)*"|'[^']*'|[^\s()"']+)\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_DATES = ("%Y-%m-%d %H:%M", "%Y/%m/%d %H:%M", "%Y-%m-%d", "%Y/%m/%d")


@dataclass(frozen=True)
class Entry:
    """A page as the search index has it."""

    page: Page
    status: Status
    space: str
    modified: datetime


def search(asked: Asked, cql: str) -> list[Page]:
    """The current pages that it finds, in its order. Raises :class:`Refused`, 400, if it cannot be parsed.

    Dates are minutes, in the account's time zone. What the account may not see is still among them.
    """
    text, order = _split_order(cql)
    tests = [_test(asked, cql, term) for term in _terms(cql, text)]
    entries = [Entry(*indexed) for indexed in asked.site.indexed()]
    found = [entry for entry in entries if entry.status == "current" and all(test(entry) for test in tests)]
    found.sort(key=lambda entry: number_of(entry.page.page_id))
    for name, falling in reversed(order):
        found.sort(key=_ordering(cql, name), reverse=falling)
    return [entry.page for entry in found]


def unparsable(cql: str) -> Refused:
    return Refused(400, f"Could not parse cql : {cql}")


def _split_order(cql: str) -> tuple[str, list[tuple[str, bool]]]:
    text, _, tail = re.sub(r"(?i)\border\s+by\b", "\0", cql).partition("\0")
    order = [part.split() for part in tail.split(",") if part.strip()]
    return text, [(part[0].lower(), part[1:2] in (["desc"], ["DESC"])) for part in order]


def _terms(cql: str, text: str) -> list[re.Match[str]]:
    terms, at = [], 0
    while at < len(text.rstrip()):
        term = _TERM.match(text, at)
        if term is None:
            raise unparsable(cql)
        terms.append(term)
        joint = re.compile(r"and\b", re.IGNORECASE).match(text, term.end())
        at = joint.end() if joint else term.end()
        if joint is None and text[at:].strip():
            raise unparsable(cql)
    if not terms:
        raise unparsable(cql)
    return terms


def _test(asked: Asked, cql: str, term: re.Match[str]) -> Callable[[Entry], bool]:
    name, operator, value = term["field"].lower(), " ".join(term["operator"].lower().split()), term["value"]
    if name in ("lastmodified", "created"):
        return _date_test(asked, cql, name, operator, _unquoted(value))
    wanted = (
        [_unquoted(part) for part in value.strip("()").split(",")] if operator.endswith("in") else [_unquoted(value)]
    )
    values = _FIELDS.get(name)
    if values is None or operator not in ("=", "!=", "in", "not in", "~"):
        raise unparsable(cql)
    if operator == "~":
        return lambda entry: any(wanted[0].lower() in value.lower() for value in values(asked, entry))
    among = operator in ("=", "in")
    return lambda entry: any(value in wanted for value in values(asked, entry)) == among


_FIELDS: dict[str, Callable[[Asked, Entry], list[str]]] = {
    "type": lambda asked, entry: [entry.page.kind],
    "space": lambda asked, entry: [entry.space],
    "space.key": lambda asked, entry: [entry.space],
    "id": lambda asked, entry: [entry.page.page_id],
    "content": lambda asked, entry: [entry.page.page_id],
    "title": lambda asked, entry: [entry.page.title],
    "text": lambda asked, entry: [entry.page.body],
    "label": lambda asked, entry: entry.page.labels,
    "parent": lambda asked, entry: [entry.page.parent_id or ""],
    "ancestor": lambda asked, entry: [at.page_id for at in asked.site.ancestors(entry.page.page_id)],
}


def _date_test(asked: Asked, cql: str, name: str, operator: str, value: str) -> Callable[[Entry], bool]:
    for layout in _DATES:
        try:
            local = datetime.strptime(value, layout).replace(tzinfo=ZoneInfo(asked.account.time_zone))
        except ValueError:
            continue
        at = local.astimezone(UTC)
        compare = _COMPARE.get(operator)
        if compare is None:
            raise unparsable(cql)

        def minute(entry: Entry) -> datetime:
            moment = entry.modified if name == "lastmodified" else entry.page.created
            return moment.replace(second=0, microsecond=0)

        return lambda entry: compare(minute(entry), at)
    raise unparsable(cql)


_COMPARE: dict[str, Callable[[datetime, datetime], bool]] = {
    ">=": lambda one, other: one >= other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    "<": lambda one, other: one < other,
    "=": lambda one, other: one == other,
    "!=": lambda one, other: one != other,
}


def _ordering(cql: str, name: str) -> Callable[[Entry], Any]:
    by: dict[str, Callable[[Entry], Any]] = {
        "lastmodified": lambda entry: entry.modified,
        "created": lambda entry: entry.page.created,
        "title": lambda entry: entry.page.title,
        "id": lambda entry: number_of(entry.page.page_id),
    }
    if name not in by:
        raise unparsable(cql)
    return by[name]


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value
