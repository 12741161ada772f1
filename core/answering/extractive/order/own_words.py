"""The own words of a completed question: a text with all of them is meant, though completion named another page."""

from __future__ import annotations

from collections.abc import Sequence

from core.answering.extractive.units import ScoredUnit, put_first
from core.text import split_subject
from core.wording.content_words import select_content_words
from core.wording.focus import Focus
from core.wording.list_markers import strip_marker
from core.wording.word_matches import match_text

_LEAST = 2  # content words of a question that may be about another section
_LABEL_WORDS = 4
_NEAR = 0.8  # of the best unit's score


def put_own_words_first(focus: Focus, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Move to the front a unit that has all own words of a completed question, if the best unit lacks one of them.

    "When is salary paid? (Working from home)" changes the subject, though completion took it for a follow-up. A single
    word, as of "and Oracle?", asks for what stands in the same section. A line "name: value" of the page that
    completion named is meant by its name, and a row by its key.
    """
    question, subject = split_subject(focus.question)
    own = select_content_words(question) if subject else ()
    if not own or not units:
        return list(units)
    near = [unit for unit in units if unit.score >= _NEAR * units[0].score]
    named = next((unit for unit in near if unit.evidence.context.title in subject and _is_named(own, unit)), None)
    if named and not _is_named(own, units[0]):
        return put_first(named, units)
    if all(_match_own_words(own, units[0])):
        return list(units)
    may_be_elsewhere = len(own) >= _LEAST
    meant = (
        unit
        for unit in near
        if (may_be_elsewhere or unit.evidence.section_key == units[0].evidence.section_key)
        and min(_match_own_words(own, unit)) == 1
    )
    return put_first(next(meant, None), units)


def _is_named(words: tuple[str, ...], unit: ScoredUnit) -> bool:
    """Whether the words have the name of a line "name: value", or the key of a row."""
    before, colon, _ = strip_marker(unit.text).partition(": ")
    label = unit.key if unit.cells else before if colon else ""
    name = select_content_words(label) if len(label.split()) <= _LABEL_WORDS else ()
    return bool(name) and set(name) <= set(words)


def _match_own_words(words: tuple[str, ...], unit: ScoredUnit) -> list[float]:
    return match_text(words, "\n".join((*unit.evidence.context.heading_path[-1:], unit.text)))
