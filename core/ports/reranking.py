"""Rerankers: how well each text answers a question, read together (a cross-encoder)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Scores texts for one question; higher is better, and scores of one call compare with each other only."""

    @property
    def name(self) -> str:
        """For the turn's configuration."""
        ...

    async def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """One score a text, in their order. Raises :class:`core.errors.RerankerUnavailable`."""
        ...
