"""Whether a number in a question is of what a header of ranges without a unit is about: "12 nights" of "Nights".

Most numbers are of something else: "room 12", "on 12 May", "from 2 pm", "for 2 adults" of ages.
"""

from __future__ import annotations

import re

from core.dates import MONTHS
from core.reading.values import find_quantity
from core.reading.words import PEOPLE_WORDS, Word, is_related, split_words

_PER = re.compile(r"(?i)\b(?:per|pro|je)\b|/")
_AGES = frozenset("age ages aged old alter alt altersgruppe".split())
_YEARS = frozenset("year years yr yrs jahr jahre jahren".split())
_LATER = frozenset("after ago alle before every in innerhalb nach seit since vor within".split())
"""Words before a stretch of time, which is no age."""
_PEOPLE = PEOPLE_WORDS | frozenset(
    """adult adults attendees child children guests kids participants pupils students travellers visitors
    besucher besuchern erwachsene erwachsenen gäste gästen kinder kindern schüler schülern teilnehmende teilnehmenden
    teilnehmer teilnehmern""".split()
)
_GROUPS = _PEOPLE | frozenset("group party team class gruppe team klasse".split())
_OF_PEOPLE = ("gruppen", "personen", "teilnehmer", "besucher")
_QUANTITIES = frozenset("quantity quantities qty menge mengen stückzahl bestellmenge".split())
_IDENTIFYING = frozenset("number nummer nr no count anzahl size größe".split())
"""Words of headers that a number may follow whatever it is of: "room number 12"."""
_SIZES = frozenset("size sizes count".split())
_LINKS = frozenset("of is has with from von mit hat ist aus".split())
_CLOCK = frozenset("am pm uhr clock".split())
_VERBS = frozenset("book buy cost costs need order pay stay kosten kostet buchen bestellen".split())
_SHORTEST_PART = 4  # letters of the first part of a compound: "gruppe" of "Gruppengröße"


def is_of_header(before: str, after: str, header: str) -> bool:
    """Whether a number between two pieces of text is of what a header names. Without a word for that, it is not."""
    own = split_words(_PER.split(header)[0])
    names = {word.folded for word in own if word.is_content} - _IDENTIFYING or {word.folded for word in own}
    previous, following = split_words(before), split_words(after)
    first = following[0] if after[:1].isspace() and following else None
    if any(word.folded in _CLOCK or _is_month(word) for word in (*previous[-1:], *following[:1])):
        return False
    if first and find_quantity(first.folded):
        return _is_amount_of(names, first, previous, following)
    if previous and not _is_size(own) and _names(previous[-1], names):
        return True
    if len(previous) > 1 and previous[-1].folded in _LINKS and _is_of(previous[-2], names):
        return True
    if first is None or (previous and previous[-1].is_content and previous[-1].folded not in _VERBS):
        return False
    return _is_of(first, names)


def _is_amount_of(names: set[str], unit: Word, previous: tuple[Word, ...], following: tuple[Word, ...]) -> bool:
    """Whether a number of a unit is of the header: "7 years old" of "Age", but not "in 7 years", "a 7 year ticket"."""
    rest = following[1:2]
    if (rest and rest[0].is_content and rest[0].folded not in _AGES) or (previous and previous[-1].folded in _LATER):
        return False
    return _names(unit, names) or (unit.folded in _YEARS and _is_age(names))


def _is_month(word: Word) -> bool:
    return word.text.lower() in MONTHS


def _names(word: Word, names: set[str]) -> bool:
    if word.folded in _AGES:
        return _is_age(names)
    is_long = len(word.folded) >= _SHORTEST_PART
    return word.is_content and any(
        is_related(word.folded, name) or (is_long and name.startswith(word.folded)) for name in names
    )


def _is_age(names: set[str]) -> bool:
    return any(name in _AGES or name.endswith("alter") for name in names)


def _is_size(header: tuple[Word, ...]) -> bool:
    """Whether a header is of a size: "group 12" names a group, though "a group of 12" has the size 12."""
    return any(word.folded in _SIZES or word.folded.endswith(("größe", "zahl")) for word in header)


def _is_of(noun: Word, names: set[str]) -> bool:
    return _names(noun, names) or _is_counted(noun, names)


def _is_counted(noun: Word, names: set[str]) -> bool:
    """Whether a counted noun is one of people, for the size of a group, or anything, for a quantity."""
    if noun.folded in _GROUPS:
        return any(name in _GROUPS or name.startswith(_OF_PEOPLE) for name in names)
    return noun.is_content and not noun.is_name and not names.isdisjoint(_QUANTITIES)
