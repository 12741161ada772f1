"""What every attributor does, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.model import Failure, RankedEvidence, Turn

Cluster = tuple[int, ...]
"""Rising indexes of evidences of the turn, in its order; they leave together."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """What taking one cluster away did.

    ``contribution``: how far the answer moved, 0 if not at all, None if that could not be found out, and ``error`` says
    why; ``similarity``: of the answer with the answers without the cluster, 1 if they are the same, mean over the
    repetitions; ``answered``: for each of ``answers`` whether it is one, and not that there is none; ``calls``: how
    often a model or an answerer was asked for that; ``failure``: which kind of error it was.
    """

    cluster: Cluster
    contribution: float | None
    similarity: float | None = None
    answers: tuple[str, ...] = ()
    calls: int = 0
    error: str = ""
    failure: Failure | None = None
    answered: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Subject:
    """What is to be explained: a completed question, its answer, and the evidences that it was made from.

    ``cited``: the ids of the evidences that the answer cites.
    """

    question: str
    answer: str
    evidences: Sequence[RankedEvidence]
    cited: frozenset[str] = frozenset()

    def cites(self, cluster: Cluster) -> bool:
        """Whether the answer cites an evidence of this cluster."""
        return any(self.evidences[index].evidence.evidence_id in self.cited for index in cluster)


def subject_of(turn: Turn) -> Subject:
    """A turn's answer, with the evidences that the turn keeps."""
    cited = frozenset(citation.evidence_id for citation in turn.answer.citations)
    return Subject(turn.question.intent_explicit, turn.answer.text, turn.evidences, cited)


ResultListener = Callable[[Counterfactual], None]
"""Hears each result as soon as it is there, so that it can be kept and shown."""

Known = Mapping[Cluster, Counterfactual]
"""What an interrupted run heard, by cluster: it is taken as it is, and not asked again."""


class Attributor(Protocol):
    """Finds how much of an answer rests on each cluster."""

    @property
    def name(self) -> str: ...

    @property
    def answers_again(self) -> bool:
        """Whether its results have the answers without each cluster."""
        ...

    async def attribute(
        self, subject: Subject, clusters: Sequence[Cluster], known: Known, on_result: ResultListener
    ) -> list[Counterfactual]:
        """One result a cluster, in their order."""
        ...
