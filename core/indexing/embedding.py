"""Computes vectors and token vectors of evidences and of their units. Each text is embedded once, then stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from core.answering.extractive.units import list_unit_texts
from core.evidence.contextualise import CONTEXT_MODES, contextualise, hash_text
from core.model import IndexedEvidence
from core.ports.models import Embedder, TokenEmbedder, Vectors
from core.ports.store import TokenVectorStore, VectorStore

EMBED_AT_ONCE = 64  # texts between two progress reports; a crash loses the vectors of at most so many
_COMPLETE_AT_ONCE = 1000  # evidences that are in memory while their token vectors are computed


@dataclass(frozen=True, slots=True, eq=False)
class TokenIndex:
    """A token embedder, and the store for its token vectors."""

    store: TokenVectorStore
    embedder: TokenEmbedder


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceEmbedder:
    """Embeds evidences. Without ``tokens`` there are no token vectors.

    ``at_once``: texts that are given to the embedder together. A crash loses the vectors of at most so many.
    """

    store: VectorStore
    embedder: Embedder
    tokens: TokenIndex | None = None
    at_once: int = EMBED_AT_ONCE
    with_units: bool = True

    def defer_tokens(self) -> EvidenceEmbedder:
        """Return an embedder that leaves token vectors to :meth:`complete_tokens`, if they need a pass of their own.

        Those of units always do.
        """
        return replace(self, with_units=False) if self._computes_both else replace(self, tokens=None)

    @property
    def _computes_both(self) -> bool:
        """Whether one pass of one model gives vectors and token vectors."""
        return self.tokens is not None and self.tokens.embedder.embedder == self.embedder.name

    async def embed(
        self, evidences: Sequence[IndexedEvidence], on_embedded: Callable[[int], None]
    ) -> dict[str, Vectors]:
        """Return vectors by text hash. ``on_embedded``: called with numbers of texts that had to be embedded."""
        texts = {evidence.text_hash: evidence for evidence in evidences}
        vectors = await self.store.load_vectors(self.embedder.name, texts.keys())
        without_tokens = await self._find_without_tokens(texts)
        without_units = await self._find_without_units(texts)
        lacking = {hashed for hashed in texts if hashed not in vectors or hashed in without_tokens}
        unknown = [
            (hashed, _get_embedded_text(evidence))
            for hashed, evidence in texts.items()
            if hashed in lacking or hashed in without_units
        ]
        unknown.sort(key=lambda item: len(item[1]))  # texts of similar length make efficient batches
        for start in range(0, len(unknown), self.at_once):
            some = dict(unknown[start : start + self.at_once])
            fresh = await self._embed_tokens({hashed: some[hashed] for hashed in some if hashed in without_tokens})
            vectors.update((hashed, fresh[hashed]) for hashed in fresh.keys() - vectors.keys())
            vectors |= await self._embed_vectors({hashed: some[hashed] for hashed in some if hashed not in vectors})
            await self._embed_units([each for each in evidences if each.text_hash in without_units & some.keys()])
            on_embedded(len(lacking & some.keys()))
            await asyncio.sleep(0)
        return vectors

    async def save(self, evidences: Sequence[IndexedEvidence], vectors: dict[str, Vectors]) -> None:
        """Store the vectors again, because another sync may have pruned them before these evidences were current."""
        await self.store.save(self.embedder.name, vectors)
        hashes = {evidence.text_hash for evidence in evidences}
        if await self._find_without_tokens(hashes) or await self._find_without_units(hashes):
            await self.embed(evidences, lambda embedded: None)

    async def complete_tokens(self, space: str, limit: int, on_embedded: Callable[[int], None]) -> None:
        """Compute missing token vectors of at most ``limit`` evidences of a space, such as after an upgrade."""
        if not self.tokens:
            return
        store, model, left = self.tokens.store, self.tokens.embedder, limit
        while left > 0 and (
            some := await store.find_incomplete(model.name, model.unit_name, space, min(left, _COMPLETE_AT_ONCE))
        ):
            await self.embed(some, on_embedded)
            left -= len(some)

    async def expect_tokens(self, space: str) -> None:
        """Have the next :meth:`complete_tokens` search the space, because evidences without token vectors will come."""
        if self.tokens:
            await self.tokens.store.note_incomplete(space)

    async def _find_without_tokens(self, hashes: Collection[str]) -> frozenset[str]:
        if not self.tokens:
            return frozenset()
        return await self.tokens.store.find_missing(self.tokens.embedder.name, hashes)

    async def _find_without_units(self, hashes: Collection[str]) -> frozenset[str]:
        if not self.tokens or not self.with_units:
            return frozenset()
        return await self.tokens.store.find_without_units(self.tokens.embedder.unit_name, hashes)

    async def _embed_units(self, evidences: Sequence[IndexedEvidence]) -> None:
        """Store the token vectors of the evidences' units and of their titles, which do not count as embedded texts.

        Token vectors of units of an earlier version of the page, or of another index, are used again.

        A paragraph and the list after it can have the same text with their contexts, and have different units.
        """
        if not self.tokens or not evidences:
            return
        store, model = self.tokens.store, self.tokens.embedder
        units: dict[str, dict[str, str]] = {evidence.text_hash: {} for evidence in evidences}
        for evidence in evidences:
            compared = [evidence.evidence.context.title, *list_unit_texts(evidence.evidence)]
            units[evidence.text_hash] |= {hash_text(text): text for text in compared}
        texts = {unit: text for of_text in units.values() for unit, text in of_text.items()}
        known = await store.load_units(model.unit_name, texts.keys())
        new = [unit for unit in texts if unit not in known]
        known |= dict(zip(new, await model.embed_units([texts[unit] for unit in new]), strict=True))
        kept = {hashed: {unit: known[unit] for unit in of_text} for hashed, of_text in units.items()}
        await store.save_units(model.unit_name, kept)

    async def _embed_tokens(self, texts: dict[str, str]) -> dict[str, Vectors]:
        """Store the token vectors of texts by hash. Return their vectors if the same model computes both."""
        if not self.tokens or not texts:
            return {}
        model = self.tokens.embedder
        rows, tokens = await model.embed(list(texts.values()))
        await self.tokens.store.save(model.name, dict(zip(texts, tokens, strict=True)))
        return await self._keep(dict(zip(texts, rows, strict=True))) if self._computes_both else {}

    async def _embed_vectors(self, texts: dict[str, str]) -> dict[str, Vectors]:
        if not texts:
            return {}
        rows = await self.embedder.embed_passages(list(texts.values()))
        return await self._keep(dict(zip(texts, rows, strict=True)))

    async def _keep(self, vectors: dict[str, Vectors]) -> dict[str, Vectors]:
        await self.store.save(self.embedder.name, vectors)
        return vectors


def _get_embedded_text(evidence: IndexedEvidence) -> str:
    """Return the embedded text, found by its hash. It may be from another context mode than the current one."""
    texts = (contextualise(evidence.evidence, mode) for mode in CONTEXT_MODES)
    return next(text for text in texts if hash_text(text) == evidence.text_hash)
