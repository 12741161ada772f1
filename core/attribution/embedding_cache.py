"""An embedder that remembers: ablations, and the questions of an evaluation, embed the same texts again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import numpy as np

from core.ports import Embedder, Vectors


class MemoryCachedEmbedder:
    """Embeds each text once, as long as it lives: one explanation, or all measurements of an evaluation."""

    def __init__(self, embedder: Embedder, passages: Mapping[str, Vectors] | None = None) -> None:
        """``passages``: vectors that are known already, by text, each of shape (dimension,)."""
        self._embedder = embedder
        self._queries: dict[str, Vectors] = {}
        self._passages: dict[str, Vectors] = dict(passages or {})
        # Ablations start at once with the same texts: the first embeds them, the others wait for it.
        self._embedding = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As the embedder that it asks."""
        return await self._remembered(texts, self._queries, self._embedder.embed_queries)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """As the embedder that it asks."""
        return await self._remembered(texts, self._passages, self._embedder.embed_passages)

    async def _remembered(
        self, texts: Sequence[str], vectors: dict[str, Vectors], embed: Callable[[Sequence[str]], Awaitable[Vectors]]
    ) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        loop = asyncio.get_running_loop()
        if self._loop is not loop:  # a lock that was waited for belongs to its event loop; an evaluation has several
            self._loop, self._embedding = loop, asyncio.Lock()
        async with self._embedding:
            new = [text for text in dict.fromkeys(texts) if text not in vectors]
            if new:
                vectors.update(zip(new, await embed(new), strict=True))
        return np.stack([vectors[text] for text in texts])
