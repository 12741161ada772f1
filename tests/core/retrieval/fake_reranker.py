"""The reranker of core's tests: scores by a function of the text, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence


class FakeReranker:
    name = "fake"

    def __init__(self, score: Callable[[str], float]) -> None:
        self._score = score
        self.calls: list[tuple[str, list[str]]] = []

    async def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.calls.append((question, list(texts)))
        return [self._score(text) for text in texts]
