"""How alike two answers to one question are."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from core.ports import Embedder

_CITATION = re.compile(r"(?<!\s)\s*+\[(?:\d{1,3}|\?)\]")


def without_citations(answer: str) -> str:
    """The answer without its citations, whose numbers change with the evidences and say nothing; its lines stay."""
    return _CITATION.sub("", answer).strip()


def words_only(answer: str) -> str:
    """The answer without its citations, on one line."""
    return " ".join(without_citations(answer).split())


async def similarities(question: str, answer: str, others: Sequence[str], embedder: Embedder) -> list[float]:
    """Cosine of question + answer with question + each other answer (RAGonite, section 5); exactly 1 if it is the same.

    The question is part of both, so that a bare "Yes." is compared for what it says.
    """
    said = words_only(answer)
    different = [words_only(other) for other in others if words_only(other) != said]
    if not different:
        return [1.0] * len(others)
    vectors = await embedder.embed_passages([f"{question}\n{text}" for text in (said, *different)])
    near = iter(np.clip(vectors[1:] @ vectors[0], -1.0, 1.0).tolist())
    return [1.0 if words_only(other) == said else float(next(near)) for other in others]
