"""Leaves out sentences and items about another month, quarter or year than the one that a question names.

"How many tickets came in October?" is matched by "In September 612 tickets came in" in all other words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from core.answering.extractive.units import Unit, find_needed_text
from core.dates import LONG_MONTH_NAMES, MONTHS
from core.model import TEXT_KINDS
from core.text import split_subject

_NOT_COUNTED = r"(?! (?:[^\W\d_]+s\b|(?-i:[A-ZÄÖÜ])))"  # "In 2000 cases" and "In 2000 Fällen" name no year
_PERIOD = re.compile(
    rf"(?i)\b(?:in|im|during|for|für|während) (?:(?:the|dem|des|jahr|year|month|monat|quarter|quartal) ){{0,2}}"
    rf"(?:(?P<month>{LONG_MONTH_NAMES})|(?P<quarter>q[1-4])|(?P<year>(?:19|20)\d\d{_NOT_COUNTED}))(?![\w-]|\.\d)"
)
_FIRST = 15  # characters before a period that stands at the beginning of a sentence: "Decision: In May …"
_MONTHS = 12
RELATIVE = re.compile(
    r"(?i)\b(?:before|after|since|until|till|by|next|previous|between|than|vor|nach|seit|bis|zwischen|als)\b"
)
"""Words of a question that is not about the time or number itself, but about others."""


class _Period(NamedTuple):
    kind: str
    value: str


def leave_out_other_periods(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Return the units without those that state another period, and not the question's only one of the same kind.

    With the question's period in the title or a heading, only a sentence that begins with an earlier one is about that:
    a report of October compares with September, and minutes of October say what happens in November.
    """
    own = split_subject(question)[0]
    asked = set(_list_periods(own))
    if len({period.kind for period in asked}) != len(asked) or RELATIVE.search(own):
        return list(units)
    return [unit for unit in units if not any(_is_of_other(unit, period) for period in asked)]


def _list_periods(text: str) -> list[_Period]:
    return [_read(match) for match in _PERIOD.finditer(text)]


def _read(match: re.Match[str]) -> _Period:
    kind = match.lastgroup or ""
    said = match[kind].lower()
    return _Period(kind, str(MONTHS[said]) if kind == "month" else said)


def _is_of_other(unit: Unit, period: _Period) -> bool:
    if unit.evidence.kind not in TEXT_KINDS:
        return False
    needed = find_needed_text(unit) if unit.evidence.kind == "passage" else ""  # "Decided in May" is no item's period
    said = f"{needed} {unit.text}"
    stated = [match for match in _PERIOD.finditer(said) if _read(match).kind == period.kind]
    if not stated or _has_period(said, period):
        return False
    context = unit.evidence.context
    if not _has_period(" ".join((context.title, *context.heading_path)), period):
        return True
    return stated[0].start() <= _FIRST and _is_earlier(_read(stated[0]), period)


def _is_earlier(stated: _Period, asked: _Period) -> bool:
    """Whether a period is before another one; of months, within half a year."""
    if asked.kind == "month":
        return 0 < (int(asked.value) - int(stated.value)) % _MONTHS <= _MONTHS // 2
    return stated.value < asked.value


def _has_period(text: str, period: _Period) -> bool:
    if period.kind == "month":
        return any(MONTHS.get(word) == int(period.value) for word in re.findall(r"[^\W\d_]+", text.lower()))
    return period.value in re.findall(r"\w+", text.lower())
