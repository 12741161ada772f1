"""How often Explain names the right page (RAGonite, Table 3), and what taking its top cluster away does.

An answer is attributed right if its top cluster has an evidence of a gold page, over the answered questions whose gold
page is among their evidences: elsewhere no attribution could be right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.attribution.attributor import Attributor, Cluster, Counterfactual, Subject, subject_of
from core.attribution.clusters import EPSILON, clustered
from core.attribution.counterfactual import CounterfactualAttributor
from core.attribution.naive import NaiveAttributor
from core.attribution.shares import NOTHING
from core.evaluation.journal import Journal
from core.evaluation.measures import Judged, mean
from core.evidence.contextualise import contextualised
from core.model import RankedEvidence, Turn
from core.ports import Embedder

WAYS = ("naive", "counterfactual", "clustered")
"""naive: likeness of answer and evidence. counterfactual: each evidence taken away alone; clustered: with its like."""


@dataclass(frozen=True, slots=True)
class AttributedAnswer:
    """One answer, attributed in each way.

    ``tops``: the cluster with the highest contribution, by way, none where nothing contributes; ``right``: whether it
    has an evidence of a gold page. ``fall``: how far the similarity to the answer falls without the top cluster of the
    clustered way, and ``other_falls`` without another one, on average. ``calls``: of the clustered way;
    ``failed``: clusters of it that the answerer failed on.
    """

    conversation: str
    turn: int
    language: str
    tops: Mapping[str, Cluster]
    right: Mapping[str, bool]
    fall: float
    other_falls: float
    clusters: int
    calls: int
    failed: int = 0


@dataclass(frozen=True, slots=True)
class AttributionParts:
    """What attributes; ``full`` asks the answerer that gave the answers."""

    full: CounterfactualAttributor
    embedder: Embedder
    epsilon: float = EPSILON
    more: Sequence[Attributor] = ()
    """Further attributors, over the clusters; each adds a way of its name."""


def can_be_attributed(judged: Judged) -> bool:
    """Whether there is an answer, and a gold page among its evidences."""
    return judged.turn.answer.answered and judged.rank is not None


async def attribute_answers(
    judged: Sequence[Judged],
    parts_for: Callable[[Turn], AttributionParts],
    journal: Journal[AttributedAnswer],
    on_answer: Callable[[], None],
) -> list[AttributedAnswer]:
    """Attributes all answers that can be and that are not in the journal."""
    answers: list[AttributedAnswer] = []
    for item in judged:
        if can_be_attributed(item):
            answer = journal.get(item.turn.turn_id)
            if answer is None:
                answer = await attributed(item, parts_for(item.turn))
                journal.put(item.turn.turn_id, answer)
            answers.append(answer)
        on_answer()
    return answers


async def attributed(judged: Judged, parts: AttributionParts) -> AttributedAnswer:
    """Attributes one answer. Clusters of one are the same ablations as evidences alone, and are made once."""
    subject = subject_of(judged.turn)
    singles: list[Cluster] = [(index,) for index in range(len(subject.evidences))]
    clusters = await clusters_of(subject.evidences, parts.embedder, parts.epsilon)
    alone = await _results(parts.full, subject, singles, {})
    together = await _results(parts.full, subject, clusters, {result.cluster: result for result in alone})
    results = {
        "naive": await _results(NaiveAttributor(parts.embedder), subject, singles, {}),
        "counterfactual": alone,
        "clustered": together,
        **{way.name: await _results(way, subject, clusters, {}) for way in parts.more},
    }
    is_gold = [judged.is_gold(ranked.evidence.url) for ranked in subject.evidences]
    tops = {way: _top(found) for way, found in results.items()}
    best = max(together, key=contribution_of)
    gold = judged.gold
    return AttributedAnswer(
        gold.conversation,
        gold.turn,
        gold.language,
        tops,
        {way: any(is_gold[index] for index in top) for way, top in tops.items()},
        fall=contribution_of(best),
        other_falls=mean([contribution_of(result) for result in together if result is not best]),
        clusters=len(clusters),
        calls=sum(result.calls for result in together),
        failed=sum(result.contribution is None for result in together),
    )


async def clusters_of(evidences: Sequence[RankedEvidence], embedder: Embedder, epsilon: float) -> list[Cluster]:
    """The clusters that Explain makes of these evidences."""
    return clustered(await embedder.embed_passages([contextualised(ranked.evidence) for ranked in evidences]), epsilon)


async def _results(
    attributor: Attributor, subject: Subject, clusters: Sequence[Cluster], known: Mapping[Cluster, Counterfactual]
) -> list[Counterfactual]:
    return await attributor.attribute(subject, clusters, known, lambda result: None)


def contribution_of(result: Counterfactual) -> float:
    """0 where it is unknown."""
    return result.contribution or 0.0


def _top(results: Sequence[Counterfactual]) -> Cluster:
    best = max(results, key=contribution_of)
    return best.cluster if contribution_of(best) > NOTHING else ()


def attribution_summary(answers: Sequence[AttributedAnswer]) -> dict[str, Any]:
    """Accuracy by way, all and by language; answers, calls, clusters that failed, and the deletion test."""
    languages = sorted({answer.language for answer in answers})
    return {
        **_accuracy(answers),
        "questions": len(answers),
        "calls": sum(answer.calls for answer in answers),
        "failed": sum(answer.failed for answer in answers),
        "by": {"language": {name: _of_language(answers, name) for name in languages}},
        "deletion": {
            "top_cluster": mean([answer.fall for answer in answers]),
            "other_cluster": mean([answer.other_falls for answer in answers if answer.clusters > 1]),
        },
    }


def _of_language(answers: Sequence[AttributedAnswer], language: str) -> dict[str, float | int]:
    own = [answer for answer in answers if answer.language == language]
    return {"questions": len(own), **_accuracy(own)}


def _accuracy(answers: Sequence[AttributedAnswer]) -> dict[str, float]:
    ways = dict.fromkeys((*WAYS, *(way for answer in answers for way in answer.right)))
    return {way: mean([answer.right[way] for answer in answers]) for way in ways}
