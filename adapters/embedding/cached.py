"""A caching embedder, because questions and the sentences of sources are embedded repeatedly."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence

import numpy as np

from adapters.embedding.shared_cache import SharedCache
from core.ports.models import Embedder, Vectors

MOST = 20_000
"""Number of cached vectors: 30 MB with e5, for the sentences of some thousand evidences."""

_Embed = Callable[[Sequence[str]], Awaitable[Vectors]]
_Vectors = dict[bytes, Vectors]
_Key = tuple[asyncio.AbstractEventLoop, bytes]  # a task can only be awaited in the loop that runs it


class CachedEmbedder:
    """Caches another embedder's vectors of the last ``most`` texts, by hashes of the texts.

    Concurrent calls of an event loop for a text that is being embedded wait for its vector. ``passages``: text
    to a known vector of shape (dimension,).
    """

    def __init__(
        self, embedder: Embedder, passages: Mapping[str, Vectors] | None = None, *, most: float = MOST
    ) -> None:
        self._embedder = embedder
        self._cache: SharedCache[bytes, Vectors] = SharedCache(most)
        self._cache.add((_make_key("passage", text), vector) for text, vector in (passages or {}).items())
        self._running: dict[_Key, asyncio.Task[_Vectors]] = {}

    @property
    def model(self) -> Embedder:
        """The embedder whose vectors are cached."""
        return self._embedder

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self._embed_cached("query", texts, self._embedder.embed_queries)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._embed_cached("passage", texts, self._embedder.embed_passages)

    async def _embed_cached(self, kind: str, texts: Sequence[str], embed: _Embed) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        loop, keys = asyncio.get_running_loop(), [_make_key(kind, text) for text in texts]
        found = self._cache.find(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        new = {key: text for key, text in missing.items() if (loop, key) not in self._running}
        if new:
            task = asyncio.create_task(self._embed(new, embed))
            self._running |= {(loop, key): task for key in new}
        for running in {self._running[loop, key] for key in missing}:
            found |= await asyncio.shield(running)  # cancelling one waiter does not cancel the others' work
        return np.stack([found[key] for key in keys])

    async def _embed(
        self, texts: Mapping[bytes, str], embed: Callable[[Sequence[str]], Awaitable[Vectors]]
    ) -> _Vectors:
        try:
            vectors = dict(zip(texts, await embed(list(texts.values())), strict=True))
            self._cache.add(vectors.items())
            return vectors
        finally:
            for key in texts:
                del self._running[asyncio.get_running_loop(), key]


def _make_key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}: {text}".encode("utf-8", "surrogatepass")).digest()
