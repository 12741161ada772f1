"""Enumerations in sentences: "Trude (420 kg), Lotte (180 kg) and Pieps (35 kg)" names three things with their facts.

Authors write so where a table would be too much. Each thing becomes a row: its name with what stands in brackets, a
column for each unit that numbers in the brackets have, and one for the other facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.reading.values import ValueKind, read_value

_LEAST = 3  # things; two may be a remark on the words before
_MOST_CHARS = 5_000
_THING = re.compile(r"(?P<before>[^()]{1,200}) \((?P<facts>[^()]{1,80})\)")
_SEPARATOR = re.compile(r"(?i)[,;]? (?:(?:and|or|und|oder|sowie|&) |(?<=[,;] ))")
_ENDS = re.compile(r"[,;:.!?] ")
_MOST_NAME_WORDS = 5


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing of an enumeration.

    ``text``: as it stands there. ``amounts``: by their units, both as written. ``others``: the facts that are none.
    """

    text: str
    amounts: Mapping[str, str]
    others: str


def find_enumerations(text: str) -> Iterator[tuple[str, Sequence[Thing]]]:
    """Each run of at least three things, with the words before it."""
    things: list[Thing] = []
    introduction, ended = "", -1
    for found in _THING.finditer(text[:_MOST_CHARS]):
        separator = _SEPARATOR.match(found["before"])
        name = found["before"][separator.end() :].strip() if separator else ""
        goes_on = things and found.start() == ended and name and not _ENDS.search(name)
        if not goes_on or len(name.split()) > _MOST_NAME_WORDS:
            if len(things) >= _LEAST:
                yield introduction, things
            introduction, name = _split_introduction(found["before"])
            things = []
        ended = found.end()
        things.append(_read_thing(name, found["facts"]))
    if len(things) >= _LEAST:
        yield introduction, things


def _split_introduction(before: str) -> tuple[str, str]:
    """The words before the first name, and the name: the last words that are capitalised, else the last word."""
    words = before.split()
    at = len(words) - 1
    while at > 0 and words[at - 1][:1].isupper() and words[at][:1].isupper() and words[at - 1][-1].isalnum():
        at -= 1
    return " ".join(words[:at]), " ".join(words[at:])


def _read_thing(name: str, facts: str) -> Thing:
    amounts: dict[str, str] = {}
    others = []
    for fact in re.split(r"[,;] ", facts):
        value = read_value(fact)
        if value.kind is ValueKind.NUMBER and value.unit and value.unit not in amounts:
            amounts[value.unit] = fact.strip()
        else:
            others.append(fact.strip())
    return Thing(f"{name} ({facts})", amounts, ", ".join(others))
