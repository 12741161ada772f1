"""A turn explained: which of its sources the answer rests on, from the evidences that the turn keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.attribution.attributor import Attributor, Cluster, Counterfactual, ResultListener, Subject
from core.attribution.clusters import EPSILON, clustered
from core.attribution.counterfactual import CounterfactualAttributor
from core.attribution.shares import shares
from core.attribution.verdicts import Verdict, grounded, verdicts
from core.evidence.contextualise import contextualised
from core.model import RankedEvidence, Turn
from core.ports import Embedder
from core.timing import Clock


@dataclass(frozen=True, slots=True)
class ExplainedCluster:
    """A cluster of a turn's evidences, with its share of the answer. ``share`` and ``contribution`` None: unknown."""

    share: float | None
    result: Counterfactual
    evidences: tuple[RankedEvidence, ...]
    citations: tuple[int, ...]  # the numbers under which the answer cites its evidences


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an answer is as it is. ``clusters`` by falling share; none where there is no answer to explain."""

    turn_id: str
    method: str
    clusters: tuple[ExplainedCluster, ...]
    verdicts: tuple[Verdict, ...]
    grounded: bool
    calls: int
    seconds: float

    @property
    def top(self) -> ExplainedCluster | None:
        """The cluster that the answer rests on most; None where it rests on none."""
        return self.clusters[0] if self.clusters and self.clusters[0].share else None


class Explainer:
    """Explains stored turns. Nothing is retrieved again."""

    def __init__(
        self,
        attributor: Attributor,
        pages: CounterfactualAttributor,
        embedder: Embedder,
        clock: Clock,
        epsilon: float = EPSILON,
    ) -> None:
        """``pages``: takes whole pages away, for the verdict on single pages."""
        self._attributor = attributor
        self._pages = pages
        self._embedder = embedder
        self._clock = clock
        self._epsilon = epsilon

    async def clusters_of(self, evidences: Sequence[RankedEvidence]) -> list[Cluster]:
        """The clusters of evidences, as indexes; the same for the same evidences."""
        vectors = await self._embedder.embed_passages([contextualised(ranked.evidence) for ranked in evidences])
        return clustered(vectors, self._epsilon)

    async def explain(
        self, turn: Turn, known: Mapping[Cluster, Counterfactual], on_result: ResultListener
    ) -> Explanation:
        """Explains an answer; ``known`` has the results of an interrupted run."""
        started = self._clock()
        if not turn.answer.answered or not turn.evidences:
            return Explanation(turn.turn_id, self._attributor.name, (), ("not_found",), False, 0, 0.0)
        subject = Subject(turn.question.intent_explicit, turn.answer.text, turn.evidences)
        clusters = await self.clusters_of(turn.evidences)
        by_cluster, by_page = await asyncio.gather(
            self._attributor.attribute(subject, clusters, known, on_result),
            self._pages.attribute(subject, _cited_pages(turn, clusters), known, lambda result: None),
        )
        results = [*by_cluster, *by_page]
        return Explanation(
            turn_id=turn.turn_id,
            method=self._attributor.name,
            clusters=_explained(turn, by_cluster),
            verdicts=tuple(verdicts(turn.answer.text, by_cluster, _with_clusters(by_page, by_cluster, turn))),
            grounded=grounded(results),
            calls=sum(result.calls for result in results),
            seconds=round(self._clock() - started, 3),
        )


def _pages(turn: Turn) -> dict[str, Cluster]:
    """The indexes of each cited page's evidences."""
    cited = {citation.page_id for citation in turn.answer.citations}
    return {
        page: tuple(at for at, ranked in enumerate(turn.evidences) if ranked.evidence.page_id == page)
        for page in sorted(cited)
        if any(ranked.evidence.page_id == page for ranked in turn.evidences)
    }


def _cited_pages(turn: Turn, clusters: Sequence[Cluster]) -> list[Cluster]:
    """The cited pages that are no cluster by themselves, which are asked for anyhow."""
    return [indexes for indexes in _pages(turn).values() if indexes not in clusters]


def _with_clusters(
    by_page: Sequence[Counterfactual], by_cluster: Sequence[Counterfactual], turn: Turn
) -> list[Counterfactual]:
    pages = set(_pages(turn).values())
    return [*by_page, *(result for result in by_cluster if result.cluster in pages)]


def _explained(turn: Turn, results: Sequence[Counterfactual]) -> tuple[ExplainedCluster, ...]:
    numbers = {citation.evidence_id: citation.number for citation in turn.answer.citations}
    found = [
        ExplainedCluster(share, result, evidences, citations)
        for share, result in zip(shares([result.contribution for result in results]), results, strict=True)
        for evidences in [tuple(turn.evidences[index] for index in result.cluster)]
        for citations in [_numbers(evidences, numbers)]
    ]
    return tuple(sorted(found, key=lambda cluster: (cluster.share is None, -(cluster.share or 0.0))))


def _numbers(evidences: Sequence[RankedEvidence], numbers: Mapping[str, int]) -> tuple[int, ...]:
    cited = (numbers.get(ranked.evidence.evidence_id) for ranked in evidences)
    return tuple(sorted(number for number in cited if number is not None))
