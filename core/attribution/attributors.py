"""Attribution by answering again, without each cluster or without groups of them; and the paper's baseline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.answering.answerer import Answerer
from core.attribution.attributor import AnswerToExplain, Cluster, Counterfactual, Known, ResultListener
from core.attribution.steps import NOTHING, ablate, compare_answers, contribution, join_clusters, words_only
from core.errors import WikiWhyError
from core.evidence.contextualise import contextualise
from core.model import Answer
from core.ports.models import Embedder
from core.trace import Tracer

AnswererOf = Callable[[int], Answerer]
"""The answerer for a repetition, from 0. A sampling model draws anew for each."""


class CounterfactualAttributor:
    """Answers again without each cluster, and compares. A failed ablation leaves its cluster unknown, no other one."""

    name = "counterfactual"

    def __init__(
        self, answerer_of: AnswererOf, embedder: Embedder, repetitions: int = 1, concurrency: int = 10
    ) -> None:
        """``concurrency``: ablations at the same time, over all calls."""
        self._answerer_of = answerer_of
        self._embedder = embedder
        self._repetitions = repetitions
        self._slots = asyncio.Semaphore(concurrency)

    async def attribute(
        self, answer: AnswerToExplain, clusters: Sequence[Cluster], known: Known, on_result: ResultListener
    ) -> list[Counterfactual]:
        """One result per cluster, in the order of the clusters."""
        ablations = (self.attribute_cluster(answer, cluster, known, on_result) for cluster in clusters)
        return list(await asyncio.gather(*ablations))

    async def attribute_cluster(
        self, answer: AnswerToExplain, cluster: Cluster, known: Known, on_result: ResultListener
    ) -> Counterfactual:
        """The answers without a cluster, compared with the answer; or the error of the answerer or the embedder."""
        if cluster in known:
            return known[cluster]
        async with self._slots:
            others: list[Answer] = []
            result = Counterfactual(cluster, None)
            try:
                await self._answer_without(cluster, answer, others)
                texts = [other.text for other in others]
                similarities = await compare_answers(answer.question, answer.answer, texts, self._embedder)
                mean = sum(similarities) / len(similarities)
                result = replace(result, contribution=contribution(similarities), similarity=mean)
            except WikiWhyError as error:
                result = replace(result, error=str(error), failure=error.failure)
        result = replace(
            result,
            answers=tuple(other.text for other in others),
            answered=tuple(other.answered for other in others),
            calls=min(len(others) + bool(result.error), self._repetitions),
        )
        on_result(result)
        return result

    async def _answer_without(self, cluster: Cluster, answer: AnswerToExplain, others: list[Answer]) -> None:
        """Appends one answer per repetition; stops early when two in a row are the same."""
        left = ablate(answer.evidences, cluster)
        for repetition in range(self._repetitions):
            answerer = self._answerer_of(repetition)
            others.append(await answerer.answer(answer.question, left, Tracer(lambda: 0.0)))
            if repetition and words_only(others[-1].text) == words_only(others[-2].text):
                return


@dataclass(frozen=True, slots=True, eq=False)
class FrugalAttributor:
    """Counterfactual attribution with fewer calls, for many clusters.

    Cited clusters are removed one by one, uncited ones all together. Only where a group moves the answer it is halved
    and each half removed. Listeners also get the results of groups, under all their indexes: a run that is given these
    as known asks nothing twice.
    """

    name = "frugal"

    full: CounterfactualAttributor

    async def attribute(
        self, answer: AnswerToExplain, clusters: Sequence[Cluster], known: Known, on_result: ResultListener
    ) -> list[Counterfactual]:
        """One result per cluster, in the order of the clusters; the calls of a group count with its first cluster."""
        cited = [cluster for cluster in clusters if answer.cites(cluster)]
        uncited = [cluster for cluster in clusters if cluster not in cited]
        alone, grouped = await asyncio.gather(
            self.full.attribute(answer, cited, known, on_result),
            self._attribute_group(answer, uncited, known, on_result),
        )
        found = {result.cluster: result for result in (*alone, *grouped)}
        return [found[cluster] for cluster in clusters]

    async def _attribute_group(
        self, answer: AnswerToExplain, group: Sequence[Cluster], known: Known, on_result: ResultListener
    ) -> list[Counterfactual]:
        if not group:
            return []
        together = await self.full.attribute_cluster(answer, join_clusters(group), known, on_result)
        if len(group) == 1:
            return [together]
        if together.contribution is None or together.contribution <= NOTHING:
            # What holds of the group holds of each cluster in it.
            results = [replace(together, cluster=cluster, calls=0) for cluster in group]
            results[0] = replace(results[0], calls=together.calls)
            for result in results:
                on_result(result)
            return results
        middle = len(group) // 2
        first, second = await asyncio.gather(
            self._attribute_group(answer, group[:middle], known, on_result),
            self._attribute_group(answer, group[middle:], known, on_result),
        )
        return [replace(first[0], calls=first[0].calls + together.calls), *first[1:], *second]


@dataclass(frozen=True, slots=True, eq=False)
class NaiveAttributor:
    """The paper's baseline: an answer rests on the evidences that it is most similar to. Nothing is asked again."""

    name = "naive"

    embedder: Embedder

    async def attribute(
        self, answer: AnswerToExplain, clusters: Sequence[Cluster], known: Known, on_result: ResultListener
    ) -> list[Counterfactual]:
        """One result per cluster; its contribution is the highest cosine of the answer with an evidence of it."""
        texts = [contextualise(ranked.evidence) for ranked in answer.evidences]
        vectors = await self.embedder.embed_passages([words_only(answer.answer), *texts])
        cosines = (vectors[1:] @ vectors[0]).tolist()
        results = [Counterfactual(cluster, max(cosines[index] for index in cluster)) for cluster in clusters]
        for result in results:
            on_result(result)
        return results
