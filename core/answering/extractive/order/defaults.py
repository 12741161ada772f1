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


def put_defaults_first(question: str, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Move to the front the first unit that states a default, if the question asks for one.

    It gets the best one's score, to which the scores of other units are compared.
    """
    if not units or not asks_for_default(question) or _states_default(units[0]):
        return list(units)
    near = (unit for unit in units if unit.score >= _NEAR * units[0].score)
    first = next((unit for unit in near if _states_default(unit)), units[0])
    return [replace(first, score=units[0].score), *(unit for unit in units if unit is not first)]


def _states_default(unit: Unit) -> bool:
    return bool(_STATES_DEFAULT.search(unit.text))
