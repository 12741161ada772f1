"""The four steps of counterfactual attribution as functions (RAGonite, section 5 and Algorithm 1).

Cluster the evidences that say the same, ablate one cluster, compare the answers, normalise the contributions to shares.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from core.attribution.attributor import Cluster
from core.evidence.contextualise import contextualise
from core.model import RankedEvidence
from core.ports.models import Embedder, Vectors

EPSILON = 0.035
"""Cosine distance up to which two evidences say the same, for the embedded embedder: see docs/attribution.md."""

TEMPERATURE = 0.05
NOTHING = 1e-6
"""A contribution up to this is none: the answer stayed the same."""

_MIN_POINTS = 2  # as in the paper: two similar evidences are a cluster
_CITATION = re.compile(r"(?<!\s)\s*+\[(?:\d{1,3}|\?)\]")

# ------------------------------------------------------------------------------------------ cluster


def load_clustering() -> None:
    """Imports scikit-learn's clustering, which takes a second. Without this call the first use imports it."""
    import sklearn.cluster  # noqa: F401


def cluster_vectors(vectors: Vectors, epsilon: float = EPSILON) -> list[Cluster]:
    """Clusters by DBSCAN over cosine distance; an outlier is a cluster of its own.

    ``vectors``: shape (evidences, dimension), rows L2-normalised. Every index is in exactly one cluster. The clusters
    and the indexes in them are in rising order.
    """
    if not len(vectors):
        return []
    from sklearn.cluster import DBSCAN  # see load_clustering

    labels = DBSCAN(eps=epsilon, min_samples=_MIN_POINTS, metric="cosine").fit_predict(vectors)
    members: dict[tuple[bool, int], list[int]] = defaultdict(list)
    for index, label in enumerate(labels.tolist()):
        is_outlier = label < 0
        members[is_outlier, index if is_outlier else label].append(index)
    return sorted(tuple(indexes) for indexes in members.values())


async def cluster_evidences(
    evidences: Sequence[RankedEvidence], embedder: Embedder, epsilon: float = EPSILON
) -> list[Cluster]:
    """The clusters of evidences by the vectors of their contextualised texts.

    Removing one of two evidences that both say the same changes no answer, and neither would get any credit.
    """
    texts = [contextualise(ranked.evidence) for ranked in evidences]
    return cluster_vectors(await embedder.embed_passages(texts), epsilon)


# ------------------------------------------------------------------------------------------- ablate


def ablate(evidences: Sequence[RankedEvidence], removed: Cluster) -> list[RankedEvidence]:
    """The evidences in their order, without the removed ones."""
    return [ranked for index, ranked in enumerate(evidences) if index not in removed]


def join_clusters(clusters: Sequence[Cluster]) -> Cluster:
    """All indexes of several clusters as one cluster."""
    return tuple(sorted(index for cluster in clusters for index in cluster))


# ------------------------------------------------------------------------------------------ compare


def without_citations(answer: str) -> str:
    """The answer without its citations, whose numbers change with the evidences. Line breaks stay."""
    return _CITATION.sub("", answer).strip()


def words_only(answer: str) -> str:
    """The answer without its citations, on one line."""
    return " ".join(without_citations(answer).split())


async def compare_answers(question: str, answer: str, others: Sequence[str], embedder: Embedder) -> list[float]:
    """Cosine of question + answer with question + each other answer; exactly 1 for the same words.

    The question is part of both texts: without it "Yes." and "No." would differ by a word only.
    """
    said = words_only(answer)
    different = [words_only(other) for other in others if words_only(other) != said]
    if not different:
        return [1.0] * len(others)
    vectors = await embedder.embed_passages([f"{question}\n{text}" for text in (said, *different)])
    cosines = iter(np.clip(vectors[1:] @ vectors[0], -1.0, 1.0).tolist())
    return [1.0 if words_only(other) == said else float(next(cosines)) for other in others]


def contribution(similarities: Sequence[float]) -> float:
    """1 - the mean similarity of the answer with the answers without a cluster, at least 0; one value a repetition."""
    return max(0.0, 1.0 - float(np.mean(similarities)))


# ---------------------------------------------------------------------------------------- normalise


def shares(contributions: Sequence[float | None], temperature: float = TEMPERATURE) -> list[float | None]:
    """Masked softmax with temperature; None where the contribution is unknown, 0 where there is none.

    The known shares add up to 1 if any contribution exceeds :data:`NOTHING`; else all are 0.
    """
    highest = max((value for value in contributions if value is not None), default=0.0)
    weights = [
        None if value is None else math.exp((value - highest) / temperature) if value > NOTHING else 0.0
        for value in contributions
    ]
    total = sum(weight for weight in weights if weight) or 1.0
    return [None if weight is None else weight / total for weight in weights]
