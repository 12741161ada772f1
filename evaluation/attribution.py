"""Attribution accuracy: how often Explain names the right page (RAGonite, Table 3), and the deletion test.

An attribution is right if its top cluster has an evidence from a gold page. Only answered questions with a gold page
among their evidences count, since no attribution of the others could be right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.attribution.attributors import (
    Attributor,
    CounterfactualAttributor,
    FrugalAttributor,
    SimilarityAttributor,
)
from core.attribution.steps import EPSILON, NO_CONTRIBUTION, AnswerToExplain, cluster_evidences
from core.model import AblationResult, Cluster, KnownResults, Turn
from core.ports.models import Embedder
from evaluation.journal import Journal
from evaluation.measures import JudgedQuestion, mean

WAYS = ("naive", "counterfactual", "clustered", "frugal")
"""The ways of attribution. naive: similarity of answer and evidence; counterfactual: each evidence is left out alone;
clustered: similar evidences are left out together; frugal: as clustered, with fewer calls."""

MANY_CLUSTERS = 8
"""The minimum number of clusters for which the frugal way is compared with the clustered one."""


@dataclass(frozen=True, slots=True)
class AttributedAnswer:
    """One answer, attributed in each way.

    ``tops``: by way, the cluster with the highest contribution, () if no cluster contributes. ``right``: by way,
    whether the top cluster has an evidence from a gold page. ``calls``: by way, the calls of the answerer. ``fall``:
    the loss of similarity to the answer without the top cluster of the clustered way. ``other_falls``: the mean loss
    without another cluster. ``failed``: the number of clusters on which the answerer failed.
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
    """The attributors of a turn. ``counterfactual`` uses the answerer that gave the answer."""

    counterfactual: CounterfactualAttributor
    embedder: Embedder
    epsilon: float = EPSILON
    more: Sequence[Attributor] = ()
    """Further attributors of the clusters. Each adds a way with its name."""


def can_be_attributed(judged: JudgedQuestion) -> bool:
    """Whether there is an answer with a gold page among its evidences."""
    return judged.turn.answer.answered and judged.rank is not None


async def attribute_answers(
    judged: Sequence[JudgedQuestion],
    parts_for: Callable[[Turn], AttributionParts],
    journal: Journal[AttributedAnswer],
    on_answer: Callable[[], None],
) -> list[AttributedAnswer]:
    """Attribute all answers that can be attributed; those in the journal are not attributed again."""
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


async def attribute_answer(judged: JudgedQuestion, parts: AttributionParts) -> AttributedAnswer:
    """Attribute one answer. A call that several ways need is made once, and counted for each of them."""
    subject = AnswerToExplain.of(judged.turn)
    singles: list[Cluster] = [(index,) for index in range(len(subject.evidences))]
    clusters = await cluster_evidences(subject.evidences, parts.embedder, parts.epsilon)
    alone = await _results(parts.counterfactual, subject, singles, {})
    together = await _results(parts.counterfactual, subject, clusters, _known(alone))
    results = {
        "naive": await _results(SimilarityAttributor(parts.embedder), subject, singles, {}),
        "counterfactual": alone,
        "clustered": together,
        "frugal": await _results(FrugalAttributor(parts.counterfactual), subject, clusters, _known(together)),
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


def _known(results: Sequence[AblationResult]) -> KnownResults:
    return {result.cluster: result for result in results}


async def _results(
    attributor: Attributor, subject: AnswerToExplain, clusters: Sequence[Cluster], known: KnownResults
) -> list[AblationResult]:
    return await attributor.attribute(subject, clusters, known, lambda result: None)


def contribution_of(result: AblationResult) -> float:
    """Return the contribution of a cluster, 0 if it is unknown."""
    return result.contribution or 0.0


def _top(results: Sequence[AblationResult]) -> Cluster:
    best = max(results, key=contribution_of)
    return best.cluster if contribution_of(best) > NO_CONTRIBUTION else ()


def summarise_attribution(answers: Sequence[AttributedAnswer]) -> dict[str, Any]:
    """Return the accuracy by way, total and by language, the calls, failed clusters, and the deletion test.

    ``calls``: of the clustered way. ``fewer_calls``: the frugal way compared with the clustered one. ``differences``:
    the answers on which the naive and the clustered way differ.
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
    """Compare the frugal way with the clustered one: the ratio of calls, and how often the top cluster is the same."""
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
