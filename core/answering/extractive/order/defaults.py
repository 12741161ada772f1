"""Defaults: of the texts that match a question for one nearly as well, the one that states it comes first.

A manual says what a setting does before it says what its default is, and the first matches the question better.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.answering.extractive.units import ScoredUnit, Unit
from core.wording.defaults import asks_for_default

_NEAR = 0.9  # of the best unit's score
_STATES_DEFAULT = re.compile(
    r"(?i)\bdefault(?:s|ed)?\b|\bstandard(?:mäßig|wert|einstellung)|\bvoreingestellt|\bvoreinstellung|\bvorgabe(?:wert)?\b"
    r"|\b(?:if|when) (?:not|nothing|none|omitted|unset|unspecified)\b|\bunless \w+|\bout[ -]of[ -]the[ -]box"
    r"|\bab werk\b|\bvon haus aus\b"
)


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
    if first := next((unit for unit in near if _has_default(unit)), None):
        return [replace(first, score=best.score), *(unit for unit in units if unit is not first)]
    there = (unit for unit in all_units if _is_in_same_section(unit, best) and _has_default(unit))
    stated = next(there, None)
    if stated is None:
        return list(units)
    return [replace(best, ranked=stated.ranked, index=stated.index, text=stated.text), *units]


def _has_default(unit: Unit) -> bool:
    return bool(_STATES_DEFAULT.search(unit.text))


def _is_in_same_section(unit: Unit, best: Unit) -> bool:
    path = best.evidence.context.heading_path
    return bool(path) and (unit.evidence.page_id, unit.evidence.context.heading_path) == (best.evidence.page_id, path)
