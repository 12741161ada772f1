"""Verdicts on two things of which a table or text says one quantity each: "Does A need more power than B?".

The two quantities have to stand in the same column, or in two items or sentences of one text that begin with the two
things and name what is measured beside the number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from core.answering.extractive.units import ScoredUnit
from core.answering.extractive.verdicts.needed_words import TextWords, UnitVerdict, is_same_word
from core.answering.extractive.verdicts.spoken_values import find_numbers
from core.answering.extractive.verdicts.yes_no_question import is_stated
from core.model import TABLE_KINDS
from core.reading.questions.yes_no import find_first_verb
from core.reading.values import ValueKind, read_value
from core.reading.words import EMPTY_WORDS, Word, split_words
from core.text import split_subject
from core.wording.focus import Focus
from core.wording.list_markers import strip_marker

_MORE = {
    "more": "", "longer": "duration length", "larger": "", "bigger": "", "higher": "", "heavier": "mass",
    "mehr": "", "länger": "duration length", "größer": "", "höher": "", "schwerer": "mass", "teurer": "€ $ £",
}  # fmt: skip
_LESS = {
    "less": "", "fewer": "", "shorter": "duration length", "smaller": "", "lower": "", "lighter": "mass",
    "cheaper": "€ $ £", "weniger": "", "kürzer": "duration length", "kleiner": "", "niedriger": "", "leichter": "mass",
    "billiger": "€ $ £", "günstiger": "€ $ £",
}  # fmt: skip
"""Words of a comparison, with the quantities that they imply."""
_COMPARES = re.compile(
    rf"(?i)(?P<one>[^?]{{2,120}}?) (?P<how>{'|'.join([*_MORE, *_LESS])})(?P<what> [^?]{{1,60}}?)? (?:than|als) "
    r"(?P<two>[^?]{2,120})"
)
_OPEN = frozenset("or not no only any all oder nicht kein keine nur alle".split())
_UNSAID = EMPTY_WORDS | frozenset(
    """one ones take takes need needs use uses last lasts cost costs up braucht brauchen kostet""".split()
)
_LEAD = 6  # first words of an item or sentence, which say what it is about
_BESIDE = 30  # characters between a number and what it measures


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Two things by the words that tell them apart, and the words for what is measured."""

    one: tuple[Word, ...]
    two: tuple[Word, ...]
    measure: tuple[Word, ...]
    quantities: frozenset[str]
    is_more: bool

    def decide(self, one: Decimal, two: Decimal) -> bool:
        return one != two and (one > two) is self.is_more


def read_comparison(focus: Focus, units: Sequence[ScoredUnit]) -> UnitVerdict | None:
    """Return whether one thing has more or less than another, and the two texts or cells that say so."""
    comparison = _read_comparison(focus)
    if comparison is None:
        return None
    near = [unit for unit in units if unit.evidence.page_id == units[0].evidence.page_id]
    tables: dict[int, list[ScoredUnit]] = {}
    for unit in near:
        if unit.evidence.kind in TABLE_KINDS and unit.cells and unit.evidence.structure:
            tables.setdefault(unit.evidence.structure.block, []).append(unit)
    found = [_compare_rows(comparison, rows) for rows in tables.values()]
    found += [_compare_parts(comparison, unit) for unit in near if unit.evidence.kind not in TABLE_KINDS]
    verdicts = [verdict for verdict in found if verdict]
    return verdicts[0] if verdicts and len({verdict.says for verdict in verdicts}) == 1 else None


def _read_comparison(focus: Focus) -> _Comparison | None:
    text, _ = split_subject(focus.question)
    auxiliary = find_first_verb(text, focus.language)
    found = _COMPARES.match(text, auxiliary.end("verb") + 1) if auxiliary else None
    if found is None or any(word.folded in _OPEN for word in split_words(text)):
        return None
    how = found["how"].lower()
    one, two = _list_words(found["one"]), _list_words(found["two"])
    only_one = tuple(word for word in one if not any(is_same_word(word, other) for other in two))
    only_two = tuple(word for word in two if not any(is_same_word(word, other) for other in one))
    quantities = frozenset((_MORE.get(how) or _LESS.get(how) or "").split())
    if not only_one or not only_two:
        return None
    return _Comparison(only_one, only_two, _list_words(found["what"] or ""), quantities, how in _MORE)


def _list_words(text: str) -> tuple[Word, ...]:
    return tuple(word for word in split_words(text) if is_stated(word) and word.folded not in _UNSAID)


# --------------------------------------------------------------------------------------------- rows


def _compare_rows(comparison: _Comparison, rows: Sequence[ScoredUnit]) -> UnitVerdict | None:
    """Return the comparison of the cells of two rows of a table in the only column that has what is measured."""
    ones = [unit for unit in rows if _is_row_of(unit.cells, comparison.one, comparison.two)]
    twos = [unit for unit in rows if _is_row_of(unit.cells, comparison.two, comparison.one)]
    if len(ones) != 1 or len(twos) != 1:
        return None
    one, two = ones[0].cells, twos[0].cells
    found: list[tuple[str, str, str, bool]] = []
    for (header, first), (other, second) in zip(one[1:], two[1:], strict=False):
        values = read_value(first), read_value(second)
        is_comparable = header == other and values[0].kind is ValueKind.NUMBER and values[0].is_comparable(values[1])
        if is_comparable and _is_measured(comparison, header, values[0].measure):
            found.append((header, first, second, comparison.decide(values[0].key[0], values[1].key[0])))
    if len(found) != 1:
        return None
    header, first, second, says = found[0]
    reason = f"{one[0][1]}, {header}: {first}; {two[0][1]}, {header}: {second}"
    return UnitVerdict(says, reason, ones[0], (), "", (twos[0],))


def _is_row_of(row: Sequence[tuple[str, str]], side: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether the first cell of a row names one side: all its words are the side's, or common to both."""
    cell = [word for word in split_words(row[0][1]) if is_stated(word)] if row else []
    named = [word for word in cell if any(is_same_word(word, one) for one in side)]
    wrong = any(is_same_word(word, one) for word in cell for one in other)
    names = [word for word in side if word.is_name]
    return bool(named) and not wrong and all(any(is_same_word(name, word) for word in cell) for name in names)


def _is_measured(comparison: _Comparison, header: str, measure: str) -> bool:
    if comparison.measure:
        return any(is_same_word(word, one) for word in split_words(header) for one in comparison.measure)
    return measure in comparison.quantities


# -------------------------------------------------------------------------------- items and sentences


def _compare_parts(comparison: _Comparison, unit: ScoredUnit) -> UnitVerdict | None:
    """Return the comparison of two items or sentences that begin with the two things."""
    parts = [strip_marker(part.strip()).strip() for part in unit.evidence.parts]
    ones = [part for part in parts if _begins_with(part, comparison.one, comparison.two)]
    twos = [part for part in parts if _begins_with(part, comparison.two, comparison.one)]
    if len(ones) != 1 or len(twos) != 1 or not comparison.measure:
        return None
    pairs = [
        (first, second)
        for first in _list_measured(comparison, ones[0])
        for second in _list_measured(comparison, twos[0])
        if first[0] == second[0]
    ]
    if len(pairs) != 1:
        return None
    (_, first), (_, second) = pairs[0]
    return UnitVerdict(comparison.decide(first, second), f"{ones[0]} {twos[0]}", unit, (), "")


def _begins_with(part: str, side: Sequence[Word], other: Sequence[Word]) -> bool:
    lead = split_words(part)[:_LEAD]
    names = [word for word in side if word.is_name] or side[-1:]
    has_side = all(any(is_same_word(word, one) for one in lead) for word in names)
    return has_side and not any(is_same_word(word, one) for word in other if word.is_name for one in lead)


def _list_measured(comparison: _Comparison, part: str) -> Iterator[tuple[str, Decimal]]:
    """Yield quantity and amount of the numbers beside which a part names what is measured."""
    for unit, amount, _, end in find_numbers(part):
        beside = TextWords.of(re.split(r"[,;]| and | und ", part[end : end + _BESIDE])[0])
        if all(beside.has(word) for word in comparison.measure):
            yield unit, amount
