"""The column that a question compares, adds up or limits.

It is the one that the question names, or whose header or unit says what is measured ("heaviest": a weight). Where two
columns fit as well, none is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.answering.focus import match_text
from core.languages import detect_language
from core.reading.conditions import is_blank
from core.reading.question import Superlative
from core.reading.relation import ITEM, Relation
from core.reading.values import Value, ValueKind, find_date, is_same_kind, read_column
from core.reading.words import Word, words_of

_NAMED = 0.75  # of a header's word that the question has to have
_VERSION_WORDS = frozenset(["version", "versions", "release", "releases", "ver", "firmware", "bios"])


@dataclass(frozen=True, slots=True)
class Measure:
    """A column whose cells are values of one kind. ``values`` has an entry for each row; None: blank."""

    column: str
    values: tuple[Value | None, ...]

    @property
    def kind(self) -> ValueKind:
        return next(value.kind for value in self.values if value)

    @property
    def measure(self) -> str:
        return next(value.measure for value in self.values if value)


def read_measure(relation: Relation, column: str) -> Measure | None:
    """The column as a measure; None where a cell is no value, or is of another kind than the others."""
    written = detect_language(" ".join((relation.place, *relation.columns)))
    cells = [row.cells.get(column, "") for row in relation.rows]
    filled = [cell for cell in cells if not is_blank(cell)]
    if column == ITEM:
        values = [date for cell in filled if (date := find_date(cell))]
        if len(values) != len(filled):
            return None
    else:
        is_version = any(word.folded in _VERSION_WORDS for word in words_of(column))
        values = read_column(filled, written, is_version)
    if not is_same_kind(values):
        return None
    rest = iter(values)
    return Measure(column, tuple(None if is_blank(cell) else next(rest) for cell in cells))


def find_measure(
    asked: Sequence[Word],
    relation: Relation,
    taken: Collection[str],
    wanted: Superlative,
    subject: Collection[str],
) -> Measure | None:
    """The one column that the words name, or that measures what the superlative says; None where none or two do.

    ``subject``: words of what the rows are ("which month"). Its column is taken only where no other is meant.
    """
    best: list[tuple[float, Measure]] = []
    for column in relation.columns:
        if column in taken or (column == ITEM and not wanted.is_temporal):
            continue
        score = score_name(column, asked)
        measure = read_measure(relation, column) if score or wanted.hints else None
        if measure is None:
            continue
        if wanted.is_temporal and measure.kind is ValueKind.NUMBER and not score:
            continue
        hinted = _is_hinted(measure, wanted)
        if score or hinted:
            best.append((score + hinted, measure))
    others = [pair for pair in best if not {word.folded for word in words_of(pair[1].column)} <= set(subject)]
    best = sorted(others or best, key=lambda pair: -pair[0])
    if not best or (len(best) > 1 and best[0][0] == best[1][0]):
        return None
    return best[0][1]


def _is_hinted(measure: Measure, superlative: Superlative) -> bool:
    header = {word.folded for word in words_of(measure.column)}
    if superlative.is_temporal and measure.kind in {ValueKind.DATE, ValueKind.VERSION}:
        return True
    return bool(superlative.hints & header) or measure.measure in superlative.hints


def score_name(column: str, asked: Sequence[Word]) -> float:
    """How well the question names a column: 1 and more for all words of its header, less for some, 0 for none."""
    header = [word.folded for word in words_of(column) if word.is_content]
    question = " ".join(word.folded for word in asked if word.is_content)
    if not header or not question:
        return 0.0
    named = sum(match >= _NAMED for match in match_text(tuple(header), question))
    return named / len(header) + 0.1 * named


def names(column: str, asked: Sequence[Word], taken: Collection[str]) -> bool:
    """Whether the question has all content words of a header."""
    return score_name(column, [word for word in asked if word.folded not in taken]) >= 1
