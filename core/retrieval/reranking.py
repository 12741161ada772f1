"""Reranking: a cross-encoder reads the first candidates with the question; its ranking and theirs are fused.

As in RAGonite (section 3): the evidences, with their context, are scored by the cross-encoder, and both rankings are
joined by reciprocal rank fusion, so that neither alone decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.evidence.contextualise import ContextMode, contextualise
from core.model import Evidence
from core.ports import Hit, Reranker
from core.retrieval.fusion import best_first, reciprocal_rank, scale_scores

Candidates = Sequence[tuple[Hit, Evidence]]
"""Found evidences, best first; a hit's score is the one that they are ordered by."""


async def rerank(
    reranker: Reranker, question: str, read: Candidates, others: Sequence[Hit], context: ContextMode
) -> tuple[list[Hit], list[Hit]]:
    """All candidates in the fused order, and the reranker's own ranking of those that are ``read``, best first.

    The texts have the ``context`` that they were embedded with. Fused scores are scaled to 1 for the best; what was not
    scored follows what was. Raises RerankerUnavailable.
    """
    if not read:
        return list(others), []
    scores = await reranker.rerank(question, [contextualise(evidence, context) for _, evidence in read])
    ranking = best_first({hit.key: score for (hit, _), score in zip(read, scores, strict=True)})
    return scale_scores(reciprocal_rank([ranking, [*(hit for hit, _ in read), *others]])), ranking
