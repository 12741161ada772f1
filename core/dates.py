"""Finds dates in English and German text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

_NAMES = (
    "january januar jan",
    "february februar feb",
    "march märz maerz mar mär",
    "april apr",
    "may mai",
    "june juni jun",
    "july juli jul",
    "august aug",
    "september sept sep",
    "october oktober oct okt",
    "november nov",
    "december dezember dec dez",
)
MONTHS = {name: number for number, names in enumerate(_NAMES, start=1) for name in names.split()}
"""Names of months in lower case, with their numbers."""
MONTH_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
"""The names as alternatives of a pattern, without parentheses."""
LONG_MONTH_NAMES = "|".join(name for name in MONTH_NAMES.split("|") if len(name) > len("jan") or name in {"may", "mai"})
"""Those that are rarely other words: not "for Jan"."""

_MONTH = f"({MONTH_NAMES})"
_DAY = r"(\d{1,2})(?:st|nd|rd|th|\.)?"
_YEAR = r"(\d{4})(?!\d)"
_BEFORE = r"(?<![\w.])"

_YEAR_FIRST = re.compile(rf"{_BEFORE}(\d{{4}})-(\d\d?)-(\d\d?)(?!\d)")
_WITH_POINTS = re.compile(rf"{_BEFORE}(\d\d?)\.\s?(\d\d?)\.\s?{_YEAR}")
_DAY_FIRST = re.compile(rf"(?i){_BEFORE}{_DAY}\s(?:of\s)?{_MONTH}\.?,?\s{_YEAR}")
_MONTH_FIRST = re.compile(rf"(?i){_BEFORE}{_MONTH}\.?\s{_DAY},?\s{_YEAR}")


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date in a text, with the index of its first character and of the character after it."""

    day: date
    start: int
    end: int


def find_date(text: str) -> FoundDate | None:
    """Return the first date with day, month and year in a text, or None.

    Dates with slashes are ignored, because 05/06/2016 is ambiguous.
    """
    found = [
        FoundDate(day, match.start(), match.end())
        for pattern in (_YEAR_FIRST, _WITH_POINTS, _DAY_FIRST, _MONTH_FIRST)
        for match in pattern.finditer(text)
        if (day := _read(pattern, match))
    ]
    return min(found, key=lambda each: each.start, default=None)


def read_day(moment: str) -> date | None:
    """Return the day of a time in ISO 8601, or None."""
    found = find_date(moment[:10])
    return found.day if found else None


def _read(pattern: re.Pattern[str], match: re.Match[str]) -> date | None:
    first, second, third = match.groups()
    if pattern is _YEAR_FIRST:
        return _make(first, second, third)
    if pattern is _MONTH_FIRST:
        return _make(third, str(MONTHS[first.lower()]), second)
    return _make(third, second if second.isdecimal() else str(MONTHS[second.lower()]), first)


def _make(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
