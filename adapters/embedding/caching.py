"""An embedder that remembers the last texts: the sentences of pages that are asked about come again and again."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence

import numpy as np

from core.ports import Embedder, Vectors

MOST = 20_000
"""Vectors: 30 MB of e5's, the sentences of some thousand evidences."""


class CachingEmbedder:
    """Another's vectors, those of the last ``most`` texts without asking it again. It keeps hashes, and no words."""

    def __init__(self, embedder: Embedder, most: int = MOST) -> None:
        self._embedder = embedder
        self._most = most
        self._kept: OrderedDict[bytes, Vectors] = OrderedDict()

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As the embedder that it asks."""
        return await self._vectors(b"query", texts, self._embedder.embed_queries)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """As the embedder that it asks."""
        return await self._vectors(b"passage", texts, self._embedder.embed_passages)

    def clear(self) -> None:
        """Forgets all vectors."""
        self._kept.clear()

    async def _vectors(
        self, kind: bytes, texts: Sequence[str], embed: Callable[[Sequence[str]], Awaitable[Vectors]]
    ) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        keys = [hashlib.sha256(kind + text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        found = {key: self._kept[key] for key in keys if key in self._kept}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            found |= zip(new, await embed(list(new.values())), strict=True)
        for key in keys:
            self._kept[key] = found[key]
            self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return np.stack([found[key] for key in keys])
