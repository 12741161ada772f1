"""Attribution by likelihood: how much less likely a model finds its own answer without each cluster.

ContextCite's quantity (Cohen-Wang et al. 2024), taken with one cluster left out at a time. Nothing is generated.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.attribution.attributor import Cluster, Counterfactual, Known, ResultListener, Subject
from core.attribution.comparison import without_citations
from core.attribution.counterfactual import without
from core.errors import WikiWhyError
from core.model import Failure, Prompt, RankedEvidence
from core.ports import AnswerScorer, Score

PromptOf = Callable[[str, Sequence[RankedEvidence]], Prompt | None]
"""What the answerer asks its model with these evidences; None where it does not ask at all."""

NOISE = 0.03
"""Nats a token up to which a drop is none: other numbers before the sources alone move an answer that far."""


_IMPOSSIBLE = Score(-math.inf, 0)
"""Of any answer where the answerer says "not found" without asking its model."""


@dataclass(frozen=True, slots=True)
class _Scored:
    """The score of the answer after a prompt, None if there is none; or why it has none."""

    prompt: Prompt | None = None
    score: Score = _IMPOSSIBLE
    calls: int = 0
    error: str = ""
    failure: Failure | None = None


def drop_contribution(whole: Score, left: Score) -> float:
    """How far a score fell, from 0 to 1: 1 - the factor by which each token became less likely, on average.

    By token, or any long answer would have a contribution of 1; at most 1, as the counterfactual one mostly is, so that
    the shares' temperature suits both. 0 where the drop is noise, or the answer even became more likely.
    """
    if left.log_likelihood >= whole.log_likelihood:
        return 0.0
    drop = (whole.log_likelihood - left.log_likelihood) / max(1, whole.tokens)
    return 1.0 - math.exp(-drop) if drop > NOISE else 0.0


class LikelihoodAttributor:
    """Scores the answer's words after the answerer's own prompts, with all evidences and without each cluster.

    The words are scored without citations. The numbers mean other sources as soon as one is gone: as they are they
    would name wrong sources, or ones that the prompt does not have, and what is cited would matter for being cited.
    Mapped to the new numbers, the text would differ from ablation to ablation, and likelihoods of different texts do
    not compare. That sentences without citations are somewhat less likely holds with and without a source.
    """

    name = "likelihood"
    answers_again = False

    def __init__(self, prompt_of: PromptOf, scorer: AnswerScorer, concurrency: int = 10) -> None:
        """``concurrency``: texts scored at the same time."""
        self._prompt_of = prompt_of
        self._scorer = scorer
        self._slots = asyncio.Semaphore(concurrency)

    async def attribute(
        self, subject: Subject, clusters: Sequence[Cluster], known: Known, on_result: ResultListener
    ) -> list[Counterfactual]:
        """One result a cluster, in their order, without answers; the call with all evidences counts with the first."""
        found = {cluster: known[cluster] for cluster in clusters if cluster in known}
        asked = [cluster for cluster in clusters if cluster not in known]
        if asked:
            # First: without it nothing compares, and the others begin with what the server has read then.
            whole = await self._scored(subject, ())

            async def ablate(cluster: Cluster) -> Counterfactual:
                async with self._slots:
                    result = await self._ablated(subject, cluster, whole)
                result = replace(result, calls=result.calls + (whole.calls if cluster == asked[0] else 0))
                on_result(result)
                return result

            found |= {result.cluster: result for result in await asyncio.gather(*map(ablate, asked))}
        return [found[cluster] for cluster in clusters]

    async def _ablated(self, subject: Subject, cluster: Cluster, whole: _Scored) -> Counterfactual:
        if whole.error:
            return Counterfactual(cluster, None, error=whole.error, failure=whole.failure)
        left = await self._scored(subject, cluster, whole)
        contribution = None if left.error else drop_contribution(whole.score, left.score)
        return Counterfactual(cluster, contribution, calls=left.calls, error=left.error, failure=left.failure)

    async def _scored(self, subject: Subject, removed: Cluster, whole: _Scored | None = None) -> _Scored:
        try:
            prompt = self._prompt_of(subject.question, without(subject.evidences, removed))
        except WikiWhyError as error:
            return _Scored(error=str(error), failure=error.failure)
        if prompt is None:
            return _Scored(score=_IMPOSSIBLE)
        if whole and prompt == whole.prompt:  # what was removed was left out anyway
            return replace(whole, calls=0)
        try:
            return _Scored(prompt, await self._scorer.score(prompt, without_citations(subject.answer)), 1)
        except WikiWhyError as error:
            return _Scored(prompt, calls=1, error=str(error), failure=error.failure)
