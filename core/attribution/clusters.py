"""Which evidences say the same, so that they leave together (RAGonite, section 5).

Taking one of two evidences away that both say it changes no answer: neither would get any credit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from core.evidence.contextualise import contextualise
from core.model import RankedEvidence
from core.ports import Embedder, Vectors

EPSILON = 0.035
"""Cosine distance within which two evidences say the same, for the embedded embedder: see docs/attribution.md."""

_MIN_POINTS = 2  # as in the paper: two alike are a cluster


def load() -> None:
    """Loads what clustering needs: takes a second, which who explains nothing need not wait. Otherwise at first use."""
    import sklearn.cluster  # noqa: F401


def cluster_vectors(vectors: Vectors, epsilon: float = EPSILON) -> list[tuple[int, ...]]:
    """Indexes of the vectors, by cluster; one that is like no other is a cluster of its own.

    ``vectors``: shape (evidences, dimension), rows L2-normalised. Every index is in exactly one cluster; clusters
    and the indexes in them are in rising order.
    """
    if not len(vectors):
        return []
    from sklearn.cluster import DBSCAN  # see load

    labels = DBSCAN(eps=epsilon, min_samples=_MIN_POINTS, metric="cosine").fit_predict(vectors)
    members: dict[tuple[bool, int], list[int]] = defaultdict(list)
    for index, label in enumerate(labels.tolist()):
        outlier = label < 0
        members[outlier, index if outlier else label].append(index)
    return sorted(tuple(indexes) for indexes in members.values())


async def clusters_of(
    evidences: Sequence[RankedEvidence], embedder: Embedder, epsilon: float = EPSILON
) -> list[tuple[int, ...]]:
    """The clusters of evidences by their contextualised texts; the same for the same evidences."""
    return cluster_vectors(
        await embedder.embed_passages([contextualise(ranked.evidence) for ranked in evidences]), epsilon
    )
