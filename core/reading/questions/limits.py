"""Limits in a question: "less than 40 MB", "before June 2026", "between €100 and €200".

Numbers are read as the language of the question writes them. Words that can only limit dates ("since", "by") are limits
only before a date: not in "by train", "seit Montag".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from core.dates import MONTHS
from core.languages import Language
from core.reading.values import CURRENCY, Value, ValueKind, read_day_number, read_value
from core.reading.words import write_digits


class Comparison(StrEnum):
    """How a cell is compared with a condition's value."""

    HAS = "has"  # the cell contains its words in sequence
    IS = "is"  # the cell has exactly its words, in the same case
    LISTS = "lists"  # one of the cell's values has exactly its words, in the same case
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    DURING = "during"  # a date in the month or year, or on the day; a number that is the same
    POSITIVE = "yes"  # the cell says yes, or that something is there
    NEGATIVE = "no"
    MISSING = "missing"  # the cell is empty, "-", "none" or says no


OF_WORDS = frozenset({Comparison.HAS, Comparison.IS, Comparison.LISTS})
SAYS_VERDICT = frozenset({Comparison.POSITIVE, Comparison.NEGATIVE, Comparison.MISSING})


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit of values: "less than 40 MB". ``is_temporal``: a number in it is a year: "before 2023"."""

    comparison: Comparison
    value: Value
    is_temporal: bool = False


AT_MOST = "at most|no more than|up to|höchstens|maximal|bis zu"
AT_LEAST = "at least|no less than|mindestens|wenigstens"
"""Words before a value, for regular expressions."""
_LIMIT = re.compile(
    r"(?i)\b(?P<less>below|under|less than|fewer than|lighter than|shorter than|cheaper than|unter|weniger als"
    r"|kürzer als|leichter als|billiger als)\b"
    r"|\b(?P<before>before|earlier than|older than|prior to|vor|früher als|älter als)\b"
    rf"|\b(?P<most>{AT_MOST})\b"
    r"|\b(?P<more>above|over|more than|heavier than|longer than|larger than|higher than|über|mehr als|schwerer als"
    r"|länger als|größer als|höher als|teurer als)\b"
    r"|\b(?P<after>after|later than|newer than|nach|später als|neuer als)\b"
    rf"|\b(?P<least>{AT_LEAST})\b"
    r"|\b(?P<until>by|until|till|no later than|not later than|bis(?: zum)?|spätestens(?: am| bis)?)\b"
    r"|\b(?P<exactly>only|just|exactly|precisely|nur|genau|lediglich)\b(?= [0-9])"
    r"|\b(?P<since>since|as of|starting(?: in| on)?|from(?= .{3,25}\bon(?:wards?)?\b)|seit|ab(?: dem)?)\b"
)
_COMPARISONS = {
    "less": Comparison.LESS,
    "before": Comparison.LESS,
    "most": Comparison.AT_MOST,
    "until": Comparison.AT_MOST,
    "more": Comparison.MORE,
    "after": Comparison.MORE,
    "least": Comparison.AT_LEAST,
    "since": Comparison.AT_LEAST,
    "exactly": Comparison.DURING,
}
_TEMPORAL = frozenset(["before", "after", "until", "since"])
_DATES_ONLY = frozenset(["until", "since"])
_MOMENTS = frozenset("before after vor nach".split())
"""Words that limit no lengths: "replaced after 4 years"."""
_NUMBER = rf"(?:{CURRENCY} ?)?[0-9][0-9.,:/-]{{0,15}}(?:\. | )?(?:[^\W\d_]{{1,15}}|%|€)?(?: [12][0-9]{{3}})?"
ALSO_VERBS = frozenset(["may", "march", "mar"])
_MONTH_NAMES = "|".join(sorted(MONTHS.keys() - ALSO_VERBS, key=len, reverse=True))
_IS_MONTH = r"(?= (?:[0-9]|(?:and|to|until|und|bis) ))"
_MONTH = rf"(?:(?-i:[A-Z])[a-zä]{{2,8}}|(?:{_MONTH_NAMES})\b|(?:{'|'.join(sorted(ALSO_VERBS))}){_IS_MONTH})"
_MONTH += r"\.?(?: [0-9]{1,2}(?:st|nd|rd|th)?(?![0-9]),?)?(?: [12][0-9]{3})?"
_VALUE = rf"(?:{_NUMBER}|{_MONTH})"
_DAY_WITH_ZERO = re.compile(r"[0-9]{1,2}\.(?:0[1-9]|1[0-2])")
"""Where a date is expected no version, unlike "3.9"."""
_EDGE = r"(?:(?:the )?(?P<end>end|ende)(?: of| des)? |(?:the )?(?:start|beginning|anfang)(?: of| des)? )?"
_LIMIT_VALUE = re.compile(rf"(?i) {{0,3}}(?:dem |the |den )?{_EDGE}(?P<value>{_VALUE})")
_BETWEEN = re.compile(
    rf"(?i)\b(?:between|from|zwischen|von) (?P<first>{_VALUE}),? (?:and|to|until|und|bis(?: zum)?) (?P<last>{_VALUE})"
)
_MARKS: dict[Language, str] = {"en": ".", "de": ","}
"""Decimal marks."""


def take_bounds(question: str, spoken: Language) -> tuple[tuple[Bound, ...], str]:
    """Return the limits that a question states, and the question without them."""
    question = write_digits(question)
    bounds: list[Bound] = []
    pieces: list[str] = []
    at = 0
    for match in _LIMIT.finditer(question):
        value = _LIMIT_VALUE.match(question, match.end())
        if value is None or match.start() < at:
            continue
        kind = str(match.lastgroup)
        found = _find_longest_value(value, "value", spoken, kind in _DATES_ONLY, reads_days=kind in _TEMPORAL)
        if found is None:
            continue
        text, read = found
        is_length = match[0].lower() in _MOMENTS and read.kind is ValueKind.NUMBER and read.unit
        if is_length or (kind in _DATES_ONLY and not is_temporal(read)):
            continue
        pieces.append(question[at : match.start()])
        at = value.start("value") + len(text)
        bounds.append(Bound(_choose_comparison(kind, is_at_end=bool(value["end"])), read, kind in _TEMPORAL))
    return tuple(bounds), " ".join([*pieces, question[at:]])


def take_range(question: str, spoken: Language) -> tuple[tuple[Bound, ...], str]:
    """Return the limits of "between X and Y" if both are of one kind, and the question without them; else none."""
    for match in _BETWEEN.finditer(question):
        first = _find_longest_value(match, "first", spoken)
        is_date = first is not None and first[1].kind is ValueKind.DATE
        last = _find_longest_value(match, "last", spoken, is_date, reads_days=is_date)
        if first is None or last is None or first[0] != match["first"].rstrip(" .,?!:"):
            continue
        start, end = _share_year_or_unit(first[1], last[1])
        if start.kind is end.kind and start.measure == end.measure:
            is_temporal = is_year(start) and is_year(end)
            bounds = Bound(Comparison.AT_LEAST, start, is_temporal), Bound(Comparison.AT_MOST, end, is_temporal)
            return bounds, question[: match.start()] + " " + question[match.start("last") + len(last[0]) :]
    return (), question


def _share_year_or_unit(first: Value, last: Value) -> tuple[Value, Value]:
    """Return both values with the year or unit that only the last one has: "from April to June 2026", "10 to 20 MB"."""
    if first.kind is last.kind is ValueKind.DATE and last.key[0] and not first.key[0]:
        return read_value(f"{first.text} {int(last.key[0])}"), last
    if first.kind is last.kind is ValueKind.NUMBER and last.unit and not first.unit:
        return Value(first.kind, first.text, (first.key[0] * last.factor,), last.unit, last.measure, last.factor), last
    return first, last


def _choose_comparison(kind: str, *, is_at_end: bool) -> Comparison:
    """Return the comparison. "Before the end of May" includes May."""
    comparison = _COMPARISONS[kind]
    return Comparison.AT_MOST if is_at_end and comparison is Comparison.LESS else comparison


def is_temporal(value: Value) -> bool:
    """Whether a value is a date, or can be a year."""
    return value.kind is ValueKind.DATE or is_year(value)


def is_year(value: Value) -> bool:
    """Whether a number can be a year."""
    is_plain = value.kind is ValueKind.NUMBER and not value.unit
    return is_plain and value.text.isdigit() and 1900 <= value.key[0] < 2100


def _find_longest_value(
    found: re.Match[str], group: str, spoken: Language, expects_date: bool = False, *, reads_days: bool = True
) -> tuple[str, Value] | None:
    """Return the longest beginning of a group that is a date, a time, or a number with a known unit or without one."""
    for beginning in _list_beginnings(found[group].rstrip(" .,?!:")):
        rest = found.string[found.start(group) + len(beginning) :]
        is_expected = expects_date and spoken == "de" and bool(_DAY_WITH_ZERO.fullmatch(beginning) or rest[:1] == ".")
        day = read_day_number(beginning, rest, expects_date=is_expected) if reads_days else None
        value = day or read_value(beginning, _MARKS[spoken])
        is_known = value.measure != value.unit.lower() or value.measure in {"", "€", "$", "£"}
        if value.kind in {ValueKind.DATE, ValueKind.TIME} or (value.kind is ValueKind.NUMBER and is_known):
            return beginning, value
    return None


def _list_beginnings(text: str) -> Iterator[str]:
    parts: Sequence[str] = text.split(" ")
    for count in range(len(parts), 0, -1):
        yield " ".join(parts[:count])


def is_within_limit(value: Value, comparison: Comparison, limit: Value) -> bool:
    """Whether a value is within a limit. Only the given parts of a date are compared: "after 2016" compares years."""
    if value.kind is ValueKind.DATE:
        own, other = _select_given_parts(value, limit)
    elif value.is_comparable(limit):
        own, other = value.key, limit.key
    else:
        return False
    return {
        Comparison.LESS: own < other,
        Comparison.AT_MOST: own <= other,
        Comparison.MORE: own > other,
        Comparison.AT_LEAST: own >= other,
        Comparison.DURING: own == other,
    }[comparison]


def is_clear_limit(values: Sequence[Value], comparison: Comparison, limit: Value) -> bool:
    """Whether each value is within the limit, or is not, by both readings of its number and of the limit's."""
    return all(
        is_within_limit(read, comparison, limited) is is_within_limit(value, comparison, limit)
        for value in values
        for read in (value, value.reread)
        for limited in (limit, limit.reread)
    )


def _select_given_parts(value: Value, limit: Value) -> tuple[tuple[Decimal, ...], tuple[Decimal, ...]]:
    given = [at for at, part in enumerate(_parse_date(limit)) if part]
    return tuple(value.key[at] for at in given), tuple(_parse_date(limit)[at] for at in given)


def _parse_date(limit: Value) -> tuple[Decimal, ...]:
    return limit.key if limit.kind is ValueKind.DATE else (limit.key[0], Decimal(0), Decimal(0))


def may_limit(bound: Bound, values: Sequence[Value]) -> bool:
    """Whether a limit applies to these values: all are of its kind, or dates if it is a year or a date."""
    limit = bound.value
    if values[0].kind is ValueKind.DATE:
        is_date = limit.kind is ValueKind.DATE or (bound.is_temporal and is_year(limit))
        return is_date and _can_compare(bound, values)
    if values[0].kind is ValueKind.NUMBER and not limit.unit:
        if bound.is_temporal and is_year(limit) and not all(map(is_year, values)):
            return False  # numbers that name things
        return limit.kind is ValueKind.NUMBER and all(not value.unit for value in values)
    return values[0].is_comparable(limit)


def _can_compare(bound: Bound, dates: Sequence[Value]) -> bool:
    """Whether all dates have the parts of the limit, and are of one year if the limit has no year."""
    parts = _parse_date(bound.value)
    years = {date.key[0] for date in dates}
    is_clear = bool(parts[0]) or bound.comparison is Comparison.DURING or len(years) == 1
    return is_clear and all(date.key[at] for date in dates for at, part in enumerate(parts) if part)
