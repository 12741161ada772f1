"""Explains a stored turn: the sources that its answer depends on, computed from the turn's evidences."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from core.answering.answerer import Answerer
from core.attribution.attributors import Attributor, CounterfactualAttributor, ResultListener
from core.attribution.steps import (
    EPSILON,
    NO_CONTRIBUTION,
    AnswerToExplain,
    cluster_evidences,
    compute_shares,
    join_clusters,
    normalise_answer,
    remove_evidences,
)
from core.errors import NotExplainable
from core.model import AblationResult, Cluster, KnownResults, RankedEvidence, Turn
from core.ports.models import Embedder
from core.timing import Clock, Progress, ProgressListener
from core.trace import Tracer

Conclusion = Literal["not_found", "not_grounded", "single_page", "opposite", "redundant", "unknown"]
"""not_found: there is no answer to explain. not_grounded: no removal changed the answer. single_page: without one page
the answer is "not found", or its ``opposite``. redundant: no single cluster matters, but removing all that the answer
cites does, so each is enough. unknown: too many failures for any of these."""

SLIGHT_CONTRIBUTION = 0.02
"""A contribution up to this only changes the wording."""

_YES, _NO = re.compile(r"(?i)^\W*(?:yes|ja|doch)\b"), re.compile(r"(?i)^\W*(?:no|nein)\b")


def has_effect(by_cluster: Sequence[AblationResult]) -> bool:
    """Whether removing one cluster changed the answer."""
    return any(result.contribution is not None and result.contribution > NO_CONTRIBUTION for result in by_cluster)


def has_only_slight_effects(by_cluster: Sequence[AblationResult]) -> bool:
    """Whether no single cluster matters, and no ablation failed."""
    return all(result.contribution is not None and result.contribution <= SLIGHT_CONTRIBUTION for result in by_cluster)


def find_conclusions(
    answer: str,
    by_cluster: Sequence[AblationResult],
    by_page: Sequence[AblationResult] = (),
    all_cited: AblationResult | None = None,
) -> list[Conclusion]:
    """Return the conclusions on an answer, which is not "not found"; there may be none.

    ``by_page``: the results of removing each cited page as a whole; ``all_cited``: the result of removing all cited
    clusters together, None if that was not done.
    """
    page = find_single_page(answer, by_page)
    if page:
        return ["single_page", "opposite"] if _is_mostly_opposite(answer, page) else ["single_page"]
    if not has_only_slight_effects(by_cluster):
        return [] if has_effect(by_cluster) else ["unknown"]
    asked = [result for result in (*by_page, all_cited) if result is not None]
    if any(result.contribution is None for result in asked):
        return ["unknown"]
    if any((result.contribution or 0.0) > SLIGHT_CONTRIBUTION for result in asked):
        return ["redundant"]
    return [] if has_effect([*by_cluster, *asked]) else ["not_grounded"]


def find_single_page(answer: str, by_page: Sequence[AblationResult]) -> AblationResult | None:
    """Return the page without which the answer turns into its opposite; else the one without which there is none.

    None if there is neither.
    """
    opposite = (result for result in by_page if _is_mostly_opposite(answer, result))
    gone = (result for result in by_page if _is_mostly([not answered for answered in result.answered]))
    return next(opposite, None) or next(gone, None)


def _is_opposite(answer: str, counterfactual: str) -> bool:
    """Whether one text says yes and the other no."""
    return any(one.search(answer) and other.search(counterfactual) for one, other in ((_YES, _NO), (_NO, _YES)))


def _is_mostly_opposite(answer: str, result: AblationResult) -> bool:
    return _is_mostly([_is_opposite(answer, text) for text in result.answers])


def _is_mostly(turned: Sequence[bool]) -> bool:
    """Whether it holds for most repetitions: a single sample of a model is not enough for a conclusion."""
    return sum(turned) * 2 > len(turned)


Reference = Literal["kept", "repeated", "own"]
"""The answer that the counterfactual answers are compared with.

kept: the turn's answer, by a model that may answer differently next time. repeated: the turn's answer, by a
deterministic answerer, which is checked. own: a new answer of the explaining answerer, because another model gave the
turn's answer, and the difference between the models would otherwise count as the effect of the sources.
"""


@dataclass(frozen=True, slots=True)
class ExplainedCluster:
    """A cluster of a turn's evidences with its share, None if unknown.

    ``numbers``: the number under which the answer cites each evidence, None where it does not.
    """

    share: float | None
    result: AblationResult
    evidences: tuple[RankedEvidence, ...]
    numbers: tuple[int | None, ...]

    @property
    def citations(self) -> tuple[int, ...]:
        """Return the numbers under which the answer cites its evidences, rising."""
        return tuple(sorted(number for number in self.numbers if number is not None))


@dataclass(frozen=True, slots=True)
class Explanation:
    """The shares of the clusters of a turn, and the conclusions.

    ``clusters``: by falling share, unknown shares last; empty if there is no answer to explain. ``compared_with``: the
    answer that the counterfactual ones were compared with. ``calls``: of answerers and models. ``single_page``: an
    evidence of the page that the answer depends on, if that is the conclusion.
    """

    turn_id: str
    method: str
    compared_with: str = ""
    clusters: tuple[ExplainedCluster, ...] = ()
    conclusions: tuple[Conclusion, ...] = ("not_found",)
    calls: int = 0
    seconds: float = 0.0
    single_page: RankedEvidence | None = None

    @property
    def has_effect(self) -> bool:
        """Whether removing one cluster changed the answer; False also where only several together matter."""
        return has_effect([cluster.result for cluster in self.clusters])

    @property
    def top(self) -> ExplainedCluster | None:
        """Return the cluster with the highest share; None if all shares are 0."""
        return self.clusters[0] if self.clusters and self.clusters[0].share else None


@dataclass(frozen=True, slots=True)
class Explainer:
    """Explains stored turns without retrieving again.

    ``attributor``: gives the contributions of the clusters. ``counterfactual``: removes what the conclusions need
    besides, whole pages and all cited clusters. ``answerer``: the one that both use.
    """

    attributor: Attributor
    counterfactual: CounterfactualAttributor
    answerer: Answerer
    embedder: Embedder
    clock: Clock
    reference: Reference = "kept"
    epsilon: float = EPSILON

    async def cluster(self, evidences: Sequence[RankedEvidence]) -> list[Cluster]:
        """Return the clusters of evidences; the same for the same evidences."""
        return await cluster_evidences(evidences, self.embedder, self.epsilon)

    async def explain(
        self,
        turn: Turn,
        known: KnownResults | None = None,
        on_result: ResultListener = lambda result: None,
        on_progress: ProgressListener = lambda progress: None,
    ) -> Explanation:
        """Explain an answer. ``known``: the results of an interrupted run.

        Raises :class:`core.errors.NotExplainable` if sources were erased or the answerer answers differently now, and
        the errors of the answerer when it is asked for its own answer.
        """
        started = self.clock()
        if not turn.answer.answered:
            return Explanation(turn.turn_id, self.attributor.name)
        _check_not_erased(turn)
        text, reference_calls = await self._make_reference_answer(turn)
        answer, known = replace(AnswerToExplain.of(turn), answer=text), known or {}
        clusters, pages = await self.cluster(turn.evidences), answer.find_cited_pages()
        progress = _Progress(frozenset([*clusters, *pages]), frozenset(pages), on_progress, on_result)
        progress.start(known)
        other_pages = [page for page in pages if page not in clusters]
        by_cluster, by_page = await asyncio.gather(
            self.attributor.attribute(answer, clusters, known, progress.note),
            self.counterfactual.attribute(answer, other_pages, known, progress.note),
        )
        by_page += [result for result in by_cluster if result.cluster in pages]
        all_cited: list[AblationResult] = []
        if has_only_slight_effects(by_cluster):
            all_cited = await self.counterfactual.attribute(answer, _join_cited(answer, clusters), known, progress.note)
        results = {result.cluster: result for result in (*all_cited, *by_page, *by_cluster)}
        page = find_single_page(text, by_page)
        return Explanation(
            turn_id=turn.turn_id,
            method=self.attributor.name,
            compared_with=text,
            clusters=_explain_clusters(turn, by_cluster),
            conclusions=tuple(find_conclusions(text, by_cluster, by_page, next(iter(all_cited), None))),
            calls=reference_calls + sum(result.calls for result in results.values()),
            seconds=round(self.clock() - started, 3),
            single_page=turn.evidences[page.cluster[0]] if page else None,
        )

    async def _make_reference_answer(self, turn: Turn) -> tuple[str, int]:
        """Return the answer to compare with, and the number of calls it took."""
        if self.reference == "kept":
            return turn.answer.text, 0
        question, day = turn.question.intent_explicit, turn.day
        again = await self.answerer.answer(question, turn.evidences, Tracer(lambda: 0.0), day=day)
        if self.reference == "own":
            if not again.answered:
                raise NotExplainable(
                    f"{self.answerer.name} finds no answer in the sources that this answer was made from, so it cannot "
                    "explain it. Unset WIKIWHY_EXPLAIN_MODEL, or set it to the model that gave the answer."
                )
            return again.text, 1
        if normalise_answer(again.text) != normalise_answer(turn.answer.text):
            raise NotExplainable(
                "This answer cannot be explained any more: its question, asked of the same sources, is answered "
                "otherwise now (another version or embedder, or words of its conversation were erased). Ask the "
                "question again, and explain that answer."
            )
        return turn.answer.text, 1


@dataclass(slots=True)
class _Progress:
    """Counts the announced clusters that are done.

    The cluster of a cited page is done when it has answers, or failed.
    """

    announced: frozenset[Cluster]
    pages: frozenset[Cluster]
    on_progress: ProgressListener
    on_result: ResultListener
    done: set[Cluster] = field(default_factory=set)

    def start(self, known: KnownResults) -> None:
        self.done = {cluster for cluster in self.announced & known.keys() if self._is_complete(known[cluster])}
        self._report()

    def note(self, result: AblationResult) -> None:
        self.on_result(result)
        if result.cluster in self.announced and self._is_complete(result):
            self.done.add(result.cluster)
            self._report()

    def _is_complete(self, result: AblationResult) -> bool:
        return result.cluster not in self.pages or bool(result.answers or result.error)

    def _report(self) -> None:
        self.on_progress(Progress("take sources away", len(self.done), len(self.announced)))


def _check_not_erased(turn: Turn) -> None:
    """Raise NotExplainable if text that the answer was made from was erased with a page."""
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


def _join_cited(answer: AnswerToExplain, clusters: Sequence[Cluster]) -> list[Cluster]:
    """Return all cited clusters as one; [] if there is only one, or if it would leave nothing to answer from."""
    cited = [cluster for cluster in clusters if answer.cites(cluster)]
    together = join_clusters(cited)
    return [together] if len(cited) > 1 and remove_evidences(answer.evidences, together) else []


def _explain_clusters(turn: Turn, results: Sequence[AblationResult]) -> tuple[ExplainedCluster, ...]:
    cited = {citation.evidence_id: citation.number for citation in turn.answer.citations}
    found = []
    for share, result in zip(compute_shares([result.contribution for result in results]), results, strict=True):
        evidences = tuple(turn.evidences[index] for index in result.cluster)
        numbers = tuple(cited.get(ranked.evidence.evidence_id) for ranked in evidences)
        found.append(ExplainedCluster(share, result, evidences, numbers))
    return tuple(sorted(found, key=lambda cluster: (cluster.share is None, -(cluster.share or 0.0))))
