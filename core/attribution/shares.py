"""Contributions to shares that add up to 1 (RAGonite, Algorithm 1: masked softmax with temperature)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

TEMPERATURE = 0.05
NOTHING = 1e-6
"""A contribution up to this is none: the answer stayed the same."""


def contribution(similarities: Sequence[float]) -> float:
    """1 - the mean similarity of the answer with the answers without a cluster, at least 0; one value a repetition."""
    return max(0.0, 1.0 - float(np.mean(similarities)))


def shares(contributions: Sequence[float | None], temperature: float = TEMPERATURE) -> list[float | None]:
    """The share of each contribution; None where it is unknown, 0 where there is none.

    The known shares add up to 1 if any contribution exceeds :data:`NOTHING`; else all are 0.
    """
    known = [value for value in contributions if value is not None and value > NOTHING]
    if not known:
        return [None if value is None else 0.0 for value in contributions]
    highest = max(known)
    total = sum(_weight(value - highest, temperature) for value in known)
    return [
        None if value is None else _weight(value - highest, temperature) / total if value > NOTHING else 0.0
        for value in contributions
    ]


def _weight(difference: float, temperature: float) -> float:
    return float(np.exp(difference / temperature))
