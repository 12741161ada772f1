"""The values that a question or sentence speaks of: ordinals of days, weekdays, dates, times, numbers with units."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from core.dates import MONTH_NAMES
from core.reading.questions.limits import AT_LEAST, AT_MOST
from core.reading.values import ValueKind, find_quantity, read_value
from core.reading.words import NUMBER_WORDS, is_same_noun, split_words

_WEEKDAYS = (
    "monday mondays montag montags",
    "tuesday tuesdays dienstag dienstags",
    "wednesday wednesdays mittwoch mittwochs",
    "thursday thursdays donnerstag donnerstags",
    "friday fridays freitag freitags",
    "saturday saturdays samstag samstags sonnabend",
    "sunday sundays sonntag sonntags",
)
_DAY_NUMBERS = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}
# All forms, since they are read in sentences: "am zweiten Montag". Other modules list the forms that they read.
_ORDINALS = {
    name: number
    for number, names in enumerate(
        (
            "last letzte letzten letzter letztes", "first erste ersten erster erstes",
            "second zweite zweiten zweiter zweites", "third dritte dritten dritter drittes",
            "fourth vierte vierten vierter viertes", "fifth fünfte fünften fünfter fünftes",
        )
    )
    for name in names.split()
}  # fmt: skip
_PERIODS = "day week month quarter year tag tage woche monat quartal jahr"
_DAY = "|".join(_DAY_NUMBERS)
_BEFORE = 40  # characters before a value that are read
_VALUE = re.compile(
    rf"(?i)(?<![\w.:,/-])(?:(?P<ordinal>{'|'.join(_ORDINALS)}|[1-9][0-9]?(?:st|nd|rd|th|\.)) "
    rf"(?P<noun>{_DAY}|{'|'.join(_PERIODS.split())})"
    rf"|(?P<weekday>{_DAY})"
    r"|(?P<date>[12][0-9]{3}-[01][0-9]-[0-3][0-9]"
    rf"|[0-3]?[0-9](?:st|nd|rd|th|\.)? (?:of )?(?:{MONTH_NAMES})\b\.?(?: [12][0-9]{{3}})?"
    rf"|(?:{MONTH_NAMES})\b\.? [0-3]?[0-9](?:st|nd|rd|th)?\b(?:,? [12][0-9]{{3}})?)"
    r"|(?P<time>[0-2]?[0-9]:[0-5][0-9](?! ?[ap]m)(?: Uhr)?|[0-2]?[0-9] Uhr|1?[0-9](?::[0-5][0-9])? ?[ap]m)"
    r"|(?P<currency>[€$£] ?)?"
    rf"(?P<number>[0-9]{{1,9}}(?:[.,'][0-9]{{1,9}}){{0,3}}|{'|'.join(NUMBER_WORDS)})"
    rf"(?P<unit> ?(?:[%€$£]|°C|(?!(?:{'|'.join(NUMBER_WORDS)})\b)[^\W\d_]{{1,20}}))?)(?![\w])"
)
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_DATED = re.compile(r"(?i),? (?:the |dem |den )?[0-9]{1,2}(?![0-9:])")
_MOST = re.compile(rf"(?i)\b(?:{AT_MOST}|a maximum of)\W*$")
_LEAST = re.compile(rf"(?i)\b(?:{AT_LEAST}|a minimum of)\W*$")
_LIMITING = frozenset(
    """than over under about around approximately roughly between from to until till by or and before after below above
    since nearly almost every each about rund etwa ca circa zwischen von bis ab oder und vor nach unter über seit fast
    als alle jeden jede""".split()
)
"""Words before a value that are part of it, so that question and source have to share them."""
_SET_TO = frozenset("default defaults set equal amounts".split())


@dataclass(frozen=True, slots=True)
class SpokenValue:
    """A value in a text. ``kind``: what it may differ from; ``unit``: the word after a number, or its quantity."""

    kind: str
    amount: Decimal
    unit: str
    start: int
    end: int
    bound: str  # "most", "least", a limiting word before it, or ""
    is_repeated: bool = False  # "Fridays"
    is_dated: bool = False  # "Friday, 4 May"
    year: int = 0  # of a date

    def is_of_kind(self, other: SpokenValue) -> bool:
        return self.kind == other.kind and (self.unit == other.unit or is_same_noun(self.unit, other.unit))


def list_values(text: str) -> Iterator[SpokenValue]:
    """Yield the values of a text, in order."""
    for found in _VALUE.finditer(text):
        start, end = found.span()
        before = text[max(start - _BEFORE, 0) : start]
        bound = "most" if _MOST.search(before) else "least" if _LEAST.search(before) else _read_word_before(before)
        if found["ordinal"]:
            name = found["ordinal"].lower()
            amount = _ORDINALS[name] if name in _ORDINALS else int(re.sub(r"\D", "", name))
            day = found["noun"].lower()
            yield SpokenValue("ordinal", Decimal(amount), "" if day in _DAY_NUMBERS else day, start, end, bound)
            if day in _DAY_NUMBERS:
                yield SpokenValue("weekday", Decimal(_DAY_NUMBERS[day]), "", found.start("noun"), end, "")
        elif found["weekday"]:
            name = found["weekday"].lower()
            value = SpokenValue("weekday", Decimal(_DAY_NUMBERS[name]), "", start, end, bound)
            yield replace(value, is_repeated=name.endswith("s"), is_dated=bool(_DATED.match(text, end)))
        elif found["date"]:
            if date := _read_date(found["date"]):
                yield SpokenValue("date", Decimal(date[0]), "", start, end, bound, year=date[1])
        elif found["time"]:
            yield SpokenValue("time", _read_time(found["time"]), "", start, end, bound)
        elif (number := _read_number(found, text)) is not None:
            yield replace(number, bound=bound)


def find_numbers(text: str) -> Iterator[tuple[str, Decimal, int, int]]:
    """Yield the unit or quantity, the amount, the start and the end of each number in a text."""
    for value in list_values(text):
        if value.kind == "number":
            yield value.unit, value.amount, value.start, value.end


def _read_word_before(text: str) -> str:
    words = [word.folded for word in split_words(text)]
    is_set = len(words) > 1 and words[-2] in _SET_TO
    return words[-1] if words and words[-1] in _LIMITING and not is_set else ""


def _read_date(text: str) -> tuple[int, int] | None:
    """Return the day of a year, as 100 times the month and the day, and the year, 0 without one."""
    value = read_value(text.replace(" of ", " "))
    if value.kind is not ValueKind.DATE:
        return None
    year, month, day = (int(part) for part in value.key)
    return 100 * month + day, year


def _read_time(text: str) -> Decimal:
    hours, minutes = (int(part) for part in ([*re.findall(r"\d+", text), "0"])[:2])
    is_afternoon = "p" in text.lower()
    return Decimal(60 * (hours % 12 + 12 if is_afternoon else hours) + minutes)


def _read_number(found: re.Match[str], text: str) -> SpokenValue | None:
    """Return a number with its unit or the noun after it; None for a number that belongs to a name ("Wren 2")."""
    before = split_words(text[max(found.start() - _BEFORE, 0) : found.start()])
    digits = NUMBER_WORDS.get(found["number"].lower(), found["number"])
    unit = (found["currency"] or found["unit"] or "").strip()
    if before and before[-1].text[:1].isupper() and text[found.start() - 1 : found.start()] == " " and len(before) > 1:
        unit = unit if find_quantity(unit) else ""
        if not unit:
            return None
    quantity = find_quantity(unit)
    value = read_value(f"{digits} {unit}" if quantity else digits)
    if value.kind is not ValueKind.NUMBER or (not unit and _YEAR.fullmatch(digits)):
        return None
    return SpokenValue("number", value.key[0], quantity or unit.lower(), *found.span(), "")
