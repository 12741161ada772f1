"""Attributors: counterfactual (answers again without each cluster), frugal, by likelihood, and the paper's baseline."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Protocol

from core.answering.answerer import Answerer
from core.attribution.steps import (
    NO_CONTRIBUTION,
    AnswerToExplain,
    compare_answers,
    compute_contribution,
    join_clusters,
    normalise_answer,
    remove_evidences,
)
from core.errors import WikiWhyError
from core.evidence.contextualise import contextualise
from core.model import AblationResult, Answer, Cluster, Failure, KnownResults, Prompt, RankedEvidence
from core.ports.models import AnswerScorer, Embedder, Score
from core.trace import Tracer
from core.wording.quotations import strip_citations

ResultListener = Callable[[AblationResult], None]
"""Is called with each result as soon as it is known, so that it can be stored and shown."""


class Attributor(Protocol):
    """Computes the contribution of each cluster to an answer."""

    @property
    def name(self) -> str: ...

    async def attribute(
        self, answer: AnswerToExplain, clusters: Sequence[Cluster], known: KnownResults, on_result: ResultListener
    ) -> list[AblationResult]:
        """Return one result per cluster, in the order of the clusters."""
        ...


AnswererOf = Callable[[int], Answerer]
"""Returns the answerer for a repetition, from 0. A sampling model has another seed for each."""


class CounterfactualAttributor:
    """Answers again without each cluster, and compares. A failed ablation leaves only its own cluster unknown."""

    name = "counterfactual"

    def __init__(self, answerer_of: AnswererOf, embedder: Embedder, repetitions: int, concurrency: int) -> None:
        """``concurrency``: upper limit of simultaneous ablations, over all calls."""
        self._answerer_of = answerer_of
        self._embedder = embedder
        self._repetitions = repetitions
        self._slots = asyncio.Semaphore(concurrency)

    async def attribute(
        self, answer: AnswerToExplain, clusters: Sequence[Cluster], known: KnownResults, on_result: ResultListener
    ) -> list[AblationResult]:
        """Return one result per cluster, in the order of the clusters."""
        ablations = (self.attribute_cluster(answer, cluster, known, on_result) for cluster in clusters)
        return list(await asyncio.gather(*ablations))

    async def attribute_cluster(
        self, answer: AnswerToExplain, cluster: Cluster, known: KnownResults, on_result: ResultListener
    ) -> AblationResult:
        """Compare the answers without a cluster with the answer. An error of answerer or embedder is in the result."""
        if cluster in known:
            return known[cluster]
        async with self._slots:
            others: list[Answer] = []
            result = AblationResult(cluster, None)
            try:
                await self._answer_without(cluster, answer, others)
                texts = [other.text for other in others]
                similarities = await compare_answers(answer.question, answer.answer, texts, self._embedder)
                mean = sum(similarities) / len(similarities)
                result = replace(result, contribution=compute_contribution(similarities), similarity=mean)
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
        """Append one answer per repetition; stop early when two in a row are the same."""
        left = remove_evidences(answer.evidences, cluster)
        for repetition in range(self._repetitions):
            answerer = self._answerer_of(repetition)
            others.append(await answerer.answer(answer.question, left, Tracer(lambda: 0.0), day=answer.day))
            if repetition and normalise_answer(others[-1].text) == normalise_answer(others[-2].text):
                return


@dataclass(frozen=True, slots=True, eq=False)
class FrugalAttributor:
    """Counterfactual attribution with fewer calls, for many clusters.

    Cited clusters are removed one by one, uncited ones all together. Only a group with an effect is halved, and each
    half removed. Listeners also get the results of groups, under all their indexes, so that a run which knows them
    repeats no call.
    """

    name = "frugal"

    counterfactual: CounterfactualAttributor

    async def attribute(
        self, answer: AnswerToExplain, clusters: Sequence[Cluster], known: KnownResults, on_result: ResultListener
    ) -> list[AblationResult]:
        """Return one result per cluster, in their order; the calls of a group count with its first cluster."""
        cited = [cluster for cluster in clusters if answer.cites(cluster)]
        uncited = [cluster for cluster in clusters if cluster not in cited]
        alone, grouped = await asyncio.gather(
            self.counterfactual.attribute(answer, cited, known, on_result),
            self._attribute_group(answer, uncited, known, on_result),
        )
        found = {result.cluster: result for result in (*alone, *grouped)}
        return [found[cluster] for cluster in clusters]

    async def _attribute_group(
        self, answer: AnswerToExplain, group: Sequence[Cluster], known: KnownResults, on_result: ResultListener
    ) -> list[AblationResult]:
        if not group:
            return []
        together = await self.counterfactual.attribute_cluster(answer, join_clusters(group), known, on_result)
        if len(group) == 1:
            return [together]
        if together.contribution is None or together.contribution <= NO_CONTRIBUTION:
            # A result of the group also holds for each cluster in it.
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
class SimilarityAttributor:
    """The paper's baseline: an answer depends on the evidences that it is most similar to. No answerer is called."""

    name = "naive"

    embedder: Embedder

    async def attribute(
        self, answer: AnswerToExplain, clusters: Sequence[Cluster], known: KnownResults, on_result: ResultListener
    ) -> list[AblationResult]:
        """Return one result per cluster.

        Its contribution is the highest cosine of the answer with an evidence of it.
        """
        texts = [contextualise(ranked.evidence) for ranked in answer.evidences]
        vectors = await self.embedder.embed_passages([normalise_answer(answer.answer), *texts])
        cosines = (vectors[1:] @ vectors[0]).tolist()
        results = [AblationResult(cluster, max(cosines[index] for index in cluster)) for cluster in clusters]
        for result in results:
            on_result(result)
        return results


AnswerPromptRenderer = Callable[[str, Sequence[RankedEvidence], date | None], Awaitable[Prompt | None]]
"""Returns the answerer's prompt for a question, evidences and the day of the question.

None if it answers "not found" without its model.
"""

LIKELIHOOD_NOISE = 0.03
"""Nats per token. A smaller drop counts as none: renumbering the sources alone changes the likelihood that much."""

_IMPOSSIBLE = Score(-math.inf, 0)
"""The score of an answer without a prompt, where the answerer says "not found" without asking its model."""


@dataclass(frozen=True, slots=True)
class _Score:
    """The score of the answer after a prompt, or why there is none. ``prompt`` None: the model is not asked."""

    prompt: Prompt | None = None
    score: Score = _IMPOSSIBLE
    calls: int = 0
    error: str = ""
    failure: Failure | None = None


def compute_likelihood_contribution(with_all: Score, without: Score) -> float:
    """Return how much less likely an answer is without a cluster, as a contribution, 0 to 1.

    That is 1 - the mean factor by which each token became less likely. Per token, because otherwise any long answer
    would have a contribution of 1. The range is that of the counterfactual contribution, so the temperature of the
    shares suits both. 0 for noise, and if the answer became more likely.
    """
    if without.log_likelihood >= with_all.log_likelihood:
        return 0.0
    drop = (with_all.log_likelihood - without.log_likelihood) / max(1, with_all.tokens)
    return 1.0 - math.exp(-drop) if drop > LIKELIHOOD_NOISE else 0.0


class LikelihoodAttributor:
    """Attribution by likelihood: how much less likely the model's own answer is without each cluster.

    This is the quantity of ContextCite (Cohen-Wang et al. 2024), measured with one cluster removed at a time: the
    answer's words are scored after the answerer's own prompts, with all evidences and without each cluster. Nothing is
    generated for it. The answers without those clusters that people are shown are then generated.

    The words are scored without citations, because source numbers change as soon as a source is removed: unchanged
    numbers would cite wrong sources, and renumbered ones would make another text, whose likelihood is not comparable. A
    sentence without citations is somewhat less likely with and without a source alike.
    """

    name = "likelihood"

    def __init__(
        self,
        render_prompt: AnswerPromptRenderer,
        scorer: AnswerScorer,
        concurrency: int = 10,
        counterfactual: CounterfactualAttributor | None = None,
    ) -> None:
        """``concurrency``: upper limit of simultaneous scorings.

        ``counterfactual``: gives the answers without the top cluster and without each cited page that is a cluster;
        None: no answers.
        """
        self._render_prompt = render_prompt
        self._scorer = scorer
        self._slots = asyncio.Semaphore(concurrency)
        self._counterfactual = counterfactual

    async def attribute(
        self, answer: AnswerToExplain, clusters: Sequence[Cluster], known: KnownResults, on_result: ResultListener
    ) -> list[AblationResult]:
        """Return one result per cluster, in their order; the call with all evidences counts with the first.

        ``on_result`` gets a result that gains answers twice, first without them: a run that continues with the second
        one makes no further calls.
        """
        results = await self._score_clusters(answer, clusters, known, on_result)
        if self._counterfactual is None:
            return results
        top = max(results, key=lambda result: result.contribution or 0.0)
        shown = {*answer.find_cited_pages(), *([top.cluster] if top.contribution else [])}
        counterfactual = self._counterfactual

        async def add_answers(result: AblationResult) -> AblationResult:
            if result.cluster not in shown:
                return result
            if not result.answers:
                answered = await counterfactual.attribute_cluster(answer, result.cluster, {}, lambda _: None)
                result = _add_answers(result, answered)
            on_result(result)
            return result

        return list(await asyncio.gather(*map(add_answers, results)))

    async def _score_clusters(
        self, answer: AnswerToExplain, clusters: Sequence[Cluster], known: KnownResults, on_result: ResultListener
    ) -> list[AblationResult]:
        found = {cluster: known[cluster] for cluster in clusters if cluster in known}
        unknown = [cluster for cluster in clusters if cluster not in known]
        if unknown:
            # Scored first: the others are compared with it, and the server has then cached the common prefix.
            with_all = await self._score(answer, ())

            async def score_cluster(cluster: Cluster) -> AblationResult:
                async with self._slots:
                    result = await self._score_without(answer, cluster, with_all)
                result = replace(result, calls=result.calls + (with_all.calls if cluster == unknown[0] else 0))
                on_result(result)
                return result

            found |= {result.cluster: result for result in await asyncio.gather(*map(score_cluster, unknown))}
        return [found[cluster] for cluster in clusters]

    async def _score_without(self, answer: AnswerToExplain, cluster: Cluster, with_all: _Score) -> AblationResult:
        if with_all.error:
            return AblationResult(cluster, None, error=with_all.error, failure=with_all.failure)
        without = await self._score(answer, cluster, with_all)
        contribution = None if without.error else compute_likelihood_contribution(with_all.score, without.score)
        return AblationResult(cluster, contribution, calls=without.calls, error=without.error, failure=without.failure)

    async def _score(self, answer: AnswerToExplain, removed: Cluster, with_all: _Score | None = None) -> _Score:
        try:
            given = remove_evidences(answer.evidences, removed)
            prompt = await self._render_prompt(answer.question, given, answer.day)
        except WikiWhyError as error:
            return _Score(error=str(error), failure=error.failure)
        if prompt is None:
            return _Score(score=_IMPOSSIBLE)
        if with_all and prompt == with_all.prompt:  # the removed evidences did not fit into the prompt
            return replace(with_all, calls=0)
        try:
            return _Score(prompt, await self._scorer.score(prompt, strip_citations(answer.answer)), 1)
        except WikiWhyError as error:
            return _Score(prompt, calls=1, error=str(error), failure=error.failure)


def _add_answers(scored: AblationResult, answered: AblationResult) -> AblationResult:
    """Return the contribution by likelihood, with the answers without the same cluster."""
    return replace(
        answered,
        contribution=scored.contribution,
        calls=scored.calls + answered.calls,
        error=scored.error or answered.error,
        failure=scored.failure or answered.failure,
    )
