"""Rankings: how much a question names a title, fusion of rankings whose scores do not compare, and reranking.

Reranking follows RAGonite (section 3): a cross-encoder scores the evidences with their context, and both rankings are
joined by reciprocal rank fusion, so that neither decides alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from core.evidence.contextualise import ContextMode, contextualise
from core.model import Evidence
from core.ports.indexes import Hit
from core.ports.models import Reranker
from core.text import content_words, grams


@lru_cache(maxsize=20_000)
def _grams(text: str) -> frozenset[str]:
    return frozenset(grams(" ".join(content_words(text))))


def title_similarity(question: str, title: str) -> float:
    """Dice coefficient of the character 4-grams of their content words, 0 to 1.

    The lexical ranking does not show this: the words of a title are also in the page's text and in that of others.
    """
    asked, named = _grams(question), _grams(title)
    return 2 * len(asked & named) / (len(asked) + len(named)) if asked and named else 0.0


def min_max(hits: Sequence[Hit]) -> dict[str, float]:
    """Scores scaled to [0, 1] over this list; 1 for all if they are equal."""
    if not hits:
        return {}
    scores = [hit.score for hit in hits]
    low, span = min(scores), max(scores) - min(scores)
    return {hit.key: (hit.score - low) / span if span > 0 else 1.0 for hit in hits}


def fuse_by_weighted_sum(rankings: Mapping[str, Sequence[Hit]], weights: Mapping[str, float]) -> list[Hit]:
    """Sum of min-max normalised scores by weight; a key that a ranking lacks gets 0 there. Best first."""
    total: dict[str, float] = {}
    for name, hits in rankings.items():
        for key, score in min_max(hits).items():
            total[key] = total.get(key, 0.0) + weights[name] * score
    return best_first(total)


def reciprocal_rank(rankings: Sequence[Sequence[Hit]], k: int = 60) -> list[Hit]:
    """Reciprocal rank fusion (Cormack et al., SIGIR 2009): sum of 1 / (k + rank), ranks from 1. Best first."""
    total: dict[str, float] = {}
    for hits in rankings:
        for rank, hit in enumerate(hits, start=1):
            total[hit.key] = total.get(hit.key, 0.0) + 1.0 / (k + rank)
    return best_first(total)


def scale_scores(hits: list[Hit]) -> list[Hit]:
    """Scales the best score to 1: reciprocal ranks are so small that anything added to them would dominate."""
    return [Hit(hit.key, hit.score / hits[0].score) for hit in hits]


def best_first(scores: Mapping[str, float]) -> list[Hit]:
    """Hits by falling score; equal scores in the order of their keys, so that results repeat."""
    return [Hit(key, score) for key, score in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]


Candidates = Sequence[tuple[Hit, Evidence]]
"""Retrieved evidences, best first, by the score of the hit."""


async def rerank(
    reranker: Reranker, question: str, candidates: Candidates, others: Sequence[Hit], context: ContextMode
) -> tuple[list[Hit], list[Hit]]:
    """All hits in the fused order, and the reranker's own ranking of the ``candidates``, best first.

    The reranker reads the candidates with the ``context`` that they were embedded with. ``others`` are not scored and
    follow them. Fused scores are scaled to 1 for the best. Raises RerankerUnavailable.
    """
    if not candidates:
        return list(others), []
    scores = await reranker.rerank(question, [contextualise(evidence, context) for _, evidence in candidates])
    ranking = best_first({hit.key: score for (hit, _), score in zip(candidates, scores, strict=True)})
    return scale_scores(reciprocal_rank([ranking, [*(hit for hit, _ in candidates), *others]])), ranking
