"""Finds inline lists, those within a sentence: "Trude (420 kg), Lotte (180 kg) and Pieps (35 kg)"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.reading.values import ValueKind, read_value

_LEAST = 3  # items; two may be a remark on the words before
_MOST_CHARS = 5_000
_ITEM = re.compile(r"(?P<before>[^()]{1,200}) \((?P<facts>[^()]{1,80})\)")
_SEPARATOR = re.compile(r"(?i)[,;]? (?:(?:and|or|und|oder|sowie|&) |(?<=[,;] ))")
_SENTENCE_ENDS = re.compile(r"[,;:.!?] ")
_MOST_NAME_WORDS = 5


@dataclass(frozen=True, slots=True)
class InlineItem:
    """One item of an inline list: "Trude (420 kg), Lotte (180 kg) and Pieps (35 kg)" has three.

    ``text``: the item as written. ``amounts``: by unit, both as written. ``others``: the other facts in its brackets.
    """

    text: str
    amounts: Mapping[str, str]
    others: str


def find_inline_lists(text: str) -> Iterator[tuple[str, Sequence[InlineItem]]]:
    """Yield each run of at least three items, with the words before it."""
    if text.count(" (", 0, _MOST_CHARS) < _LEAST:  # each item has one; the pattern takes long to find none
        return
    items: list[InlineItem] = []
    introduction, ended = "", -1
    for found in _ITEM.finditer(text[:_MOST_CHARS]):
        separator = _SEPARATOR.match(found["before"])
        name = found["before"][separator.end() :].strip() if separator else ""
        goes_on = items and found.start() == ended and name and not _SENTENCE_ENDS.search(name)
        if not goes_on or len(name.split()) > _MOST_NAME_WORDS:
            if len(items) >= _LEAST:
                yield introduction, items
            introduction, name = _split_introduction(found["before"])
            items = []
        ended = found.end()
        items.append(_read_item(name, found["facts"]))
    if len(items) >= _LEAST:
        yield introduction, items


def _split_introduction(before: str) -> tuple[str, str]:
    """Return the words before the first name, and the name: the last capitalised words, else the last word."""
    words = before.split()
    at = len(words) - 1
    while at > 0 and words[at - 1][:1].isupper() and words[at][:1].isupper() and words[at - 1][-1].isalnum():
        at -= 1
    return " ".join(words[:at]), " ".join(words[at:])


def _read_item(name: str, facts: str) -> InlineItem:
    amounts: dict[str, str] = {}
    others = []
    for fact in re.split(r"[,;] ", facts):
        value = read_value(fact)
        if value.kind is ValueKind.NUMBER and value.unit and value.unit not in amounts:
            amounts[value.unit] = fact.strip()
        else:
            others.append(fact.strip())
    return InlineItem(f"{name} ({facts})", amounts, ", ".join(others))
