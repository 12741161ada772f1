"""Defaults: of the texts that match a question for one nearly as well, the one that states it comes first.

A manual says what a setting does before it says what its default is, and the first matches the question better.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.answering.extractive.units import ScoredUnit, Unit
from core.text import split_subject
from core.wording.content_words import select_content_words
from core.wording.defaults import asks_for_default
from core.wording.word_matches import match_text

_NEAR = 0.9  # of the best unit's score
_STATES_DEFAULT = re.compile(
    r"(?i)\bdefault(?:s|ed)?\b|\bstandard(?:mäßig|wert|einstellung)|\bvoreingestellt|\bvoreinstellung|\bvorgabe(?:wert)?\b"
    r"|\b(?:if|when) (?:not|nothing is|omitted|unset)(?: set| specified| given)?,|\bunless (?:changed|set|otherwise)"
    r"|\bout[ -]of[ -]the[ -]box|\bab werk\b|\bvon haus aus\b"
)
_IS_DEFAULT = re.compile(
    r"(?i)^\W*(?:row \d+ in table \d+: )?(?:the |der |die )?"
    r"(?:default(?:wert| value| setting)?|standard(?:wert|einstellung)?|voreinstellung|vorgabe(?:wert)?)(?: is| ist|:)"
    r"|^\W*(?:it|this|es) (?:defaults|is by default|ist standardmäßig)\b"
)
"""A text that states the default of what its section is about, and names nothing else."""


def put_defaults_first(question: str, units: Sequence[ScoredUnit], all_units: Sequence[Unit]) -> list[ScoredUnit]:
    """Move to the front the first unit that states a default, if the question asks for one.

    If none matches nearly as well, it is one of ``all_units`` in the section of the best one: below the heading of a
    setting, "Default: 60" has no other word of the question. It gets the best one's score, to which the scores of other
    units are compared.
    """
    if not units or not asks_for_default(question) or _has_default(units[0]):
        return list(units)
    best = units[0]
    near = (unit for unit in units if unit.score >= _NEAR * best.score)
    if first := next((unit for unit in near if _has_default(unit) and _is_about(unit, question)), None):
        return [replace(first, score=best.score), *(unit for unit in units if unit is not first)]
    there = (unit for unit in all_units if _is_in_same_section(unit, best) and _has_default(unit))
    stated = next((unit for unit in there if _is_about(unit, question)), None)
    if stated is None:
        return list(units)
    return [replace(best, ranked=stated.ranked, index=stated.index, text=stated.text), *units]


def lacks_default(question: str, texts: Iterable[str]) -> bool:
    """Whether a question asks for a default and no text states one. It may do so in other words, but often does not."""
    return asks_for_default(question) and not any(map(_STATES_DEFAULT.search, texts))


def _has_default(unit: Unit) -> bool:
    return bool(_STATES_DEFAULT.search(unit.text))


def _is_about(unit: Unit, question: str) -> bool:
    """Whether a text states the default of its section, or has a word of the question beside the word for a default."""
    own = select_content_words(split_subject(question)[0])
    words = tuple(word for word in own if not asks_for_default(word))
    return bool(_IS_DEFAULT.search(unit.text)) or any(match_text(words, unit.text))


def _is_in_same_section(unit: Unit, best: Unit) -> bool:
    path = best.evidence.context.heading_path
    return bool(path) and (unit.evidence.page_id, unit.evidence.context.heading_path) == (best.evidence.page_id, path)
