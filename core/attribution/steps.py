"""Steps of attribution (RAGonite, section 5 and Algorithm 1): cluster, remove, compare, normalise."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from core.evidence.contextualise import contextualise
from core.model import Cluster, Evidence, RankedEvidence, Turn
from core.ports.models import Embedder, Vectors
from core.wording.quotations import strip_citations


@dataclass(frozen=True, slots=True)
class AnswerToExplain:
    """An intent-explicit question, its answer, the evidences it was made from, and the ids of those it cites.

    ``day``: on which it was asked, if known.
    """

    question: str
    answer: str
    evidences: Sequence[RankedEvidence]
    cited: tuple[str, ...] = ()
    day: date | None = None

    @classmethod
    def of(cls, turn: Turn) -> AnswerToExplain:
        cited = tuple(citation.evidence_id for citation in turn.answer.citations)
        return cls(turn.question.intent_explicit, turn.answer.text, turn.evidences, cited, turn.day)

    def cites(self, cluster: Cluster) -> bool:
        """Whether the answer cites an evidence of this cluster."""
        return any(self.evidences[index].evidence.evidence_id in self.cited for index in cluster)

    def find_cited_pages(self) -> list[Cluster]:
        """Return for each cited page, in the order of the citations, the indexes of its evidences."""
        page_of = {ranked.evidence.evidence_id: ranked.evidence.page_id for ranked in self.evidences}
        pages = dict.fromkeys(page_of[evidence_id] for evidence_id in self.cited if evidence_id in page_of)
        indexed = list(enumerate(ranked.evidence.page_id for ranked in self.evidences))
        return [tuple(index for index, page in indexed if page == cited) for cited in pages]


EPSILON = 0.035
"""Cosine distance up to which evidences are similar, for multilingual-e5-small, see docs/attribution.md."""

SHARE_TEMPERATURE = 0.05
NO_CONTRIBUTION = 1e-6
"""A contribution up to this counts as none."""

_MIN_POINTS = 2  # as in the paper: two similar evidences are a cluster

# ------------------------------------------------------------------------------------------ cluster


def load_clustering() -> None:
    """Import scikit-learn's clustering, which takes a second. Without this call the first use imports it."""
    import sklearn.cluster  # noqa: F401


def cluster_vectors(vectors: Vectors, epsilon: float) -> list[Cluster]:
    """Return clusters by DBSCAN over cosine distance; an outlier is a cluster of its own.

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


async def cluster_evidences(evidences: Sequence[RankedEvidence], embedder: Embedder, epsilon: float) -> list[Cluster]:
    """Return the clusters of evidences by the vectors of their contextualised texts.

    Removing only one of two similar evidences changes no answer, so neither would get a share.
    """
    texts = [contextualise(ranked.evidence) for ranked in evidences]
    return cluster_vectors(await embedder.embed_passages(texts), epsilon)


# ------------------------------------------------------------------------------------------- remove


def remove_evidences(evidences: Sequence[RankedEvidence], removed: Cluster) -> list[RankedEvidence]:
    """Return the evidences in their order, without the removed ones.

    A removed row is also removed from its table, where it could otherwise still be read and counted.
    """
    rows = [evidences[index].evidence for index in removed if evidences[index].evidence.kind == "table_row"]
    left = [ranked for index, ranked in enumerate(evidences) if index not in removed]
    if not rows:
        return left
    cut = (replace(ranked, evidence=_remove_rows(ranked.evidence, rows)) for ranked in left)
    return [ranked for ranked in cut if ranked.evidence.parts]


def _remove_rows(table: Evidence, rows: Sequence[Evidence]) -> Evidence:
    """Return a table without those rows that belong to it; any other evidence unchanged."""
    structure = table.structure
    if table.kind != "table" or structure is None:
        return table
    own = [row.structure for row in rows if row.structure and row.page_id == table.page_id]
    gone = {number for row in own if row.block == structure.block for number in row.numbers}
    if not gone:
        return table
    kept = [at for at, number in enumerate(structure.numbers) if number not in gone]
    text = table.text
    for at in set(range(len(table.parts))).difference(kept):
        text = text.replace(table.parts[at], "", 1)
    return replace(
        table,
        text="\n".join(line for line in text.split("\n") if line.strip()),
        parts=tuple(table.parts[at] for at in kept if at < len(table.parts)),
        rows=tuple(table.rows[at] for at in kept if at < len(table.rows)),
        structure=replace(
            structure,
            total=structure.total - len(gone),
            numbers=tuple(structure.numbers[at] for at in kept),
            depths=tuple(structure.depths[at] for at in kept),
            labels=tuple(structure.labels[at] for at in kept),
        ),
    )


def join_clusters(clusters: Sequence[Cluster]) -> Cluster:
    """Return all indexes of several clusters as one cluster."""
    return tuple(sorted(index for cluster in clusters for index in cluster))


# ------------------------------------------------------------------------------------------ compare


def normalise_answer(answer: str) -> str:
    """Return the answer without its citations, on one line."""
    return " ".join(strip_citations(answer).split())


async def compare_answers(question: str, answer: str, others: Sequence[str], embedder: Embedder) -> list[float]:
    """Return the cosine of question + answer with question + each other answer; exactly 1 for the same words.

    The question is part of both texts, because without it "Yes." and "No." differ in one word only.
    """
    said = normalise_answer(answer)
    different = [normalise_answer(other) for other in others if normalise_answer(other) != said]
    if not different:
        return [1.0] * len(others)
    vectors = await embedder.embed_passages([f"{question}\n{text}" for text in (said, *different)])
    cosines = iter(np.clip(vectors[1:] @ vectors[0], -1.0, 1.0).tolist())
    return [1.0 if normalise_answer(other) == said else float(next(cosines)) for other in others]


def compute_contribution(similarities: Sequence[float]) -> float:
    """Return 1 - the mean similarity over the repetitions, at least 0."""
    return max(0.0, 1.0 - float(np.mean(similarities)))


# ---------------------------------------------------------------------------------------- normalise


def compute_shares(contributions: Sequence[float | None]) -> list[float | None]:
    """Return the masked softmax with temperature; None where the contribution is unknown, 0 where there is none.

    The known shares add up to 1 if any contribution exceeds :data:`NO_CONTRIBUTION`; else all are 0.
    """
    highest = max((value for value in contributions if value is not None), default=0.0)
    weights = [
        None if value is None else math.exp((value - highest) / SHARE_TEMPERATURE) if value > NO_CONTRIBUTION else 0.0
        for value in contributions
    ]
    total = sum(weight for weight in weights if weight) or 1.0
    return [None if weight is None else weight / total for weight in weights]
