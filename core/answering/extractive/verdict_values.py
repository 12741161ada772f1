"""Verdicts by a value: what is asked is said of the same value, or of another one of its kind.

"Does the call take place on the second Thursday?" is answered by "on the third Thursday of every month". A sentence or
row with several values of the kind says nothing, and neither does one where more than one value may be right, such as
the days on which something is open.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from core.answering.extractive.states import STATES, unify_states
from core.answering.extractive.units import TABLES, ScoredUnit, find_needed_parts, strip_marker
from core.answering.extractive.verdict import CONDITIONS, NEGATIONS, Question, is_stated
from core.answering.extractive.verdict_words import Source, Text, find_unknown, list_stated
from core.answering.extractive.whole_sections import PROSE
from core.reading.values import ValueKind, find_quantity, read_value
from core.reading.words import EMPTY_WORDS, Word, has_same_noun, is_same_noun, split_words

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
_NUMBERS = {
    name: number
    for number, names in enumerate(
        (
            "two zwei", "three drei", "four vier", "five fünf", "six sechs", "seven sieben", "eight acht", "nine neun",
            "ten zehn", "eleven elf", "twelve zwölf",
        ),
        start=2,
    )
    for name in names.split()
}  # fmt: skip
_PERIODS = "day week month quarter year tag tage woche monat quartal jahr"
_DAY = "|".join(_DAY_NUMBERS)
_VALUE = re.compile(
    rf"(?i)(?<![\w.:,/-])(?:(?P<ordinal>{'|'.join(_ORDINALS)}|[1-9][0-9]?(?:st|nd|rd|th|\.)) "
    rf"(?P<noun>{_DAY}|{'|'.join(_PERIODS.split())})"
    rf"|(?P<weekday>{_DAY})"
    r"|(?P<time>[0-2]?[0-9]:[0-5][0-9](?! ?[ap]m)(?: Uhr)?|[0-2]?[0-9] Uhr|1?[0-9](?::[0-5][0-9])? ?[ap]m)"
    r"|(?P<currency>[€$£] ?)?"
    rf"(?P<number>[0-9]{{1,9}}(?:[.,'][0-9]{{1,9}}){{0,3}}|{'|'.join(_NUMBERS)})"
    rf"(?P<unit> ?(?:[%€$£]|°C|(?!(?:{'|'.join(_NUMBERS)})\b)[^\W\d_]{{1,20}}))?)(?![\w])"
)
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_DATED = re.compile(r"(?i),? (?:the |dem |den )?[0-9]{1,2}(?![0-9:])")
_MOST = re.compile(r"(?i)\b(?:at most|up to|no more than|a maximum of|höchstens|maximal|bis zu)\W*$")
_LEAST = re.compile(r"(?i)\b(?:at least|no less than|a minimum of|mindestens|wenigstens)\W*$")
_LIMITING = frozenset(
    """than over under about around approximately roughly between from to until till by or and before after below above
    since nearly almost every each about rund etwa ca circa zwischen von bis ab oder und vor nach unter über seit fast
    als alle jeden jede""".split()  # noqa: SIM905
)
"""Words before a value that are part of it, so that question and source have to share them."""
_SET_TO = frozenset("default defaults set equal amounts".split())  # noqa: SIM905
_MAY = re.compile(r"(?i)^\W*(?:can|could|may|kann|können|darf|dürfen)\b")
_ON, _OFF = "enabled|true|on|active|yes|an|aktiv", "false|off|no|aus|inaktiv|not enabled"
_BY_DEFAULT = r"(?:by|per) default|standardmäßig"
_ASKS_DEFAULT = re.compile(
    rf"(?i)\b(?P<first>{_ON}|{_OFF}) (?:{_BY_DEFAULT})|\b(?:{_BY_DEFAULT}) (?P<last>{_ON}|{_OFF})\b"
)
_DEFAULT_IS = r"\b(?:defaults?|default (?:value|setting)|standardwert|voreinstellung)(?: is| to|:| ist)(?: set to)?"
_SAYS_DEFAULT = re.compile(
    rf"(?i)(?:{_DEFAULT_IS} [\"'`]?(?:(?P<off>{_OFF})|(?P<on>{_ON}))\b"
    rf"|\b(?:(?P<off_by>{_OFF})|(?P<on_by>{_ON})) (?:{_BY_DEFAULT}))"
)
_SAID_BY_VALUE = frozenset(
    """need needs have get gets allow allows allowed cost costs amount default defaults within brauche brauchen braucht
    erlaubt kostet kosten betragen beträgt statt innerhalb""".split()  # noqa: SIM905
)
"""Words of a question that a row's header and cell say together."""


@dataclass(frozen=True, slots=True)
class _Value:
    """A value in a text. ``kind``: what it may differ from; ``unit``: the word after a number, or its quantity."""

    kind: str
    amount: Decimal
    unit: str
    start: int
    end: int
    bound: str  # "most", "least", a limiting word before it, or ""
    is_repeated: bool = False  # "Fridays"
    is_dated: bool = False  # "Friday, 4 May"

    def is_of_kind(self, other: _Value) -> bool:
        return self.kind == other.kind and (self.unit == other.unit or is_same_noun(self.unit, other.unit))


def read_value_verdict(asked: Question, unit: ScoredUnit) -> Source | None:
    """Return what a sentence, item or row answers about the values of a question."""
    if default := _ASKS_DEFAULT.search(asked.text, asked.start):
        return _read_default(asked, default, unit)
    values = _list_asked(asked)
    if not values or (_MAY.match(asked.text[asked.start :]) and not any(each.kind == "number" for each in values)):
        return None
    stated = list_stated(_without_values(asked, values))
    if len(stated) < 1 or (any(each.kind != "number" for each in values) and asked.folded & STATES):
        return None
    if unit.evidence.kind in TABLES:
        return _read_row(asked, stated, values, unit)
    return _read_sentence(asked, stated, values, unit) if unit.evidence.kind in {*PROSE, "list"} else None


def _list_asked(asked: Question) -> list[_Value]:
    """Return the values of a question that stand after a word for what they are said of."""
    text = asked.text[asked.start :]
    return [
        value for value in _list_values(text) if any(is_stated(word) for word in split_words(text[: value.start])[1:])
    ]


def _without_values(asked: Question, values: Sequence[_Value]) -> Question:
    text = asked.text[asked.start :]
    for value in reversed(values):
        text = f"{text[: value.start]} {text[value.end :]}"
    return replace(asked, words=split_words(text))


def _list_values(text: str) -> Iterator[_Value]:
    """Yield the values of a text: ordinals with their day or period, weekdays, times, and numbers with a unit."""
    for found in _VALUE.finditer(text):
        start, end = found.span()
        before = text[max(start - 20, 0) : start]
        bound = "most" if _MOST.search(before) else "least" if _LEAST.search(before) else _read_word_before(before)
        if found["ordinal"]:
            name = found["ordinal"].lower()
            amount = _ORDINALS[name] if name in _ORDINALS else int(re.sub(r"\D", "", name))
            day = found["noun"].lower()
            yield _Value("ordinal", Decimal(amount), "" if day in _DAY_NUMBERS else day, start, end, bound)
            if day in _DAY_NUMBERS:
                yield _Value("weekday", Decimal(_DAY_NUMBERS[day]), "", found.start("noun"), end, "")
        elif found["weekday"]:
            name = found["weekday"].lower()
            value = _Value("weekday", Decimal(_DAY_NUMBERS[name]), "", start, end, bound)
            yield replace(value, is_repeated=name.endswith("s"), is_dated=bool(_DATED.match(text, end)))
        elif found["time"]:
            yield _Value("time", _read_time(found["time"]), "", start, end, bound)
        elif (number := _read_number(found, text)) is not None:
            yield replace(number, bound=bound)


def find_numbers(text: str) -> Iterator[tuple[str, Decimal, int, int]]:
    """Yield the unit or quantity, the amount, the start and the end of each number in a text."""
    for value in _list_values(text):
        if value.kind == "number":
            yield value.unit, value.amount, value.start, value.end


def _read_word_before(text: str) -> str:
    words = [word.folded for word in split_words(text)]
    is_set = len(words) > 1 and words[-2] in _SET_TO
    return words[-1] if words and words[-1] in _LIMITING and not is_set else ""


def _read_time(text: str) -> Decimal:
    hours, minutes = (int(part) for part in ([*re.findall(r"\d+", text), "0"])[:2])
    is_afternoon = "p" in text.lower()
    return Decimal(60 * (hours % 12 + 12 if is_afternoon else hours) + minutes)


def _read_number(found: re.Match[str], text: str) -> _Value | None:
    """Return a number with its unit or the noun after it; None for a number that belongs to a name ("Wren 2")."""
    before = split_words(text[: found.start()])
    digits = str(_NUMBERS.get(found["number"].lower(), found["number"]))
    unit = (found["currency"] or found["unit"] or "").strip()
    if before and before[-1].text[:1].isupper() and text[found.start() - 1 : found.start()] == " " and len(before) > 1:
        unit = unit if find_quantity(unit) else ""
        if not unit:
            return None
    quantity = find_quantity(unit)
    value = read_value(f"{digits} {unit}" if quantity else digits)
    if value.kind is not ValueKind.NUMBER or (not unit and _YEAR.fullmatch(digits)):
        return None
    return _Value("number", value.key[0], quantity or unit.lower(), *found.span(), "")


# ----------------------------------------------------------------------------------------- defaults


def _read_default(asked: Question, default: re.Match[str], unit: ScoredUnit) -> Source | None:
    """Return whether a setting is on by default, as "The default is false" below its name says."""
    context, text = unit.evidence.context, strip_marker(unit.text).strip()
    said = [(found.lastgroup or "").startswith("on") for found in _SAYS_DEFAULT.finditer(unify_states(text))]
    place = " ".join((context.title, *context.heading_path))
    left = f"{asked.text[asked.start : default.start()]} {asked.text[default.end() :]}"
    stated = list_stated(replace(asked, words=split_words(left)))
    if len(said) != 1 or unit.evidence.kind in TABLES or not stated:
        return None
    if find_unknown(asked, stated, Text.of(text), Text.of(place)) != ():
        return None
    is_off = (default["first"] or default["last"]).lower() in _OFF.split("|")
    reason = text if any(Text.of(text).has(word) for word in stated) else f"{context.heading_path[-1]}: {text}"
    return Source(said[0] is not is_off, reason, unit, (), "") if context.heading_path else None


# ----------------------------------------------------------------------------------------- verdicts


def _compare(asked: _Value, said: _Value, may: bool) -> bool | None:
    """Return whether what is said confirms the asked value; None if it leaves it open."""
    if said.bound == "most":
        if asked.bound in {"", "most"} and asked.amount > said.amount:
            return False
        return True if asked.bound == "most" and asked.amount == said.amount else None
    if said.bound == "least":
        if asked.bound in {"", "least"} and asked.amount < said.amount:
            return False
        return True if asked.bound == "least" and asked.amount == said.amount else None
    if may or asked.bound != said.bound or (asked.is_repeated and said.is_dated):
        return None
    return asked.amount == said.amount


def _settle(asked: Question, values: Sequence[_Value], said: Sequence[_Value]) -> bool | None:
    """Return yes if each value of the question is said, no if another one is said for one of them."""
    may = bool(_MAY.match(asked.text[asked.start :]))
    verdicts: list[bool | None] = []
    for value in values:
        same = [each for each in said if each.is_of_kind(value)]
        if len(same) != 1:
            return None
        verdicts.append(_compare(value, same[0], may))
    if None in verdicts:
        return None
    return all(verdicts)


def _is_limited(text: str, asked: Question) -> bool:
    said = Text.of(text).folded
    return bool(said & NEGATIONS) or bool(said & CONDITIONS - asked.folded)


def _read_sentence(
    asked: Question, stated: Sequence[Word], values: Sequence[_Value], unit: ScoredUnit
) -> Source | None:
    evidence = unit.evidence
    sentence = strip_marker(unit.text).strip()
    if "?" in sentence or "```" in sentence or _is_limited(sentence, asked):
        return None
    says = _settle(asked, values, list(_list_values(sentence)))
    needed = [evidence.parts[at] for at in find_needed_parts(evidence.parts, unit.index)]
    own, place = Text.of(sentence), Text.of(" ".join((evidence.context.title, *evidence.context.heading_path, *needed)))
    unknown = find_unknown(asked, stated, own, place)
    if says is None or unknown is None or not any(own.has(word) for word in stated) or (says and unknown):
        return None
    return Source(says, sentence, unit, unknown, "\n".join((evidence.context.title, *needed, sentence)))


def _read_row(asked: Question, stated: Sequence[Word], values: Sequence[_Value], unit: ScoredUnit) -> Source | None:
    evidence = unit.evidence
    row = evidence.rows[unit.index] if unit.index < len(evidence.rows) else ()
    folded = {word.folded for word in stated} | {value.unit for value in values}
    said: list[_Value] = []
    cells: list[str] = []
    for value in values:
        of_kind = [(header, cell, each) for header, cell in row for each in _list_cell_values(header, cell, value)]
        chosen = _choose_named(of_kind, folded)
        if chosen is None or _is_limited(chosen[1], asked):
            return None
        header, cell, found = chosen
        is_in_header = not found.bound and value.bound in {word.folded for word in split_words(header)}
        said.append(replace(found, bound=value.bound) if is_in_header else found)
        cells.append(f"{header}: {cell}" if header else cell)
    says = _settle(asked, values, said)
    own = Text.of(" ".join(f"{header} {cell}" for header, cell in row))
    place = Text.of(" ".join((evidence.context.title, *evidence.context.heading_path)))
    needed = [word for word in stated if word.folded not in _SAID_BY_VALUE | EMPTY_WORDS]
    unknown = find_unknown(asked, needed, own, place)
    first = row[0][1] if row else ""
    if says is None or unknown is None or not any(Text.of(first).has(word) for word in needed):
        return None
    reason = ", ".join(dict.fromkeys((first, *cells)))
    return Source(says, reason, unit, unknown, reason)


def _choose_named(found: Sequence[tuple[str, str, _Value]], asked: Collection[str]) -> tuple[str, str, _Value] | None:
    """Return the only cell value, or the one whose header has most words of the question; None if several do."""
    shares = [sum(has_same_noun(word.folded, asked) for word in split_words(header)) for header, _, _ in found]
    most = [each for each, share in zip(found, shares, strict=True) if share == max(shares)]
    return most[0] if len(most) == 1 else None


def _list_cell_values(header: str, cell: str, asked: _Value) -> Iterator[_Value]:
    """Yield the values of a cell that are of the asked kind; a plain number is of what its header names."""
    found = [each for each in _list_values(cell) if each.is_of_kind(asked)]
    yield from found
    plain = read_value(cell)
    is_plain = asked.kind == "number" and plain.kind is ValueKind.NUMBER and not plain.unit
    if not found and is_plain and is_same_noun(next((w.folded for w in split_words(header)), ""), asked.unit):
        yield replace(asked, amount=plain.key[0], bound="")
