"""How often Explain names the right page (RAGonite, Table 3), and what taking its top cluster away does.

An answer is attributed right if its top cluster has an evidence of a gold page, over the answered questions whose gold
page is among their evidences: elsewhere no attribution could be right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.attribution.attributors import CounterfactualAttributor, FrugalAttributor, NaiveAttributor
from core.attribution.steps import (
    EPSILON,
    NOTHING,
    AnswerToExplain,
    Attributor,
    Cluster,
    Counterfactual,
    Known,
    cluster_evidences,
)
from core.model import Turn
from core.ports.models import Embedder
from evaluation.journal import Journal
from evaluation.measures import Judged, mean

WAYS = ("naive", "counterfactual", "clustered", "frugal")
"""naive: similarity of answer and evidence. counterfactual: each evidence taken away alone; clustered: with its like;
frugal: the same with fewer calls."""

MANY_CLUSTERS = 8
"""Of a turn, from which on fewer calls are worth measuring."""


@dataclass(frozen=True, slots=True)
class AttributedAnswer:
    """One answer, attributed in each way.

    ``tops``: the cluster with the highest contribution, by way, none where nothing contributes; ``right``: whether it
    has an evidence of a gold page; ``calls``: how often an answerer was asked. ``fall``: how far the similarity to the
    answer falls without the top cluster of the clustered way, and ``other_falls`` without another one, on average.
    ``failed``: clusters that the answerer failed on.
    """

    conversation: str
    turn: int
    language: str
    question: str
    tops: Mapping[str, Cluster]
    right: Mapping[str, bool]
    calls: Mapping[str, int]
    fall: float
    other_falls: float
    clusters: int
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
                answer = await attribute_answer(item, parts_for(item.turn))
                journal.put(item.turn.turn_id, answer)
            answers.append(answer)
        on_answer()
    return answers


async def attribute_answer(judged: Judged, parts: AttributionParts) -> AttributedAnswer:
    """Attributes one answer. What several ways ask is asked once, and counted for each."""
    subject = AnswerToExplain.of(judged.turn)
    singles: list[Cluster] = [(index,) for index in range(len(subject.evidences))]
    clusters = await cluster_evidences(subject.evidences, parts.embedder, parts.epsilon)
    alone = await _results(parts.full, subject, singles, {})
    together = await _results(parts.full, subject, clusters, _known(alone))
    results = {
        "naive": await _results(NaiveAttributor(parts.embedder), subject, singles, {}),
        "counterfactual": alone,
        "clustered": together,
        "frugal": await _results(FrugalAttributor(parts.full), subject, clusters, _known(together)),
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
        subject.question,
        tops,
        {way: any(is_gold[index] for index in top) for way, top in tops.items()},
        {way: sum(result.calls for result in found) for way, found in results.items()},
        fall=contribution_of(best),
        other_falls=mean([contribution_of(result) for result in together if result is not best]),
        clusters=len(clusters),
        failed=sum(result.contribution is None for result in together),
    )


def _known(results: Sequence[Counterfactual]) -> Known:
    return {result.cluster: result for result in results}


async def _results(
    attributor: Attributor, subject: AnswerToExplain, clusters: Sequence[Cluster], known: Known
) -> list[Counterfactual]:
    return await attributor.attribute(subject, clusters, known, lambda result: None)


def contribution_of(result: Counterfactual) -> float:
    """0 where it is unknown."""
    return result.contribution or 0.0


def _top(results: Sequence[Counterfactual]) -> Cluster:
    best = max(results, key=contribution_of)
    return best.cluster if contribution_of(best) > NOTHING else ()


def attribution_summary(answers: Sequence[AttributedAnswer]) -> dict[str, Any]:
    """Accuracy by way, all and by language; calls, clusters that failed; the deletion test; what fewer calls cost.

    ``calls``: of the clustered way. ``differences``: the answers that naive and clustered attribute otherwise.
    """
    languages = sorted({answer.language for answer in answers})
    calls = {way: sum(answer.calls[way] for answer in answers) for way in _ways(answers)}
    return {
        **_accuracy(answers),
        "questions": len(answers),
        "calls": calls["clustered"],
        "calls_by_way": calls,
        "failed": sum(answer.failed for answer in answers),
        "by": {"language": {name: _of_language(answers, name) for name in languages}},
        "deletion": {
            "top_cluster": mean([answer.fall for answer in answers]),
            "other_cluster": mean([answer.other_falls for answer in answers if answer.clusters > 1]),
        },
        "fewer_calls": _fewer_calls([answer for answer in answers if answer.clusters >= MANY_CLUSTERS]),
        "differences": [
            _difference(answer) for answer in answers if answer.right["naive"] != answer.right["clustered"]
        ],
    }


def _fewer_calls(answers: Sequence[AttributedAnswer]) -> dict[str, Any]:
    """Of the answers with many clusters: the frugal way's calls over the clustered one's, and how often its top."""
    frugal, full = (sum(answer.calls[way] for answer in answers) for way in ("frugal", "clustered"))
    return {
        "questions": len(answers),
        "calls": round(frugal / full, 4) if full else None,
        "same_top": mean([answer.tops["frugal"] == answer.tops["clustered"] for answer in answers]),
    }


def _difference(answer: AttributedAnswer) -> dict[str, Any]:
    return {
        "conversation": answer.conversation,
        "turn": answer.turn,
        "language": answer.language,
        "question": answer.question,
        "right": "clustered" if answer.right["clustered"] else "naive",
    }


def _of_language(answers: Sequence[AttributedAnswer], language: str) -> dict[str, float | int]:
    own = [answer for answer in answers if answer.language == language]
    return {"questions": len(own), **_accuracy(own)}


def _accuracy(answers: Sequence[AttributedAnswer]) -> dict[str, float]:
    return {way: mean([answer.right[way] for answer in answers]) for way in _ways(answers)}


def _ways(answers: Sequence[AttributedAnswer]) -> list[str]:
    return list(dict.fromkeys((*WAYS, *(way for answer in answers for way in answer.right))))
