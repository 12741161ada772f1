"""Which of the well-fitting units to show: those that say something, and rows that the question names."""

from __future__ import annotations

from collections.abc import Sequence

from core.answering.extractive.parts import without_marker
from core.answering.extractive.units import ScoredUnit, Unit
from core.answering.focus import Focus, content_words, terms, word_matches
from core.text import STOPWORDS

_CLOSE = 0.93  # of the best unit's score: as good an answer
_NAME_WORDS = 6  # a longer cell describes, it does not name
_FILLERS = frozenset(["every", "each", "jede", "jeder", "jedes", "alle"])


def select_informative(focus: Focus, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """The units that say more than the question does: an item "Christmas party" does not tell when it is."""
    if focus.answer_type == "yes_no":
        return list(units)
    return [unit for unit in units if _adds(focus, unit.unit)]


def _adds(focus: Focus, unit: Unit) -> bool:
    rest = tuple(term for term in terms(_content(unit)) if term not in STOPWORDS | _FILLERS)
    return not all(word_matches(rest, focus.question))


def _content(unit: Unit) -> str:
    rows = unit.ranked.evidence.rows
    if unit.index < len(rows):
        return " ".join(value for _, value in rows[unit.index])
    return without_marker(unit.text)


def select_best(focus: Focus, units: Sequence[ScoredUnit]) -> ScoredUnit:
    """The best unit, or a row that fits as well and has a cell that the question names in full.

    "sparrow" names the row of sparrow, not that of sparrow-classic, though both have the word.
    """
    best = units[0]
    rows = [
        unit
        for unit in units
        if unit.score >= _CLOSE * best.score and 2 * count_named_words(focus, unit) >= max(len(focus.words), 1)
    ]
    named = max(rows, key=lambda unit: (count_named_words(focus, unit), unit.score), default=best)
    return named if count_named_words(focus, named) > count_named_words(focus, best) else best


def count_named_words(focus: Focus, scored: ScoredUnit) -> int:
    """The number of telling words of the longest cell that the question has to the letter; 0 if it has none."""
    rows = scored.unit.ranked.evidence.rows
    if scored.unit.index >= len(rows):
        return 0
    cells = (content_words(value) for _, value in rows[scored.unit.index])
    asked = set(focus.words)
    return max((len(cell) for cell in cells if 0 < len(cell) <= _NAME_WORDS and asked >= set(cell)), default=0)
