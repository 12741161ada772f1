"""Computes vectors and token vectors of evidences. Each text is embedded once, and the results are stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.evidence.contextualise import CONTEXT_MODES, contextualise
from core.ports.models import Embedder, TokenEmbedder, Vectors
from core.ports.store import IndexedEvidence, TokenVectorStore, VectorStore
from core.retrieval.entries import text_hash

_EMBED_AT_ONCE = 64  # texts between two progress reports; a crash loses the vectors of at most so many


@dataclass(frozen=True, slots=True, eq=False)
class TokenIndex:
    """A token embedder, and the store for its token vectors."""

    store: TokenVectorStore
    embedder: TokenEmbedder


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceEmbedder:
    """Embeds evidences. Without ``tokens`` there are no token vectors."""

    store: VectorStore
    embedder: Embedder
    tokens: TokenIndex | None = None

    async def embed(
        self, evidences: Sequence[IndexedEvidence], on_embedded: Callable[[int], None]
    ) -> tuple[dict[str, Vectors], int]:
        """Return vectors by text hash, and the number of texts that had to be embedded because they were not stored."""
        texts = {evidence.text_hash: evidence for evidence in evidences}
        vectors = await self.store.vectors(self.embedder.name, texts.keys())
        without_tokens = await self._without_tokens(evidences)
        unknown = [
            (hashed, _embedded_text(evidence))
            for hashed, evidence in texts.items()
            if hashed not in vectors or hashed in without_tokens
        ]
        unknown.sort(key=lambda item: len(item[1]))  # texts of similar length make efficient batches
        for start in range(0, len(unknown), _EMBED_AT_ONCE):
            some = dict(unknown[start : start + _EMBED_AT_ONCE])
            fresh = await self._embed_tokens({hashed: some[hashed] for hashed in some if hashed in without_tokens})
            vectors = fresh | vectors
            vectors |= await self._embed_vectors({hashed: some[hashed] for hashed in some if hashed not in vectors})
            on_embedded(len(some))
            await asyncio.sleep(0)
        return vectors, len(unknown)

    async def keep(self, evidences: Sequence[IndexedEvidence], vectors: dict[str, Vectors]) -> None:
        """Store the vectors again, because another sync may have pruned them before these evidences were current."""
        await self.store.keep(self.embedder.name, vectors)
        if await self._without_tokens(evidences):
            await self.embed(evidences, lambda embedded: None)

    async def complete_tokens(self, space: str, limit: int, on_embedded: Callable[[int], None]) -> None:
        """Compute missing token vectors of at most ``limit`` evidences of a space, such as after an upgrade."""
        if self.tokens:
            store, name = self.tokens.store, self.tokens.embedder.name
            await self.embed(await store.find_incomplete(name, space, limit), on_embedded)

    async def _without_tokens(self, evidences: Sequence[IndexedEvidence]) -> frozenset[str]:
        if not self.tokens:
            return frozenset()
        hashes = {evidence.text_hash for evidence in evidences}
        return await self.tokens.store.find_missing(self.tokens.embedder.name, hashes)

    async def _embed_tokens(self, texts: dict[str, str]) -> dict[str, Vectors]:
        """Store the token vectors of texts by hash. Return their vectors if the same model computes both."""
        if not self.tokens or not texts:
            return {}
        model = self.tokens.embedder
        rows, tokens = await model.embed(list(texts.values()))
        await self.tokens.store.keep(model.name, dict(zip(texts, tokens, strict=True)))
        return await self._keep(dict(zip(texts, rows, strict=True))) if model.embedder == self.embedder.name else {}

    async def _embed_vectors(self, texts: dict[str, str]) -> dict[str, Vectors]:
        if not texts:
            return {}
        rows = await self.embedder.embed_passages(list(texts.values()))
        return await self._keep(dict(zip(texts, rows, strict=True)))

    async def _keep(self, vectors: dict[str, Vectors]) -> dict[str, Vectors]:
        await self.store.keep(self.embedder.name, vectors)
        return vectors


def _embedded_text(evidence: IndexedEvidence) -> str:
    """Return the embedded text, found by its hash. It may be from another context mode than the current one."""
    texts = (contextualise(evidence.evidence, mode) for mode in CONTEXT_MODES)
    return next(text for text in texts if text_hash(text) == evidence.text_hash)
