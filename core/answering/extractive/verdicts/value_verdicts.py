"""Verdicts by a value: what is asked is said of the same value, or of another one of its kind.

"Does the call take place on the second Thursday?" is answered by "on the third Thursday of every month". A sentence or
row with several values of the kind says nothing, and neither does one where more than one value may be right, such as
the days on which something is open.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from core.answering.extractive.units import ScoredUnit, find_needed_parts
from core.answering.extractive.verdicts.needed_words import (
    TextWords,
    UnitVerdict,
    find_missing_words,
    is_same_word,
    list_stated,
)
from core.answering.extractive.verdicts.spoken_values import SpokenValue, list_values
from core.answering.extractive.verdicts.states import STATES, unify_states
from core.answering.extractive.verdicts.yes_no_question import CONDITIONS, NEGATIONS, YesNoQuestion, is_stated
from core.model import TABLE_KINDS, TEXT_KINDS
from core.reading.values import ValueKind, read_value
from core.reading.words import EMPTY_WORDS, Word, has_same_noun, is_same_noun, split_words
from core.wording.list_markers import strip_marker

_MAY = re.compile(r"(?i)^\W*(?:can|could|may|kann|können|darf|dürfen)\b")
_SEVERAL = 2
_PART = re.compile(r"[,;](?![0-9])|\b(?:and|und|but|aber)\b")
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
_DEFAULT_HEADER = re.compile(r"(?i)(?:default|standard|voreinstellung)(?:wert| value| setting)?s?")
_STATES_OF_CELL = dict.fromkeys(_OFF.split("|"), False) | dict.fromkeys(_ON.split("|"), True)
_SAID_BY_VALUE = frozenset(
    """need needs have get gets allow allows allowed cost costs amount default defaults within brauche brauchen braucht
    erlaubt kostet kosten betragen beträgt statt innerhalb""".split()
)
"""Words of a question that a row's header and cell say together."""


def read_value_verdict(yes_no_question: YesNoQuestion, unit: ScoredUnit) -> UnitVerdict | None:
    """Return what a sentence, item or row answers about the values of a question."""
    if default := _ASKS_DEFAULT.search(yes_no_question.text, yes_no_question.start):
        return _read_default(yes_no_question, default, unit)
    values = _list_asked(yes_no_question)
    if not values or (
        _MAY.match(yes_no_question.text[yes_no_question.start :]) and not any(each.kind == "number" for each in values)
    ):
        return None
    stated = list_stated(_remove_values(yes_no_question, values))
    if len(stated) < 1 or (any(each.kind != "number" for each in values) and yes_no_question.folded & STATES):
        return None
    if unit.evidence.kind in TABLE_KINDS:
        return _read_row(yes_no_question, stated, values, unit)
    return _read_sentence(yes_no_question, stated, values, unit) if unit.evidence.kind in TEXT_KINDS else None


def _list_asked(yes_no_question: YesNoQuestion) -> list[SpokenValue]:
    """Return the values of a question that stand after a word for what they are said of."""
    text = yes_no_question.text[yes_no_question.start :]
    return [
        value for value in list_values(text) if any(is_stated(word) for word in split_words(text[: value.start])[1:])
    ]


def has_values(yes_no_question: YesNoQuestion, text: str) -> bool:
    """Whether a text has the values of a question as such: "6 hours", not "version 6" and "5 hours"."""
    said = list(list_values(text))
    wanted = (
        value
        for value in list_values(yes_no_question.text[yes_no_question.start :])
        if value.unit or value.kind != "number"
    )
    return all(any(each.is_of_kind(value) and each.amount == value.amount for each in said) for value in wanted)


def _remove_values(yes_no_question: YesNoQuestion, values: Sequence[SpokenValue]) -> YesNoQuestion:
    text = yes_no_question.text[yes_no_question.start :]
    for value in reversed(values):
        text = f"{text[: value.start]} {text[value.end :]}"
    return replace(yes_no_question, words=split_words(text))


# ----------------------------------------------------------------------------------------- defaults


def _read_default(yes_no_question: YesNoQuestion, default: re.Match[str], unit: ScoredUnit) -> UnitVerdict | None:
    """Return whether a setting is on by default, as "The default is false" or "Default: off" below its name says."""
    context, text = unit.evidence.context, strip_marker(unit.text).strip()
    left = f"{yes_no_question.text[yes_no_question.start : default.start()]} {yes_no_question.text[default.end() :]}"
    stated = list_stated(replace(yes_no_question, words=split_words(left)))
    if unit.evidence.kind in TABLE_KINDS:
        text = "; ".join(f"{header}: {value}" for header, value in unit.cells)
        said = _list_default_cells(unit.cells, stated)
    else:
        said = [(found.lastgroup or "").startswith("on") for found in _SAYS_DEFAULT.finditer(unify_states(text))]
    if len(said) != 1 or not stated or not context.heading_path:
        return None
    around = TextWords.of(" ".join((context.title, *context.heading_path)))
    if find_missing_words(yes_no_question, stated, TextWords.of(text), around) != ():
        return None
    is_off = (default["first"] or default["last"]).lower() in _OFF.split("|")
    reason = text if any(TextWords.of(text).has(word) for word in stated) else f"{context.heading_path[-1]}: {text}"
    return UnitVerdict(said[0] is not is_off, reason, unit, (), "")


def _list_default_cells(row: Sequence[tuple[str, str]], stated: Sequence[Word]) -> list[bool]:
    """Return whether each cell under "Default" says on; "pump off" counts if the question names the pump."""
    found: list[bool] = []
    for header, value in row:
        said = unify_states(value).strip(" .'`\"").lower()
        state = next((each for each in _STATES_OF_CELL if f" {said}".endswith(f" {each}")), "")
        named = split_words(said.removesuffix(state))
        if _DEFAULT_HEADER.fullmatch(header) and state:
            found += [_STATES_OF_CELL[state]] * all(any(is_same_word(word, each) for each in stated) for word in named)
    return found


# ----------------------------------------------------------------------------------------- verdicts


def _compare(asked: SpokenValue, said: SpokenValue, may: bool) -> bool | None:
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
    if asked.year and said.year and asked.year != said.year:
        return False
    return asked.amount == said.amount


def _settle(yes_no_question: YesNoQuestion, values: Sequence[SpokenValue], said: Sequence[SpokenValue]) -> bool | None:
    """Return yes if each value of the question is said, no if another one is said for one of them."""
    may = bool(_MAY.match(yes_no_question.text[yes_no_question.start :]))
    verdicts: list[bool | None] = []
    for value in values:
        same = [each for each in said if each.is_of_kind(value)]
        if len(same) != 1:
            return None
        verdicts.append(_compare(value, same[0], may))
    if None in verdicts:
        return None
    return all(verdicts)


def _is_limited(text: str, yes_no_question: YesNoQuestion) -> bool:
    said = TextWords.of(text).folded
    return bool(said & NEGATIONS) or bool(said & CONDITIONS - yes_no_question.folded)


def _read_sentence(
    yes_no_question: YesNoQuestion, stated: Sequence[Word], values: Sequence[SpokenValue], unit: ScoredUnit
) -> UnitVerdict | None:
    evidence = unit.evidence
    sentence = strip_marker(unit.text).strip()
    if "?" in sentence or "```" in sentence or _is_limited(sentence, yes_no_question):
        return None
    said = list(list_values(sentence))
    kinds = [[value for value in said if value.is_of_kind(each)] for each in values]
    chosen = [value for same in kinds for value in _choose_part(sentence, same, stated)]
    says = _settle(yes_no_question, values, chosen)
    needed = [evidence.parts[at] for at in find_needed_parts(evidence.parts, unit.index)]
    own, around = (
        TextWords.of(sentence),
        TextWords.of(" ".join((evidence.context.title, *evidence.context.heading_path, *needed))),
    )
    unknown = find_missing_words(yes_no_question, stated, own, around)
    if says is None or unknown is None or not any(own.has(word) for word in stated) or (says and unknown):
        return None
    return UnitVerdict(says, sentence, unit, unknown, "\n".join((evidence.context.title, *needed, sentence)))


def _choose_part(sentence: str, same: Sequence[SpokenValue], stated: Sequence[Word]) -> Sequence[SpokenValue]:
    """Choose of several values of one kind that in the only part of a sentence with other words of the question.

    "Two months in Utrecht and six months in Hamburg" says six of Hamburg.
    """
    if len(same) < _SEVERAL:
        return same
    cuts = [0, *(found.start() for found in _PART.finditer(sentence)), len(sentence)]
    spans = [next(span for span in pairwise(cuts) if span[0] <= value.start < span[1]) for value in same]
    later = zip(spans[1:], same[1:], strict=True)
    if not any(is_stated(word) for (start, _), value in later for word in split_words(sentence[start : value.start])):
        spans[0] = (same[0].start, spans[0][1])  # what stands before the first value is said of all
    having = [{word.folded for word in stated if TextWords.of(sentence[start:end]).has(word)} for start, end in spans]
    shared = frozenset.intersection(*map(frozenset, having))
    chosen = [value for value, words in zip(same, having, strict=True) if words - shared]
    if len(chosen) != 1 or len(set(spans)) < len(spans):
        return same
    return [replace(chosen[0], bound="" if _PART.fullmatch(chosen[0].bound) else chosen[0].bound)]


def _read_row(
    yes_no_question: YesNoQuestion, stated: Sequence[Word], values: Sequence[SpokenValue], unit: ScoredUnit
) -> UnitVerdict | None:
    context, row = unit.evidence.context, unit.cells
    folded = {word.folded for word in stated} | {value.unit for value in values}
    said: list[SpokenValue] = []
    cells: list[str] = []
    for value in values:
        of_kind = [(header, cell, each) for header, cell in row for each in _list_cell_values(header, cell, value)]
        chosen = _choose_named(of_kind, folded)
        if chosen is None or _is_limited(chosen[1], yes_no_question):
            return None
        header, cell, found = chosen
        is_in_header = not found.bound and value.bound in {word.folded for word in split_words(header)}
        said.append(replace(found, bound=value.bound) if is_in_header else found)
        cells.append(f"{header}: {cell}" if header else cell)
    says = _settle(yes_no_question, values, said)
    own = TextWords.of(" ".join(f"{header} {cell}" for header, cell in row))
    around = TextWords.of(" ".join((context.title, *context.heading_path)))
    needed = [word for word in stated if word.folded not in _SAID_BY_VALUE | EMPTY_WORDS]
    unknown = find_missing_words(yes_no_question, needed, own, around)
    first = row[0][1] if row else ""
    if says is None or unknown is None or not any(TextWords.of(first).has(word) for word in needed):
        return None
    reason = ", ".join(dict.fromkeys((first, *cells)))
    return UnitVerdict(says, reason, unit, unknown, reason)


def _choose_named(
    found: Sequence[tuple[str, str, SpokenValue]], asked_words: Collection[str]
) -> tuple[str, str, SpokenValue] | None:
    """Return the only cell value, or the one whose header has most words of the question; None if several do."""
    shares = [sum(has_same_noun(word.folded, asked_words) for word in split_words(header)) for header, _, _ in found]
    most = [each for each, share in zip(found, shares, strict=True) if share == max(shares)]
    return most[0] if len(most) == 1 else None


def _list_cell_values(header: str, cell: str, asked: SpokenValue) -> Iterator[SpokenValue]:
    """Yield the values of a cell that are of the asked kind; a plain number is of what its header names."""
    found = [each for each in list_values(cell) if each.is_of_kind(asked)]
    yield from found
    plain = read_value(cell)
    is_plain = asked.kind == "number" and plain.kind is ValueKind.NUMBER and not plain.unit
    if not found and is_plain and is_same_noun(next((w.folded for w in split_words(header)), ""), asked.unit):
        yield replace(asked, amount=plain.key[0], bound="")
