"""A turn explained: which of its sources the answer rests on, from the evidences that the turn keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.answering.answerer import Answerer
from core.attribution.attributor import Attributor, Cluster, Counterfactual, Known, ResultListener, Subject, subject_of
from core.attribution.clusters import EPSILON, clusters_of
from core.attribution.counterfactual import CounterfactualAttributor, without
from core.attribution.frugal import union
from core.attribution.reference import Reference, reference_answer
from core.attribution.shares import shares
from core.attribution.verdicts import Verdict, moves_answer, none_matters, single_page, verdicts
from core.errors import NotExplainable
from core.model import RankedEvidence, Turn
from core.ports import Embedder, Progress, ProgressListener
from core.timing import Clock


@dataclass(frozen=True, slots=True)
class ExplainedCluster:
    """A cluster of a turn's evidences, with its share of the answer, None where that is unknown."""

    share: float | None
    result: Counterfactual
    evidences: tuple[RankedEvidence, ...]
    numbers: tuple[int | None, ...]  # under which the answer cites each evidence, None where it does not

    @property
    def citations(self) -> tuple[int, ...]:
        """The numbers under which the answer cites its evidences, rising."""
        return tuple(sorted(number for number in self.numbers if number is not None))


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an answer is as it is.

    ``clusters`` by falling share, unknown ones last; none where there is no answer to explain. ``compared_with``: the
    answer that the counterfactual ones were compared with. ``calls``: how often an answerer, or its model, was asked.
    ``single_page``: an evidence of the page that the answer rests on, where that is the verdict.
    """

    turn_id: str
    method: str
    compared_with: str = ""
    clusters: tuple[ExplainedCluster, ...] = ()
    verdicts: tuple[Verdict, ...] = ("not_found",)
    grounded: bool = False
    calls: int = 0
    seconds: float = 0.0
    single_page: RankedEvidence | None = None

    @property
    def top(self) -> ExplainedCluster | None:
        """The cluster that the answer rests on most; None where it rests on none."""
        return self.clusters[0] if self.clusters and self.clusters[0].share else None


@dataclass(frozen=True, slots=True)
class ExplainerParts:
    """``attributor`` gives the shares; ``full`` takes away what the verdicts need besides: pages, all that is cited.

    ``answerer``: the one that both ask.
    """

    attributor: Attributor
    full: CounterfactualAttributor
    answerer: Answerer
    embedder: Embedder
    reference: Reference = "kept"
    epsilon: float = EPSILON


class Explainer:
    """Explains a stored turn. Nothing is retrieved again."""

    def __init__(self, parts: ExplainerParts, clock: Clock) -> None:
        self._parts = parts
        self._clock = clock

    async def clusters_of(self, evidences: Sequence[RankedEvidence]) -> list[Cluster]:
        """The clusters of evidences; the same for the same evidences."""
        return await clusters_of(evidences, self._parts.embedder, self._parts.epsilon)

    async def explain(
        self,
        turn: Turn,
        known: Known | None = None,
        on_result: ResultListener = lambda result: None,
        on_progress: ProgressListener = lambda progress: None,
    ) -> Explanation:
        """Explains an answer. ``known``: the results that an interrupted run heard.

        Raises :class:`core.errors.NotExplainable` where sources were erased or the answerer answers otherwise now, and
        what the answerer raises when it is asked for its own answer.
        """
        started = self._clock()
        if not turn.answer.answered:
            return Explanation(turn.turn_id, self._parts.attributor.name)
        _check_kept(turn)
        reference = await reference_answer(turn, self._parts.reference, self._parts.answerer)
        subject = replace(subject_of(turn), answer=reference.text)
        clusters = await self.clusters_of(turn.evidences)
        pages = _cited_pages(turn)
        work = _Ablations(self._parts.full, subject, known or {}, on_result)
        awaited = [] if self._parts.attributor.answers_again else [page for page in pages if page in clusters]
        work.follow([*clusters, *pages], awaited, on_progress)
        by_cluster, by_page = await asyncio.gather(
            self._parts.attributor.attribute(subject, clusters, work.known, work.hear),
            work.ablate([page for page in pages if page not in clusters]),
        )
        if not self._parts.attributor.answers_again:
            by_cluster = await work.add_answers(by_cluster, awaited)
        by_page += [result for result in by_cluster if result.cluster in pages]
        all_cited = await work.all_cited(clusters) if none_matters(by_cluster) else []
        results = {result.cluster: result for result in (*all_cited, *by_page, *by_cluster)}
        page = single_page(reference.text, by_page)
        return Explanation(
            turn_id=turn.turn_id,
            method=self._parts.attributor.name,
            compared_with=reference.text,
            clusters=_explained(turn, by_cluster),
            verdicts=tuple(verdicts(reference.text, by_cluster, by_page, next(iter(all_cited), None))),
            grounded=moves_answer(by_cluster),
            calls=reference.calls + sum(result.calls for result in results.values()),
            seconds=round(self._clock() - started, 3),
            single_page=turn.evidences[page.cluster[0]] if page else None,
        )


@dataclass(slots=True)
class _Ablations:
    """The ablations of one explanation, and how many of those that were announced are done."""

    full: CounterfactualAttributor
    subject: Subject
    known: Known
    on_result: ResultListener
    _announced: frozenset[Cluster] = frozenset()
    _done: set[Cluster] = field(default_factory=set)
    _awaited: set[Cluster] = field(default_factory=set)
    _on_progress: ProgressListener = lambda progress: None

    def follow(self, announced: Sequence[Cluster], awaited: Sequence[Cluster], on_progress: ProgressListener) -> None:
        """``awaited``: those that are done only when they are :meth:`answered`."""
        self._announced, self._awaited, self._on_progress = frozenset(announced), set(awaited), on_progress
        self._done = set(self._announced.intersection(self.known)) - self._awaited
        self._tell()

    def hear(self, result: Counterfactual) -> None:
        self.on_result(result)
        if result.cluster in self._announced - self._awaited:
            self._done.add(result.cluster)
            self._tell()

    async def ablate(self, clusters: Sequence[Cluster]) -> list[Counterfactual]:
        return await self.full.attribute(self.subject, clusters, self.known, self.hear)

    async def add_answers(self, results: Sequence[Counterfactual], wanted: Sequence[Cluster]) -> list[Counterfactual]:
        """The results, with answers where they are wanted or the contribution is the highest.

        The listener hears these a second time: what has its answers is asked for nothing more by a run that goes on.
        """
        top = max(results, key=lambda result: result.contribution or 0.0)
        clusters = {*wanted, *([top.cluster] if top.contribution else [])}

        async def with_answers(result: Counterfactual) -> Counterfactual:
            if result.cluster not in clusters:
                return result
            if not result.answers:
                result = _joined(result, await self.full.ablate(self.subject, result.cluster, {}, lambda _: None))
            self._awaited.discard(result.cluster)
            self.hear(result)
            return result

        return list(await asyncio.gather(*map(with_answers, results)))

    async def all_cited(self, clusters: Sequence[Cluster]) -> list[Counterfactual]:
        """Takes all cited clusters away together; nothing where that says no more, or leaves nothing to answer from."""
        cited = [cluster for cluster in clusters if self.subject.cites(cluster)]
        together = union(cited)
        asks = len(cited) > 1 and bool(without(self.subject.evidences, together))
        return await self.ablate([together]) if asks else []

    def _tell(self) -> None:
        self._on_progress(Progress("take sources away", len(self._done), len(self._announced)))


def _joined(result: Counterfactual, answered: Counterfactual) -> Counterfactual:
    """A contribution that was found without an answer, and the answers without the same cluster."""
    return replace(
        answered,
        contribution=result.contribution,
        calls=result.calls + answered.calls,
        error=result.error or answered.error,
        failure=result.failure or answered.failure,
    )


def _check_kept(turn: Turn) -> None:
    """Raises NotExplainable where a page's removal took words that the answer was made from."""
    erased = sum(not ranked.evidence.text for ranked in turn.evidences)
    if erased:
        raise NotExplainable(
            f"This answer cannot be explained any more: {erased} of the {len(turn.evidences)} sources that it was made "
            "from have been removed from the wiki, or may not be read by everyone any more. Ask the question again, "
            "and explain that answer."
        )
    if turn.erased:
        raise NotExplainable(
            "This answer cannot be explained any more: a page of its conversation was removed, and with it the "
            "question as it was understood. Ask the question again, and explain that answer."
        )


def _cited_pages(turn: Turn) -> list[Cluster]:
    """For each cited page the indexes of its evidences."""
    pages = [ranked.evidence.page_id for ranked in turn.evidences]
    cited = dict.fromkeys(citation.page_id for citation in turn.answer.citations if citation.page_id in pages)
    return [tuple(index for index, page in enumerate(pages) if page == wanted) for wanted in cited]


def _explained(turn: Turn, results: Sequence[Counterfactual]) -> tuple[ExplainedCluster, ...]:
    cited = {citation.evidence_id: citation.number for citation in turn.answer.citations}
    found = []
    for share, result in zip(shares([result.contribution for result in results]), results, strict=True):
        evidences = tuple(turn.evidences[index] for index in result.cluster)
        numbers = tuple(cited.get(ranked.evidence.evidence_id) for ranked in evidences)
        found.append(ExplainedCluster(share, result, evidences, numbers))
    return tuple(sorted(found, key=lambda cluster: (cluster.share is None, -(cluster.share or 0.0))))
