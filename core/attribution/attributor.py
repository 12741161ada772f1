"""What every attributor does, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.model import RankedEvidence

Cluster = tuple[int, ...]
"""Indexes of evidences of the turn, in its order; they leave together."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """What taking one cluster away did.

    ``contribution``: how far the answer moved, 0 if not at all, None if that could not be found out; ``similarity``:
    of the answer with the answers without the cluster, 1 if they are the same, mean over the repetitions.
    """

    cluster: Cluster
    contribution: float | None
    similarity: float | None = None
    answers: tuple[str, ...] = ()
    calls: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is to be explained: a completed question, its answer, and the evidences that it was made from."""

    question: str
    answer: str
    evidences: Sequence[RankedEvidence]


ResultListener = Callable[[Counterfactual], None]
"""Hears each cluster's result as soon as it is there, so that it can be kept and shown."""


class Attributor(Protocol):
    """Finds how much of an answer rests on each cluster."""

    @property
    def name(self) -> str: ...

    async def attribute(
        self,
        subject: Subject,
        clusters: Sequence[Cluster],
        known: Mapping[Cluster, Counterfactual],
        on_result: ResultListener,
    ) -> list[Counterfactual]:
        """One result a cluster, in their order. ``known``: results of an interrupted run, taken as they are."""
        ...
