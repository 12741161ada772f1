"""Finds the time that a question is about: "this week", "today", "next", "in KW 48", "on 12 Nov".

What is counted from now needs the day on which the question was asked.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from core.reading.questions.periods import Span, find_week, list_periods
from core.reading.words import split_words


class Order(StrEnum):
    """Which rows are asked for, of those that are at a time."""

    DURING = "during"
    NEXT = "next"  # the first after today
    COMING = "coming"  # all after today
    PREVIOUS = "previous"  # the last before today
    PAST = "past"  # all before today: "have expired"
    PRESENT = "present"  # what lasts now: "who is on call", "the current sprint"


@dataclass(frozen=True, slots=True)
class Moment:
    """The time that a question is about. ``text``: the question without it.

    ``is_relative``: whether it is counted from the day of the question. A day or week without a year is of its year.
    """

    order: Order
    span: Span
    text: str
    is_relative: bool
    is_week: bool = False  # by its number


_THIS = r"(?:this|the current|diese[rnsm]?|der aktuellen|die aktuelle)"
_NEXT = r"(?:(?:the )?next|(?:the )?coming|(?:der |die |im )?n(?:ä|ae)chste[rnsm]?|(?:der |die )?kommende[rnsm]?)"
_LAST = r"(?:(?:the )?last|(?:the )?previous|(?:der |die )?letzte[rnsm]?|(?:der |die )?vorige[rnsm]?)"
_UNIT = r"(?P<unit>week(?:end)?|month|quarter|year|woche(?:nende)?|monats?|quartals?|jahr(?:es)?)"
_PREPOSITION = r"(?:(?:in|on|during|for|im|am|für|während) )?"
_PERIOD = re.compile(
    rf"(?i)\b(?P<rest>(?:still|noch|rest of|remaining) )?{_PREPOSITION}"
    rf"(?:(?P<this>{_THIS})|(?P<next>{_NEXT})|(?P<last>{_LAST})) {_UNIT}\b(?:['’]s\b)?"
)
_DAY = re.compile(
    r"(?i)\b(?:today|tonight|heute"
    r"|(?P<after>day after tomorrow|übermorgen)|(?P<tomorrow>tomorrow|(?<!guten )morgen)"
    r"|(?P<before>yesterday|gestern))\b"
    r"(?:['’]s\b)?"
)
_WEEK = re.compile(
    rf"(?i)\b{_PREPOSITION}(?:der |the )?(?:kw|cw|kalenderwoche|calendar week|week|woche) ?(?P<number>\d{{1,2}})\b"
    r"(?:[ /.](?P<year>20\d\d))?"
)
_NEXT_ONE = re.compile(
    r"(?i)\b(?:als n(?:ä|ae)chste[rs]?|n(?:ä|ae)chste[rnsm]?|next)\b"
    r"(?! (?:days?|hours?|minutes?|steps?|to|time|page|generation|tage?n?|stunden?|schritte?|stufe|mal|seite|\d))"
)
_COMING = re.compile(
    r"(?i)\b(?:upcoming|(?:still )?(?:coming up|to come)|anstehende[rnsm]?|bevorstehende[rnsm]?|kommende[rnsm]?"
    r"|(?:kommen|kommt|steht|stehen) (?:noch|demnächst)(?: an)?|stehen an|steht an)\b"
)
_PREVIOUS = re.compile(
    r"(?i)(?=.*\b(?:was|were|did|had|happened|war|waren|gab|hatte|kam)\b)"
    r".*?(?P<word>\b(?:last|latest|most recent|previous|letzte[rnsm]?|vorige[rnsm]?|jüngste[rnsm]?)\b)(?! \d)"
)

_NOW = re.compile(
    r"(?i)\b(?:right now|(?:just )?now|currently|current|at the moment|at present"
    r"|jetzt|gerade|derzeit|derzeitige[rnsm]?|zur ?zeit|momentan|im moment|aktuell|aktuelle[rnsm]?)\b"
)
_PAST = re.compile(
    r"(?i)\b(?:have|has|had|are|is|sind|ist) (?:already |bereits |schon )?(?:expired|abgelaufen|ausgelaufen)\b"
)
_PRESENT = re.compile(r"(?i)^\W*(?:who(?:['’]s| is| has)|wer (?:ist|hat))\b")


def read_moment(question: str, day: date | None) -> Moment | None:
    """Return the time that a question is about, None if it names none. ``day``: on which it was asked, if known."""
    if match := _WEEK.search(question):
        if (year := match["year"]) or day:
            span = find_week(int(match["number"]), int(year) if year else day.year if day else 0)
            rest = _PERIOD.sub(" ", f"{question[: match.start()]} {question[match.end() :]}")  # "this week, in week 47"
            return Moment(Order.DURING, span, " ".join(rest.split()), False, is_week=True) if span else None
        return None
    if day and (match := _PERIOD.search(question)):
        return _make(Order.DURING, _find_period(match, day), question, match.span())
    if day and (found := _find_order(question)):
        order, at = found
        return _make(order, Span(day, day), question, at)
    if day and (match := _NOW.search(question)):
        return _make(Order.PRESENT, Span(day, day), question, match.span())
    absolute = _read_date(question, day)
    if day and absolute is None and _PRESENT.match(question) and not _DAY.search(question):
        return Moment(Order.PRESENT, Span(day, day), question, is_relative=False)
    if absolute or day is None or not (match := _DAY.search(question)):
        return absolute
    offset = 2 if match["after"] else 1 if match["tomorrow"] else -1 if match["before"] else 0
    asked = day + timedelta(offset)
    return _make(Order.DURING, Span(asked, asked), question, match.span())


def write_period(question: str, day: date | None) -> str:
    """Return a question with a year or month that is counted from today by its number: "this year" as "in 2026"."""
    moment = read_moment(question, day)
    if moment is None or not moment.is_relative or moment.order is not Order.DURING:
        return question
    start, end = moment.span.start, moment.span.end
    if start.day != 1 or (end + timedelta(1)).day != 1:
        return question
    if start.month == 1 and end.month == 12:
        return f"{moment.text.rstrip(' ?.!')} in {start.year}"
    return f"{moment.text.rstrip(' ?.!')} in {start:%B} {start.year}" if start.month == end.month else question


def _find_order(question: str) -> tuple[Order, tuple[int, int]] | None:
    if match := _PAST.search(question):
        return Order.PAST, match.span()
    if match := _COMING.search(question):
        return Order.COMING, match.span()
    if match := _NEXT_ONE.search(question):
        return Order.NEXT, match.span()
    match = _PREVIOUS.match(question)
    return (Order.PREVIOUS, match.span("word")) if match else None


def _make(order: Order, span: Span, question: str, at: tuple[int, int]) -> Moment:
    rest = " ".join(f"{question[: at[0]]} {question[at[1] :]}".split())
    return Moment(order, span, rest, is_relative=True)


def _read_date(question: str, day: date | None) -> Moment | None:
    """Return the only day or month that a question names by its date; None without one, or with several."""
    words = split_words(question)
    periods = [each for each in list_periods(words, question) if each[2].key[1:]]
    if len(periods) != 1:
        return None
    [(at, length, value)] = periods
    year, month, of_month = (int(part) for part in value.key)
    if not (year or day):
        return None
    spoken_year = year or (day.year if day else 0)
    try:
        start = date(spoken_year, month or 1, of_month or 1)
    except ValueError:
        return None
    last = month or 12
    end = start if of_month else date(spoken_year, last, monthrange(spoken_year, last)[1])
    rest = " ".join(word.text for word in (*words[:at], *words[at + length :]))
    return Moment(Order.DURING, Span(start, end), rest, is_relative=False)


def _find_period(match: re.Match[str], day: date) -> Span:
    """Return the week, month, quarter or year; from today on, if the question is about the rest of it."""
    step = 0 if match["this"] else 1 if match["next"] else -1
    unit = match["unit"].lower()
    if unit.startswith(("week", "woche")):
        monday = day - timedelta(day.weekday()) + timedelta(7 * step)
        is_weekend = unit.endswith(("end", "ende"))
        span = Span(monday + timedelta(5 if is_weekend else 0), monday + timedelta(6))
    else:
        size = 1 if unit.startswith("mon") else 3 if unit.startswith("q") else 12
        first = 12 * day.year + (day.month - 1) // size * size + size * step
        last = first + size - 1
        end = date(last // 12, last % 12 + 1, monthrange(last // 12, last % 12 + 1)[1])
        span = Span(date(first // 12, first % 12 + 1, 1), end)
    return Span(day, span.end) if match["rest"] and span.start <= day <= span.end else span
