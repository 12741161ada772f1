"""What an ablation found: how an answer changes without a cluster of its evidences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.model.traces import Failure

Cluster = tuple[int, ...]
"""Rising indexes into the evidences of a turn, which are removed together."""


@dataclass(frozen=True, slots=True)
class AblationResult:
    """The effect of an ablation: how the answer changes without the evidences of one cluster.

    ``contribution``: how far the answer changed, 0 if not at all; None if unknown, then ``error`` says why and
    ``failure`` gives the kind of error. ``similarity``: of the answer with the answers without the cluster, 1 if they
    are the same, mean over the repetitions. ``answered``: for each of ``answers`` False if it is "not found".
    ``calls``: of a model or an answerer.
    """

    cluster: Cluster
    contribution: float | None
    similarity: float | None = None
    answers: tuple[str, ...] = ()
    calls: int = 0
    error: str = ""
    failure: Failure | None = None
    answered: tuple[bool, ...] = ()


KnownResults = Mapping[Cluster, AblationResult]
"""The results of earlier ablations, by cluster, which are used unchanged: those of an interrupted explanation."""
