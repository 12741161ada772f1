"""The kind of value that a question asks for, and whether a text has one.

"How much does the card cost?" is not answered by a page about cards that names no price: it matches the question by all
other words. Such an answer is refused. Among units that fit nearly as well, one with a value of the kind comes first.

The tests are generous, since a wrong refusal hides an answer: any number may be the one of "how many".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from core.answering.extractive.units import ScoredUnit, Unit, is_about_same, is_code, put_first
from core.dates import MONTHS
from core.evidence.comments import read_post_day
from core.model import Evidence
from core.reading.questions.yes_no import is_yes_no_question
from core.reading.values import find_quantity
from core.reading.words import NUMBER_WORDS, split_words
from core.wording.focus import Focus
from core.wording.quotations import Quotation

_NEAR = 0.95  # of the best unit's score
_ELSEWHERE = 0.8  # of the best unit's score, if the best ones lack a value
_LEAST_COUNTED = 2  # lines or rows that can be counted
_SHORTEST_NOUN = 4  # letters of a noun that are compared
_ENDING = 2  # letters at its end that are not: those of the plural
_LONG_NAME = 4  # letters of a month that is no other word
_COSTS = "costs?|charges?|kostet|kosten|verlangt|verlangen"
_PRICE = "price|fee|salary|budget|preis|gebühr|gehalt"
_PERIOD = (
    "seconds?|sekunden?|minutes?|minuten?|hours?|stunden?|days?|tage?n?|weeks?|wochen?|months?|monate?n?|years?"
    "|jahre?n?"
)
_ENDLESS = (
    r"(?:until|bis)\s+[^\W\d_]|forever|permanent(?:ly)?|indefinitely|unlimited|always|dauerhaft|unbegrenzt|unbefristet"
    "|immer"
)
"""Words for a duration without a number; "until 20 March", the day on which a task is due, is none."""
_YEAR = r"\b(?:1[89]|20)[0-9]{2}\b"
_OFTEN = (
    "hourly|daily|weekly|bi-?weekly|fortnightly|monthly|quarterly|annual(?:ly)?|yearly"
    "|(?:once|twice|[0-9]{1,4} times) (?:an?|per|every|in)|(?:mon|tues|wednes|thurs|fri|satur|sun)days"
    "|stündlich|täglich|wöchentlich|monatlich|vierteljährlich|halbjährlich|jährlich"
    "|(?<!noch )(?:ein|zwei|drei|vier|fünf|[0-9]{1,4}) ?mal|(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs"
)
_MONTH = "|".join(sorted((name for name in MONTHS if len(name) >= _LONG_NAME), key=len, reverse=True))
_WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?"
# Only what stands before "day" or "Tag" and makes it a date: "on the second day".
_ORDINAL = (
    "first|second|third|fourth|fifth|sixth|seventh|last|ersten|zweiten|dritten|vierten|fünften|sechsten|siebten|letzten"
)
_DAY = (
    rf"{_YEAR}|\b[0-9]{{1,2}}[./][0-9]|\b(?:{_MONTH}|{_WEEKDAY})\b|\b[0-9]{{1,2}}\.? (?:{'|'.join(MONTHS)})\b"
    rf"|(?:[0-9](?:st|nd|rd|th|\.)|\b(?:{_ORDINAL})) (?:day|tag|week|woche)\b"
)
_CLOCK = (
    r"\b[0-9]{1,2}(?:\.[0-9]{2})? ?(?:am\b|pm\b|[ap]\.m\.|o['’]clock\b|uhr\b)"
    r"|\b(?:noon|midday|midnight|mittags?|mitternachts?)\b"
)
_NUMBER_WORD = "|".join(NUMBER_WORDS)
_NUMBER = rf"(?<![\w./:#-])[0-9]|\b(?:{_NUMBER_WORD}|hundred|thousand|hundert|tausend)\b"


_TIME = (
    rf"{_DAY}|[0-9]:[0-9]{{2}}|{_CLOCK}|\b(?:{_OFTEN})\b"
    rf"|(?:[0-9]|\b(?:{_NUMBER_WORD})) (?:\w+ )?(?:{_PERIOD})\b|\b[0-9]{{1,2}}(?:st|nd|rd|th)\b"
    r"|\b(?:am|zum) [0-9]{1,2}\.|\b(?:after|before|once|as soon as|nachdem|sobald|bevor)\b"
)


class AskedKind(NamedTuple):
    """A kind of value: what asks for it, and what says one.

    ``is_time``: dates do. ``is_count``: a list does too. ``is_optional``: other words may say one as well.
    """

    question: re.Pattern[str]
    text: re.Pattern[str]
    is_time: bool = False
    is_count: bool = False
    is_optional: bool = False
    quantity: str = ""  # of the unit that is counted: "how many days"
    clear: re.Pattern[str] | None = None  # what says one for certain, and comes first
    counted: re.Pattern[str] | None = None  # a number of what is counted: "164 medication orders"


def _make_kind(
    question: str,
    text: str,
    *,
    is_time: bool = False,
    is_count: bool = False,
    is_optional: bool = False,
    clear: str = "",
) -> AskedKind:
    return AskedKind(
        re.compile(f"(?i){question}"),
        re.compile(f"(?i){text}"),
        is_time,
        is_count,
        is_optional,
        clear=re.compile(f"(?i){clear}") if clear else None,
    )


_KINDS = (
    _make_kind(
        r"\b(?:since when|from when|seit wann|ab wann)\b",
        rf"{_DAY}",
        is_time=True,
        is_optional=True,
        clear=rf"\b(?:since|from|as of|starting|seit|ab)\b[^\n,;]{{0,15}}?(?:{_DAY})"
        r"|\b(?:date|datum|valid from|gültig ab|start(?:ed)?|beginn)(?: is|:) ",
    ),
    _make_kind(
        r"\b(?:how long|how much time|wie lange?|wie ?viel zeit)\b"
        r"|\b(?:which|what|welche|was)\b[^?]{0,40}\b(?:duration|dauer)\b",
        rf"\b(?:{_PERIOD})\b|\b(?:{_ENDLESS})|[0-9]:[0-9]{{2}}|(?<![\w.])[0-9]+(?:[.,][0-9]+)?[ -]?[^\W\d_]"
        rf"|\b(?:{_NUMBER_WORD})[ -][^\W\d_]",
        clear=rf"(?:[0-9]|\b(?:{_NUMBER_WORD}|an?|half an?|eine[nr]?|halbe[nr]?))[ -](?:\w+ )?(?:{_PERIOD})\b",
    ),
    _make_kind(
        rf"\b(?:how much|what|was|wie ?viel)\b[^?]{{0,80}}\b(?:{_COSTS})\b|\b(?:how expensive|wie teuer)\b"
        r"|\b(?:which|what|welche[rns]?) (?:fee|salary|gebühr|gehalt)\b"
        rf"|\b(?:what|how (?:high|large)|wie hoch|was) (?:is|was|ist|war) (?:the|der|die|das) (?:{_PRICE})\b",
        r"[€$£] ?[0-9]|[0-9] ?[€$£]|\b(?:EUR|USD|GBP|CHF|euros?|dollars?|cents?|free|kostenlos\w*|gratis)\b"
        rf"|\b(?:{_PRICE}|{_COSTS})\b[^.\n]{{0,40}}[0-9]",
    ),
    _make_kind(
        r"\b(?:how (?:often|frequently)|wie (?:oft|häufig))\b",
        rf"\b(?:{_OFTEN})\b"
        rf"|\b(?:every|each|per|pro|jede[rnms]?|alle) (?:\w+ )?(?:{_PERIOD}|quarter|quartale?|{_WEEKDAY})\b",
        is_optional=True,
    ),
    _make_kind(r"\b(?:which|what|welche[nms]) (?:year|jahr)\b", _YEAR, is_time=True),
    _make_kind(
        r"\b(?:which|what|welche[nms]) (?:day|date|tag|datum)\b|^\W*(?:when (?:was|were)|wann (?:war|wurden?))\b",
        _DAY,
        is_time=True,
        clear=r"(?:^|[:,] |\band )(?:date|datum|day|tag)(?: is|:) ",
    ),
    _make_kind(
        r"\b(?:(?:what|which|welche|wie)\b[^?]{0,60} )?(?:(?:tele)?phone (?:number|no)|telefonnummer)\b",
        r"[0-9](?:[ /().-]{0,2}[0-9]){4}|\b(?:extension|durchwahl)\W{0,3}[0-9]",
    ),
    _make_kind(r"\b(?:how many|wie ?viele)\b", _NUMBER, is_count=True),
    _make_kind(
        r"\b(?:(?:until|till|by) when|bis wann)\b",
        rf"{_TIME}|\b(?:until|till|within|latest|immediately|bis|binnen|innerhalb|spätestens|sofort|unverzüglich)\b",
        is_time=True,
    ),
    _make_kind(r"\b(?:when|wann)\b", _TIME, is_time=True, is_optional=True),
)
_FEW_WORDS = re.compile(r"(?i)\b(?:one|a single|einen?|no|none|all|both|every|alle|beide|jede[rns]?|kein[er]?)\b")
"""Words that may answer "how many", but stand in most texts."""
_ASKS_BEFORE = re.compile(r"(?i)\b(?:which|what|who|where|why|how|welche[rnms]?|was|wer|wo|warum|wie)\b")
_NO_VALUES = re.compile(r"(?m)https?://\S+|^[ \t]*[0-9]+\. |\b[0-9]+(?:\.[0-9]+){2,}\b")
_DATES = re.compile(
    rf"(?i){_YEAR}(?:-[0-9]{{2}}-[0-9]{{2}}(?:T[0-9:.]+Z?)?)?|\b[0-9]{{1,2}}\.? (?:{'|'.join(MONTHS)})\b"
    rf"|\b(?:{'|'.join(MONTHS)})\.? [0-9]{{1,2}}\b"
)
_CLOCK_TIMES = re.compile(r"\b[0-9]{1,2}:[0-9]{2}\b")
_LINE = re.compile(r"(?m)^[ \t]*(?:-|[0-9]+\.) ")


def has_value(kind: AskedKind, unit: Unit) -> bool:
    """Whether a unit has a value of the kind. "Row 3 in Table 1" before the cells of a row is none."""
    text = "\n".join(f"{header}: {value}" for header, value in unit.cells) or unit.text
    return not is_code(unit.text) and _has_value(kind, text, unit.evidence)


def find_asked_kind(question: str) -> AskedKind | None:
    """Return the kind of value that a question asks for first; None if it asks for something else."""
    if is_yes_no_question(question):
        return None
    for kind in _KINDS:
        found = kind.question.search(question)
        if found and not _ASKS_BEFORE.search(question, 0, found.start()):
            counted = next(iter(split_words(question[found.end() :])), None) if kind.is_count else None
            return _count(kind, counted.text) if counted else kind
    return None


def _count(kind: AskedKind, noun: str) -> AskedKind:
    """Return the kind for a number of this noun, or of units of what it measures."""
    if quantity := find_quantity(noun):
        return kind._replace(quantity=quantity)
    if len(noun) < _SHORTEST_NOUN:
        return kind
    stem = re.escape(noun[: max(_SHORTEST_NOUN, len(noun) - _ENDING)])
    return kind._replace(counted=re.compile(rf"(?i)(?:{_NUMBER})[\d.,]*[ -](?:\w+ ){{0,2}}\w*{stem}\w*"))


def put_values_first(focus: Focus, kind: AskedKind, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Move to the front the unit with a value of the kind, of those that match nearly as well as the best.

    If other words may say a value as well, it has to have the question's words too. A number of what is counted comes
    first on the best one's page though it matches less well: "164 orders" before "nine minutes".
    """
    if kind.counted and units:
        page = (unit for unit in units if unit.evidence.page_id == units[0].evidence.page_id)
        near = (unit for unit in page if unit.score >= _ELSEWHERE * units[0].score and not is_code(unit.text))
        if counted := next((unit for unit in near if _says_count(kind.counted, unit)), None):
            return put_first(counted, units)
    said = [unit for unit in units if not kind.is_optional or is_about_same(focus, unit, units[0])]
    return put_first(_find_value(kind, said, _NEAR), units)


def _says_count(counted: re.Pattern[str], unit: Unit) -> bool:
    return bool(counted.search(_CLOCK_TIMES.sub(" ", _DATES.sub(" ", _NO_VALUES.sub(" ", unit.text)))))


def find_value_elsewhere(kind: AskedKind, units: Sequence[ScoredUnit]) -> ScoredUnit | None:
    """Return the best unit with a value of the kind, also if it matches less well than the best ones; None without."""
    return _find_value(kind, units, _ELSEWHERE)


def _find_value(kind: AskedKind, units: Sequence[ScoredUnit], least: float) -> ScoredUnit | None:
    near = [unit for unit in units if unit.score >= least * units[0].score and has_value(kind, unit)]
    clear = (unit for unit in near if kind.clear and kind.clear.search(unit.text))
    return next(clear, near[0] if near else None)


def lacks_value(kind: AskedKind | None, quotations: Sequence[Quotation]) -> bool:
    """Whether a question asks for a value of a kind that no quotation has, nor several lines or rows to be counted."""
    if kind is None or any(_has_value(kind, each.text, each.evidence) for each in quotations):
        return False
    if not kind.is_count or kind.quantity:
        return True
    said = "\n".join(each.text for each in quotations)
    counted = len(_LINE.findall(said)) + sum(bool(each.evidence.rows) for each in quotations)
    return counted < _LEAST_COUNTED and not _FEW_WORDS.search(said)


def _has_value(kind: AskedKind, text: str, evidence: Evidence) -> bool:
    context = evidence.context
    said = _NO_VALUES.sub(" ", "\n".join((*context.heading_path, text)))
    if kind.is_time:
        return bool(kind.text.search(f"{context.title}\n{said}")) or read_post_day(context) is not None
    if kind.quantity and not any(find_quantity(word.text) == kind.quantity for word in split_words(said)):
        return False
    said = _DATES.sub(" ", said)
    return bool(kind.text.search(_CLOCK_TIMES.sub(" ", said) if kind.is_count else said))
