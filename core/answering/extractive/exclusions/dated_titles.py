"""Pages whose titles differ only in a date, in numbers, or in a word such as "obsolete".

They share most words, so scores hardly tell apart "Meeting 2026-03-02" and "Meeting 2026-03-09".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from core.answering.extractive.units import Unit
from core.dates import LONG_MONTH_NAMES, MONTH_NAMES, MONTHS, find_date
from core.reading.values import read_day_number
from core.reading.words import OUTDATED_TITLES, has_outdated_word
from core.text import list_words, split_subject

_NUMBER = re.compile(r"[0-9]{1,9}")
_MONTH_OF_YEAR = re.compile(rf"(?i)\b({MONTH_NAMES})\.?,? ((?:19|20)\d\d)(?!\d)|((?:19|20)\d\d)-(\d\d)(?![\d-])")
_MONTH_ALONE = re.compile(rf"(?i)\b(?:in|im|during|of|from|for|aus|vom) (?:the )?({LONG_MONTH_NAMES})\b")
_DAY_OF_MONTH = re.compile(
    rf"(?i)(?<![\w.])(?P<day>\d\d?)(?:\.|st|nd|rd|th)? (?:of )?(?P<name>{MONTH_NAMES})\b"
    rf"|\b(?P<first>{MONTH_NAMES})\.? (?P<second>\d\d?)(?:st|nd|rd|th)?(?![\w.]*\d)"
)
_DAY_IN_DIGITS = re.compile(r"(?i)(?:\b(?P<before>am|vom) )?(?<![\w.])(?P<number>\d\d?\.\d\d?)(?!\w|\.\d)")
_FIRST_YEAR = 1900  # smaller numbers of a title are no years: "Release 8.5.4"
_YEAR = re.compile(r"(?<![\d.-])(?:19|20)\d\d(?![\d.-])")
_IN_BRACKETS = re.compile(r"\([^()]{0,100}\)|\[[^\[\]]{0,100}\]")
_COPY = re.compile(r"(?i)^\W{0,3}(?:copy of|kopie von)\b(?=.{3})")
_DRAFT = re.compile(
    r"(?i)[(\[] ?(?:draft|entwurf) ?[)\]](?: ?[(\[][^()\[\]]{0,40}[)\]])*"
    r"|^\W{0,3}(?:draft|entwurf):|[–—-] (?:draft|entwurf)$"
)
"""What a title says of a draft, with brackets after it that say whose it is."""
_VERSIONS = frozenset(["copy", "draft", "entwurf", "kopie"])
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

    "VPN (old, until 2024)", "Obsolete: VPN", "VPN – archived", "Copy of VPN" and "VPN [draft]" are all replaced by
    "VPN".
    """
    final = _DRAFT.sub(" ", _COPY.sub(" ", title))
    without = _IN_BRACKETS.sub(lambda found: " " if has_outdated_word(found[0]) else found[0], final)
    words = tuple(word for word in list_words(without) if word not in OUTDATED_TITLES)
    return words if final != title or has_outdated_word(title) else ()


def asks_for_version(question: str, title: str) -> bool:
    """Whether a question is about what no longer holds, or about a draft or copy, as the title says of its page."""
    if has_outdated_word(title):
        return has_outdated_word(question)
    return not _VERSIONS.isdisjoint(list_words(question))


def asks_for_newest(question: str) -> bool:
    """Whether a question asks for the newest of several things, without a date."""
    text = split_subject(question)[0]
    return bool(_NEWEST.search(text)) and not _read_asked(text)


def leave_out_other_dates(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Return the units without those of pages like the one whose title has the date of the question.

    A question about a time before or after a date is about other pages than that of the date. A date without its year
    is that of the newest page that has it.
    """
    asked = () if _RELATIVE.search(question) else _read_asked(question) or _read_asked_without_year(question)
    if not asked:
        return list(units)
    titles = {title: split_title(title) for title in {unit.evidence.context.title for unit in units}}
    named = {like: stamp for like, stamp in sorted(titles.values()) if _has_date(stamp, asked)}  # the newest is last
    return [unit for unit in units if not _is_other(titles[unit.evidence.context.title], named, len(asked))]


def write_day_as_in_title(question: str, titles: Iterable[str]) -> str:
    """Return a question with its only day as the titles with that day write it, with the year: "4.5." as "04.05.2026".

    Else its digits would count as words that the page lacks.
    """
    days = [] if _RELATIVE.search(question) or _read_asked(question) else list(_list_days(question))
    if len(days) != 1:
        return question
    [(asked, start, end)] = days
    dated = sorted((*split_title(title)[::-1], title) for title in set(titles))
    newest = {like: (stamp, title) for stamp, like, title in dated if _has_date(stamp, asked)}
    if len({stamp for stamp, _ in newest.values()}) != 1:
        return question
    title = next(title for _, title in newest.values())
    found = find_date(title)
    return f"{question[:start]}{title[found.start : found.end]}{question[end:]}" if found else question


def _has_date(stamp: tuple[int, ...], asked: tuple[int, ...]) -> bool:
    if asked[0]:
        return stamp[: len(asked)] == asked
    return len(stamp) >= len(asked) and stamp[0] >= _FIRST_YEAR and stamp[1 : len(asked)] == asked[1:]


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


def _read_asked_without_year(question: str) -> tuple[int, ...]:
    """Return the day or month of a question with 0 as its year; () if it has none, or several."""
    days = {stamp for stamp, _, _ in _list_days(question)}
    months = {(0, MONTHS[match[1].lower()]) for match in _MONTH_ALONE.finditer(question)}
    found: set[tuple[int, ...]] = {*(days or months)}
    return found.pop() if len(found) == 1 else ()


def _list_days(question: str) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Yield the days without a year, each with its start and end in the question."""
    for match in _DAY_OF_MONTH.finditer(question):
        name, day = match["name"] or match["first"], match["day"] or match["second"]
        yield (0, MONTHS[name.lower()], int(day)), match.start(), match.end()
    for match in _DAY_IN_DIGITS.finditer(question):
        day = read_day_number(match["number"], question[match.end() :], expects_date=bool(match["before"]))
        if day:
            end = match.end() + question.startswith(".", match.end())
            yield tuple(int(part) for part in day.key), match.start("number"), end
