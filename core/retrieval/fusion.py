"""Joining rankings whose scores do not compare: min-max normalised weighted sum, or reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.ports import Hit


def min_max(hits: Sequence[Hit]) -> dict[str, float]:
    """Scores stretched to [0, 1] over this list; 1 for all where they do not differ."""
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
    """With the best at 1: reciprocal ranks are so small that whatever is added to them would decide everything."""
    return [Hit(hit.key, hit.score / hits[0].score) for hit in hits]


def best_first(scores: Mapping[str, float]) -> list[Hit]:
    """Hits by falling score; equal scores in the order of their keys, so that results repeat."""
    return [Hit(key, score) for key, score in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]
