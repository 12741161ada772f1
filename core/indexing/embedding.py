"""Gives evidences their vectors and token vectors: each text is embedded once, and what it gave is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.evidence.contextualise import CONTEXT_MODES, contextualise
from core.ports.models import Embedder, TokenEmbedder, Vectors
from core.ports.store import IndexedEvidence, TokenVectorStore, VectorStore
from core.retrieval.entries import text_hash

_EMBED_AT_ONCE = 64  # texts between two reports of progress; a crash loses at most so many vectors


@dataclass(frozen=True, slots=True, eq=False)
class TokenIndex:
    """Where token vectors are stored, and what makes them."""

    store: TokenVectorStore
    embedder: TokenEmbedder


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceEmbedder:
    """Embeds evidences. ``tokens`` None: they get no token vectors."""

    store: VectorStore
    embedder: Embedder
    tokens: TokenIndex | None = None

    async def embed(
        self, evidences: Sequence[IndexedEvidence], on_embedded: Callable[[int], None]
    ) -> tuple[dict[str, Vectors], int]:
        """Vectors by text hash, and how many texts were embedded because the store lacked something of them."""
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
        """Stores what is known already again, since it may have been pruned while no evidence had these texts."""
        await self.store.keep(self.embedder.name, vectors)
        if await self._without_tokens(evidences):
            await self.embed(evidences, lambda embedded: None)

    async def complete_tokens(self, space: str, limit: int, on_embedded: Callable[[int], None]) -> None:
        """Gives evidences of a space the token vectors that they lack, as after an upgrade; at most so many at once."""
        if self.tokens:
            store, name = self.tokens.store, self.tokens.embedder.name
            await self.embed(await store.find_incomplete(name, space, limit), on_embedded)

    async def _without_tokens(self, evidences: Sequence[IndexedEvidence]) -> frozenset[str]:
        if not self.tokens:
            return frozenset()
        hashes = {evidence.text_hash for evidence in evidences}
        return await self.tokens.store.find_missing(self.tokens.embedder.name, hashes)

    async def _embed_tokens(self, texts: dict[str, str]) -> dict[str, Vectors]:
        """Stores the token vectors of texts, by hash; returns their vectors, where the same model makes both."""
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
    """The embedded text, found by the evidence's hash, which may be of another context mode than the current one."""
    texts = (contextualise(evidence.evidence, mode) for mode in CONTEXT_MODES)
    return next(text for text in texts if text_hash(text) == evidence.text_hash)
