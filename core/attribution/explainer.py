"""Explains a stored turn: which of its sources the answer rests on, from the evidences that the turn keeps."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from core.answering.answerer import Answerer
from core.attribution.attributors import CounterfactualAttributor
from core.attribution.steps import (
    EPSILON,
    NOTHING,
    AnswerToExplain,
    Attributor,
    Cluster,
    Counterfactual,
    Known,
    ResultListener,
    ablate,
    cluster_evidences,
    join_clusters,
    shares,
    words_only,
)
from core.errors import NotExplainable
from core.model import RankedEvidence, Turn
from core.ports.models import Embedder
from core.timing import Clock, Progress, ProgressListener
from core.trace import Tracer

Verdict = Literal["not_found", "not_grounded", "single_page", "opposite", "redundant", "unknown"]
"""not_found: there is no answer to explain. not_grounded: the answer stayed the same, whatever was removed.
single_page: without one page the answer is gone, or its ``opposite``. redundant: no cluster matters by itself, but
removing all that the answer cites does: each is enough. unknown: too many failures for any of these."""

SLIGHT = 0.02
"""A contribution up to this means other words for the same answer."""

_YES, _NO = re.compile(r"(?i)^\W*(?:yes|ja|doch)\b"), re.compile(r"(?i)^\W*(?:no|nein)\b")


def is_moved(by_cluster: Sequence[Counterfactual]) -> bool:
    """Whether removing one cluster moved the answer."""
    return any(result.contribution is not None and result.contribution > NOTHING for result in by_cluster)


def has_only_slight_effects(by_cluster: Sequence[Counterfactual]) -> bool:
    """Whether no cluster matters by itself, and no ablation failed."""
    return all(result.contribution is not None and result.contribution <= SLIGHT for result in by_cluster)


def judge(
    answer: str,
    by_cluster: Sequence[Counterfactual],
    by_page: Sequence[Counterfactual] = (),
    all_cited: Counterfactual | None = None,
) -> list[Verdict]:
    """The verdicts on an answer, which is not "not found"; there may be none.

    ``by_page``: the results of removing each cited page as a whole; ``all_cited``: that of removing all cited clusters
    together, None if that was not asked.
    """
    page = find_single_page(answer, by_page)
    if page:
        return ["single_page", "opposite"] if _mostly_opposite(answer, page) else ["single_page"]
    if not has_only_slight_effects(by_cluster):
        return [] if is_moved(by_cluster) else ["unknown"]
    asked = [result for result in (*by_page, all_cited) if result is not None]
    if any(result.contribution is None for result in asked):
        return ["unknown"]
    if any((result.contribution or 0.0) > SLIGHT for result in asked):
        return ["redundant"]
    return [] if is_moved([*by_cluster, *asked]) else ["not_grounded"]


def find_single_page(answer: str, by_page: Sequence[Counterfactual]) -> Counterfactual | None:
    """The page without which the answer becomes its opposite, else the one without which it is gone, if any."""
    opposite = (result for result in by_page if _mostly_opposite(answer, result))
    gone = (result for result in by_page if _is_mostly([not answered for answered in result.answered]))
    return next(opposite, None) or next(gone, None)


def _became_opposite(answer: str, counterfactual: str) -> bool:
    """Whether a yes became a no, or the other way round."""
    return any(one.search(answer) and other.search(counterfactual) for one, other in ((_YES, _NO), (_NO, _YES)))


def _mostly_opposite(answer: str, result: Counterfactual) -> bool:
    return _is_mostly([_became_opposite(answer, text) for text in result.answers])


def _is_mostly(turned: Sequence[bool]) -> bool:
    """Whether it holds for most repetitions: one draw of a sampling model is not enough for a verdict."""
    return sum(turned) * 2 > len(turned)


Reference = Literal["kept", "repeated", "own"]
"""Which answer the counterfactual ones are compared with.

kept: the turn's answer, by a model that may say something else next time. repeated: the turn's answer, by an answerer
that always says the same, which is checked. own: what the answerer says itself, because another model gave the turn's
answer: the difference between two models would otherwise count as the effect of the sources.
"""


@dataclass(frozen=True, slots=True)
class ExplainedCluster:
    """A cluster of a turn's evidences with its share of the answer, None if that is unknown.

    ``numbers``: under which the answer cites each evidence, None where it does not.
    """

    share: float | None
    result: Counterfactual
    evidences: tuple[RankedEvidence, ...]
    numbers: tuple[int | None, ...]

    @property
    def citations(self) -> tuple[int, ...]:
        """The numbers under which the answer cites its evidences, rising."""
        return tuple(sorted(number for number in self.numbers if number is not None))


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an answer rests on.

    ``clusters``: by falling share, unknown shares last; empty if there is no answer to explain. ``compared_with``: the
    answer that the counterfactual ones were compared with. ``calls``: how often an answerer, or its model, was asked.
    ``single_page``: an evidence of the page that the answer rests on, if that is the verdict.
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
        """The cluster that the answer rests on most; None if it rests on none."""
        return self.clusters[0] if self.clusters and self.clusters[0].share else None


@dataclass(frozen=True, slots=True)
class Explainer:
    """Explains stored turns without retrieving again.

    ``attributor`` gives the contributions of the clusters; ``full`` removes what the verdicts need besides: whole
    pages, and all that is cited. ``answerer`` is the one that both ask.
    """

    attributor: Attributor
    full: CounterfactualAttributor
    answerer: Answerer
    embedder: Embedder
    clock: Clock
    reference: Reference = "kept"
    epsilon: float = EPSILON

    async def cluster(self, evidences: Sequence[RankedEvidence]) -> list[Cluster]:
        """The clusters of evidences; the same for the same evidences."""
        return await cluster_evidences(evidences, self.embedder, self.epsilon)

    async def explain(
        self,
        turn: Turn,
        known: Known | None = None,
        on_result: ResultListener = lambda result: None,
        on_progress: ProgressListener = lambda progress: None,
    ) -> Explanation:
        """Explains an answer. ``known``: the results of an interrupted run.

        Raises :class:`core.errors.NotExplainable` if sources were erased or the answerer answers differently now, and
        what the answerer raises when it is asked for its own answer.
        """
        started = self.clock()
        if not turn.answer.answered:
            return Explanation(turn.turn_id, self.attributor.name)
        _check_not_erased(turn)
        text, reference_calls = await self._reference_answer(turn)
        answer, known = replace(AnswerToExplain.of(turn), answer=text), known or {}
        clusters, pages = await self.cluster(turn.evidences), answer.find_cited_pages()
        progress = _Progress(frozenset([*clusters, *pages]), frozenset(pages), on_progress, on_result)
        progress.start(known)
        other_pages = [page for page in pages if page not in clusters]
        by_cluster, by_page = await asyncio.gather(
            self.attributor.attribute(answer, clusters, known, progress.note),
            self.full.attribute(answer, other_pages, known, progress.note),
        )
        by_page += [result for result in by_cluster if result.cluster in pages]
        all_cited: list[Counterfactual] = []
        if has_only_slight_effects(by_cluster):
            all_cited = await self.full.attribute(answer, _join_cited(answer, clusters), known, progress.note)
        results = {result.cluster: result for result in (*all_cited, *by_page, *by_cluster)}
        page = find_single_page(text, by_page)
        return Explanation(
            turn_id=turn.turn_id,
            method=self.attributor.name,
            compared_with=text,
            clusters=_explain_clusters(turn, by_cluster),
            verdicts=tuple(judge(text, by_cluster, by_page, next(iter(all_cited), None))),
            grounded=is_moved(by_cluster),
            calls=reference_calls + sum(result.calls for result in results.values()),
            seconds=round(self.clock() - started, 3),
            single_page=turn.evidences[page.cluster[0]] if page else None,
        )

    async def _reference_answer(self, turn: Turn) -> tuple[str, int]:
        """The answer to compare with, and how often the answerer was asked for it."""
        if self.reference == "kept":
            return turn.answer.text, 0
        again = await self.answerer.answer(turn.question.intent_explicit, turn.evidences, Tracer(lambda: 0.0))
        if self.reference == "own":
            if not again.answered:
                raise NotExplainable(
                    f"{self.answerer.name} finds no answer in the sources that this answer was made from, so it cannot "
                    "explain it. Unset WIKIWHY_EXPLAIN_MODEL, or set it to the model that gave the answer."
                )
            return again.text, 1
        if words_only(again.text) != words_only(turn.answer.text):
            raise NotExplainable(
                "This answer cannot be explained any more: its question, asked of the same sources, is answered "
                "otherwise now (another version or embedder, or words of its conversation were erased). Ask the "
                "question again, and explain that answer."
            )
        return turn.answer.text, 1


@dataclass(slots=True)
class _Progress:
    """Counts the announced clusters that are done. That of a cited page is done when it has its answers, or failed."""

    announced: frozenset[Cluster]
    pages: frozenset[Cluster]
    on_progress: ProgressListener
    on_result: ResultListener
    done: set[Cluster] = field(default_factory=set)

    def start(self, known: Known) -> None:
        self.done = {cluster for cluster in self.announced & known.keys() if self._is_complete(known[cluster])}
        self._report()

    def note(self, result: Counterfactual) -> None:
        self.on_result(result)
        if result.cluster in self.announced and self._is_complete(result):
            self.done.add(result.cluster)
            self._report()

    def _is_complete(self, result: Counterfactual) -> bool:
        return result.cluster not in self.pages or bool(result.answers or result.error)

    def _report(self) -> None:
        self.on_progress(Progress("take sources away", len(self.done), len(self.announced)))


def _check_not_erased(turn: Turn) -> None:
    """Raises NotExplainable if words that the answer was made from were removed with a page."""
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
    """All cited clusters as one; none if that is one cluster anyway, or would leave nothing to answer from."""
    cited = [cluster for cluster in clusters if answer.cites(cluster)]
    together = join_clusters(cited)
    return [together] if len(cited) > 1 and ablate(answer.evidences, together) else []


def _explain_clusters(turn: Turn, results: Sequence[Counterfactual]) -> tuple[ExplainedCluster, ...]:
    cited = {citation.evidence_id: citation.number for citation in turn.answer.citations}
    found = []
    for share, result in zip(shares([result.contribution for result in results]), results, strict=True):
        evidences = tuple(turn.evidences[index] for index in result.cluster)
        numbers = tuple(cited.get(ranked.evidence.evidence_id) for ranked in evidences)
        found.append(ExplainedCluster(share, result, evidences, numbers))
    return tuple(sorted(found, key=lambda cluster: (cluster.share is None, -(cluster.share or 0.0))))
