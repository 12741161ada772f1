"""Counterfactual attribution (RAGonite, section 5 and Algorithm 1): answer again without each cluster, and compare."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from core.answering.answerer import Answerer
from core.attribution.attributor import Cluster, Counterfactual, ResultListener, Subject
from core.attribution.comparing import similarities, words_only
from core.attribution.shares import contribution
from core.errors import WikiWhyError
from core.model import RankedEvidence
from core.ports import Embedder
from core.trace import Tracer

AnswererOf = Callable[[int], Answerer]
"""The answerer for a repetition, from 0: a sampling model draws anew with each."""


def without(evidences: Sequence[RankedEvidence], removed: Cluster) -> list[RankedEvidence]:
    """The evidences in their order, less the removed ones."""
    return [ranked for index, ranked in enumerate(evidences) if index not in removed]


class CounterfactualAttributor:
    """Runs the ablations concurrently under a limit; a cluster whose answer fails is unknown, and the others are not."""

    name = "counterfactual"

    def __init__(
        self, answerer_of: AnswererOf, embedder: Embedder, repetitions: int = 1, concurrency: int = 10
    ) -> None:
        self._answerer_of = answerer_of
        self._embedder = embedder
        self._repetitions = repetitions
        self._concurrency = concurrency

    async def attribute(
        self,
        subject: Subject,
        clusters: Sequence[Cluster],
        known: Mapping[Cluster, Counterfactual],
        on_result: ResultListener,
    ) -> list[Counterfactual]:
        """One result a cluster, in their order."""
        slots = asyncio.Semaphore(self._concurrency)

        async def result(cluster: Cluster) -> Counterfactual:
            if cluster in known:
                return known[cluster]
            async with slots:
                found = await self.ablate(subject, cluster)
            on_result(found)
            return found

        return list(await asyncio.gather(*(result(cluster) for cluster in clusters)))

    async def ablate(self, subject: Subject, cluster: Cluster) -> Counterfactual:
        """The answers without a cluster, compared. Stops early if two repetitions in a row do not vary."""
        kept = without(subject.evidences, cluster)
        answers: list[str] = []
        tracer = Tracer(lambda: 0.0)
        try:
            for repetition in range(self._repetitions):
                answer = await self._answerer_of(repetition).answer(subject.question, kept, tracer)
                answers.append(answer.text)
                if repetition and words_only(answers[-1]) == words_only(answers[-2]):
                    break
        except WikiWhyError as error:
            return Counterfactual(cluster, None, answers=tuple(answers), calls=tracer.usage.calls, error=str(error))
        near = await similarities(subject.question, subject.answer, answers, self._embedder)
        mean = sum(near) / len(near)
        return Counterfactual(cluster, contribution(near), mean, tuple(answers), tracer.usage.calls)
