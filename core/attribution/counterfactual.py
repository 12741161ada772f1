"""Counterfactual attribution (RAGonite, section 5 and Algorithm 1): answer again without each cluster, and compare."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from core.answering.answerer import Answerer
from core.attribution.attributor import Cluster, Counterfactual, Known, ResultListener, Subject
from core.attribution.comparison import similarities, words_only
from core.attribution.shares import contribution
from core.errors import WikiWhyError
from core.model import Answer, RankedEvidence
from core.ports import Embedder
from core.trace import Tracer

AnswererOf = Callable[[int], Answerer]
"""The answerer for a repetition, from 0: a sampling model draws anew with each."""


def without(evidences: Sequence[RankedEvidence], removed: Cluster) -> list[RankedEvidence]:
    """The evidences in their order, less the removed ones."""
    return [ranked for index, ranked in enumerate(evidences) if index not in removed]


class CounterfactualAttributor:
    """Runs the ablations concurrently; a cluster whose answer fails is unknown, and the others are not."""

    name = "counterfactual"
    answers_again = True

    def __init__(
        self, answerer_of: AnswererOf, embedder: Embedder, repetitions: int = 1, concurrency: int = 10
    ) -> None:
        """``concurrency``: ablations at the same time, over all calls of :meth:`attribute` and :meth:`ablate`."""
        self._answerer_of = answerer_of
        self._embedder = embedder
        self._repetitions = repetitions
        self._slots = asyncio.Semaphore(concurrency)

    async def attribute(
        self, subject: Subject, clusters: Sequence[Cluster], known: Known, on_result: ResultListener
    ) -> list[Counterfactual]:
        """One result a cluster, in their order."""
        ablations = (self.ablate(subject, cluster, known, on_result) for cluster in clusters)
        return list(await asyncio.gather(*ablations))

    async def ablate(
        self, subject: Subject, cluster: Cluster, known: Known, on_result: ResultListener
    ) -> Counterfactual:
        """The answers without a cluster, compared with the answer; what failed has its error instead."""
        if cluster in known:
            return known[cluster]
        async with self._slots:
            answers: list[Answer] = []
            result = Counterfactual(cluster, None)
            try:
                await self._answer(subject, cluster, answers)
                texts = [answer.text for answer in answers]
                near = await similarities(subject.question, subject.answer, texts, self._embedder)
                result = replace(result, contribution=contribution(near), similarity=sum(near) / len(near))
            except WikiWhyError as error:
                result = replace(result, error=str(error), failure=error.failure)
        calls = len(answers) + bool(result.error)
        result = replace(
            result,
            answers=tuple(answer.text for answer in answers),
            answered=tuple(answer.answered for answer in answers),
            calls=min(calls, self._repetitions),
        )
        on_result(result)
        return result

    async def _answer(self, subject: Subject, cluster: Cluster, answers: list[Answer]) -> None:
        """Adds one answer a repetition; stops early when two in a row do not vary."""
        kept = without(subject.evidences, cluster)
        for repetition in range(self._repetitions):
            answer = await self._answerer_of(repetition).answer(subject.question, kept, Tracer(lambda: 0.0))
            answers.append(answer)
            if repetition and words_only(answers[-1].text) == words_only(answers[-2].text):
                return
