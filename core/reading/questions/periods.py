"""Periods: the dates, months and years that a question names, and stretches of days."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from core.dates import MONTHS
from core.reading.questions.limits import ALSO_VERBS, is_year
from core.reading.values import Value, ValueKind, read_day_number, read_value
from core.reading.words import Word
from core.text_caches import cache_texts

_MOST_WORDS = 3
_ABBREVIATED = 3  # letters of "Dec", which is a month only if capitalised
_BEFORE_DAYS = frozenset(["am", "vom"])
_WEEK_DAYS = 7


@dataclass(frozen=True, slots=True)
class Span:
    """The days from ``start`` to ``end``, both included."""

    start: date
    end: date

    def has_common_days(self, other: Span) -> bool:
        """Whether the two have a day in common."""
        return self.start <= other.end and other.start <= self.end

    @property
    def is_one_day(self) -> bool:
        return self.start == self.end


def find_week(number: int, year: int) -> Span | None:
    """Return the days of an ISO week; None if the year has no such week."""
    try:
        start = date.fromisocalendar(year, number, 1)
    except ValueError:
        return None
    return Span(start, start + timedelta(_WEEK_DAYS - 1))


@cache_texts(64)  # read for each table and list that a question is bound to
def list_periods(asked_words: tuple[Word, ...], text: str) -> Sequence[tuple[int, int, Value]]:
    """Return the periods, each with its index and its number of words."""
    found: list[tuple[int, int, Value]] = []
    at = 0
    while at < len(asked_words):
        length, period = _read_period(asked_words, at, text)
        if period:
            found.append((at, length, period))
        at += length
    return found


def _read_period(asked_words: Sequence[Word], at: int, text: str) -> tuple[int, Value | None]:
    """Return the number of words and the value of the longest date, month or year at an index; else 1 and None."""
    for length in range(min(_MOST_WORDS, len(asked_words) - at), 0, -1):
        span = asked_words[at : at + length]
        value = read_value(" ".join(word.text for word in span))
        if (value.kind is ValueKind.DATE and (length > 1 or _is_period(span[0]))) or (length == 1 and is_year(value)):
            return length, value
    return 1, _find_day(asked_words, at, text)


def _find_day(asked_words: Sequence[Word], at: int, text: str) -> Value | None:
    """Return a word like "14.3" as a day if the question has it with a full stop, or after "am"."""
    number = asked_words[at].text
    if not number[0].isdigit():
        return None
    expects_date = at > 0 and asked_words[at - 1].folded in _BEFORE_DAYS
    days = (
        read_day_number(number, text[match.end() :], expects_date=expects_date)
        for match in re.finditer(rf"(?<![\w.]){re.escape(number)}(?![\w])", text)
    )
    return next(filter(None, days), None)


def _is_period(word: Word) -> bool:
    """Whether a word by itself can only be a month, or is a date in digits."""
    name = word.text.lower()
    is_doubtful = name in MONTHS and (len(name) <= _ABBREVIATED or name in ALSO_VERBS)
    return word.text[0].isupper() or not is_doubtful
