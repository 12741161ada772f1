"""Pages whose titles differ only in a date, in numbers, or in a word such as "obsolete".

They share most words, so scores hardly tell apart "Meeting 2026-03-02" and "Meeting 2026-03-09".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answering.extractive.units import Unit
from core.evidence.dates import MONTHS, find_date
from core.reading.plan_exclusion import OUTDATED
from core.text import list_words, split_subject

_NUMBER = re.compile(r"[0-9]{1,9}")
_MONTH_NAME = "|".join(sorted(MONTHS, key=len, reverse=True))
_MONTH_OF_YEAR = re.compile(rf"(?i)\b({_MONTH_NAME})\.?,? ((?:19|20)\d\d)(?!\d)|((?:19|20)\d\d)-(\d\d)(?![\d-])")
_YEAR = re.compile(r"(?<![\d.-])(?:19|20)\d\d(?![\d.-])")
_OUTDATED_TITLES = OUTDATED | {"alt"}  # in English headings it is short for "alternative"
_IN_BRACKETS = re.compile(r"\([^()]{0,100}\)|\[[^\[\]]{0,100}\]")
_RELATIVE = re.compile(
    r"(?i)\b(?:before|after|since|until|till|next|previous|following|between|vor|nach|seit|bis|nächste[nrsm]?"
    r"|vorherige[nrsm]?|folgende[nrsm]?|zwischen)\b"
)
_NEWEST = re.compile(
    r"(?i)\b(?:newest|latest|most recent(?:ly)?|last|current(?:ly)?|neu(?:e)?ste[nrsm]?|jüngste[nrsm]?|letzte[nrsm]?"
    r"|zuletzt|aktuell(?:e[nrsm]?|ste[nrsm]?)?|derzeit(?:ige[nrsm]?)?)\b"
)


def split_title(title: str) -> tuple[str, tuple[int, ...]]:
    """Return a title without its date or its numbers, and these: year, month and day, as far as it has them."""
    if found := find_date(title):
        day = found.day
        return _mask(title, found.start, found.end), (day.year, day.month, day.day)
    if month := _MONTH_OF_YEAR.search(title):
        return _mask(title, *month.span()), _read_month(month)
    return _NUMBER.sub("0", title).casefold(), tuple(int(number) for number in _NUMBER.findall(title))


def _mask(title: str, start: int, end: int) -> str:
    return f"{title[:start]}0{title[end:]}".casefold()


def _read_month(found: re.Match[str]) -> tuple[int, int]:
    name, of_name, year, month = found.groups()
    return (int(of_name), MONTHS[name.lower()]) if name else (int(year), int(month))


def find_current_title(title: str) -> tuple[str, ...]:
    """Return the words of the title of the page that holds in place of this one; () if the title does not say so.

    "VPN (old, until 2024)", "Obsolete: VPN" and "VPN – archived" are all replaced by "VPN".
    """
    without = _IN_BRACKETS.sub(lambda found: " " if has_outdated_word(found[0]) else found[0], title)
    words = tuple(word for word in list_words(without) if word not in _OUTDATED_TITLES)
    return words if has_outdated_word(title) else ()


def has_outdated_word(text: str) -> bool:
    """Whether a text has a word for what no longer holds."""
    return not _OUTDATED_TITLES.isdisjoint(list_words(text))


def asks_for_newest(question: str) -> bool:
    """Whether a question asks for the newest of several things, without a date."""
    text = split_subject(question)[0]
    return bool(_NEWEST.search(text)) and not _read_asked(text)


def leave_out_other_dates(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Return the units without those of pages like the one whose title has the date of the question.

    A question about a time before or after a date is about other pages than that of the date.
    """
    asked = () if _RELATIVE.search(question) else _read_asked(question)
    if not asked:
        return list(units)
    titles = {title: split_title(title) for title in {unit.evidence.context.title for unit in units}}
    named = {like: stamp for like, stamp in titles.values() if stamp[: len(asked)] == asked}
    return [unit for unit in units if not _is_other(titles[unit.evidence.context.title], named, len(asked))]


def _is_other(title: tuple[str, tuple[int, ...]], named: dict[str, tuple[int, ...]], length: int) -> bool:
    like, stamp = title
    return like in named and stamp[:length] != named[like][:length]


def _read_asked(question: str) -> tuple[int, ...]:
    """Return the date, month or year of a question; () if it has none, or several years."""
    if found := find_date(question):
        return found.day.year, found.day.month, found.day.day
    if month := _MONTH_OF_YEAR.search(question):
        return _read_month(month)
    years = {int(year) for year in _YEAR.findall(question)}
    return (years.pop(),) if len(years) == 1 else ()
