"""Keeps the store and both indexes consistent, in an order that survives crashes.

New entries are announced as stale, added to the indexes, and then made current in one transaction, which also lists the
replaced entries as stale. Only then are the old entries removed from the indexes. A search counts a hit only if the
store has it as current, so the evidences of a page are either all old or all new. :meth:`Indexer.clean` removes listed
stale entries, also after a crash.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace

import numpy as np

from core.indexing.embedding import EvidenceEmbedder
from core.model import IndexedEvidence
from core.ports.indexes import DenseIndex, LexicalIndex
from core.ports.models import Vectors
from core.ports.pages import IndexedPage, PageStore, SpaceStore, StaleEntries, StaleEntry

_INDEX_AT_ONCE = 2000
_COMPLETE_AT_ONCE = 20_000  # evidences that get token vectors in one sync: up to 25 minutes on two cores
_TIDY_STEPS = 1  # merge steps of a large index per call, to keep syncs short; the server continues later


@dataclass(frozen=True, slots=True, eq=False)
class Indexer:
    """Writes evidences to the store and the indexes."""

    pages: PageStore
    stale: StaleEntries
    embedder: EvidenceEmbedder
    dense: DenseIndex
    lexical: LexicalIndex
    # Announced entries are listed as stale until they are current. The lock keeps other syncs from dropping them.
    moving: AbstractAsyncContextManager[None] = field(default_factory=asyncio.Lock)

    def defer_tokens(self) -> Indexer:
        """Return an indexer that leaves token vectors to :meth:`complete_tokens`, if they need a pass of their own."""
        return replace(self, embedder=self.embedder.defer_tokens())

    async def embed(self, pages: Sequence[IndexedPage], on_embedded: Callable[[int], None]) -> None:
        """Embed and store what :meth:`put` of these pages will need."""
        await self.embedder.embed([evidence for page in pages for evidence in page.evidences], on_embedded)

    async def put(self, pages: Sequence[IndexedPage], on_embedded: Callable[[int], None]) -> None:
        """Make these page versions current.

        The replaced entries stay listed as stale until :meth:`clean`, so that an index that must rewrite itself to
        delete words does so once, not after every few pages.
        """
        if not pages:
            return
        evidences = [evidence for page in pages for evidence in page.evidences]
        vectors = await self.embedder.embed(evidences, on_embedded)
        async with self.moving:
            await self.stale.announce([evidence.entry for evidence in evidences])
            await self._add(evidences, vectors)
            await self.pages.replace(pages)
        # Another sync may have pruned the vectors meanwhile, while no current evidence had these texts.
        await self.embedder.save(evidences, vectors)

    async def drop(self, stale: Sequence[StaleEntry]) -> None:
        """Remove these stale entries from both indexes, and then from the list."""
        await self._drop(stale)
        await self.lexical.tidy(_TIDY_STEPS)

    async def clean(self) -> None:
        """Remove all listed stale entries from both indexes, also those left by a crash."""
        await self.drop(await self.stale.list_entries())

    async def has_other_count(self, space: str, evidences: int) -> bool:
        """Whether the number of a space's entries in an index differs from its number of evidences in the store."""
        return any(count != evidences for count in await self._count_entries(space))

    async def find_incomplete_spaces(self, spaces: SpaceStore, keys: Collection[str] | None = None) -> list[str]:
        """Return the spaces (of ``keys``, or all) that lack entries in an index. Surplus entries are ignored.

        Also correct during a sync, which adds entries before their evidences and removes them afterwards.
        """
        totals = await self._count_totals(spaces, keys)
        suspects = [key for key in totals if min(await self._count_entries(key)) < totals[key]]
        if not suspects:
            return []
        # Evidences may have been removed between the queries, so a space is listed only if a second count agrees.
        before = {key: await self._count_entries(key) for key in suspects}
        totals = await self._count_totals(spaces, suspects)
        return [
            key for key in totals if min(before[key]) < totals[key] and before[key] == await self._count_entries(key)
        ]

    async def _count_totals(self, spaces: SpaceStore, keys: Collection[str] | None) -> dict[str, int]:
        summaries = await spaces.load_summaries()
        return {each.key: sum(each.evidences.values()) for each in summaries if keys is None or each.key in keys}

    async def _count_entries(self, space: str) -> tuple[int, int]:
        return await self.lexical.count(space), await self.dense.count(space)

    async def repair(self, space: str, on_embedded: Callable[[int], None]) -> int:
        """Make both indexes have exactly the store's entries of a space. Returns the number of differences."""
        missing, _ = await self._find_differences(space)
        await self.embedder.embed(missing, on_embedded)  # slow, so it is done before locking
        async with self.moving:
            missing, surplus = await self._find_differences(space)
            vectors = await self.embedder.embed(missing, on_embedded)
            await self._add(missing, vectors)
            await self._remove(space, surplus)
        await self.lexical.tidy(_TIDY_STEPS)
        return len(missing) + len(surplus)

    async def expect_tokens(self, space: str) -> None:
        """Have the next :meth:`complete_tokens` search the space, because evidences without token vectors will come."""
        await self.embedder.expect_tokens(space)

    async def complete_tokens(self, space: str, new: int, on_embedded: Callable[[int], None]) -> None:
        """Compute missing token vectors of a space. If there are many besides ``new`` ones, the next call continues."""
        await self.embedder.complete_tokens(space, max(new, _COMPLETE_AT_ONCE), on_embedded)

    async def _find_differences(self, space: str) -> tuple[list[IndexedEvidence], list[str]]:
        """Return the evidences that an index lacks, and the surplus keys."""
        evidences = await self.pages.load_evidences(space)
        wanted = {evidence.entry.key: evidence for evidence in evidences}
        in_dense = await self.dense.load_keys(space)
        in_lexical = await self.lexical.load_keys(space)
        missing = [wanted[key] for key in wanted if key not in in_dense or key not in in_lexical]
        return missing, sorted((in_dense | in_lexical) - wanted.keys())

    async def _drop(self, stale: Sequence[StaleEntry]) -> None:
        for start in range(0, len(stale), _INDEX_AT_ONCE):
            some = stale[start : start + _INDEX_AT_ONCE]
            async with self.moving:
                # Entries may have become current after the caller listed them.
                still = await self.stale.list_entries({entry.key for entry in some})
                by_space: dict[str, list[str]] = {}
                for entry in still:
                    by_space.setdefault(entry.space, []).append(entry.key)
                for space, keys in by_space.items():
                    await self._remove(space, keys)

    async def _remove(self, space: str, keys: list[str]) -> None:
        if keys:
            await self.lexical.remove(space, keys)
            await self.dense.remove(space, keys)
            await self.stale.strike_off(keys)

    async def _add(self, evidences: Sequence[IndexedEvidence], vectors: dict[str, Vectors]) -> None:
        for start in range(0, len(evidences), _INDEX_AT_ONCE):
            some = evidences[start : start + _INDEX_AT_ONCE]
            entries = [evidence.entry for evidence in some]
            await self.lexical.add(entries)
            await self.dense.add(entries, np.stack([vectors[evidence.text_hash] for evidence in some]))
