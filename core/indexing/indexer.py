"""Keeps store and indexes together: pages in, evidences embedded once, both indexes and the store moved as one.

The order makes a crash harmless. New entries are announced, added to the indexes, and then made current in the
one transaction that also lists the entries they replace; only then may the old ones leave the indexes. A search
counts a hit only if the store says it is current, so a page answers wholly old or wholly new. What is on the list of
stale entries, also after a crash, :meth:`Indexer.clean` takes out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from core.evidence.contextualise import CONTEXT_MODES, contextualise
from core.ports import (
    DenseIndex,
    Embedder,
    IndexedEvidence,
    IndexedPage,
    LexicalIndex,
    PageStore,
    SpaceStore,
    StaleEntries,
    StaleEntry,
    Vectors,
    VectorStore,
)
from core.retrieval.entries import text_hash

_EMBED_AT_ONCE = 64  # texts between two reports of progress; also the most that a crash embeds twice
_INDEX_AT_ONCE = 2000
_TIDY_STEPS = 1  # of merging a large index, so that no sync takes long; the server goes on later


@dataclass(frozen=True, slots=True)
class IndexerPorts:
    """The places that an indexer keeps together."""

    pages: PageStore
    stale: StaleEntries
    vectors: VectorStore
    embedder: Embedder
    dense: DenseIndex
    lexical: LexicalIndex


class Indexer:
    """Makes pages findable."""

    def __init__(self, ports: IndexerPorts) -> None:
        self._ports = ports
        # From announcing entries until they are current they are on the list of stale ones: nobody else may drop them
        # then, say the sync of another space.
        self._moving = asyncio.Lock()

    async def put(self, pages: Sequence[IndexedPage], on_embedded: Callable[[int], None]) -> int:
        """Makes these pages' versions current. Returns how many texts had to be embedded.

        What they replace stays listed as stale, out of every answer, until :meth:`clean`: an index that has to rewrite
        itself to forget words should do so once, not with every few pages.
        """
        if not pages:
            return 0
        evidences = [evidence for page in pages for evidence in page.evidences]
        vectors, embedded = await self._vectors(evidences, on_embedded)
        async with self._moving:
            await self._ports.stale.announce([evidence.entry for evidence in evidences])
            await self._add(evidences, vectors)
            await self._ports.pages.replace(pages)
        # Another sync may have pruned them between, for no evidence had these texts then.
        await self._ports.vectors.keep(self._ports.embedder.name, vectors)
        return embedded

    async def drop(self, stale: Sequence[StaleEntry]) -> None:
        """Takes entries that the store lists as stale out of both indexes, then off the list."""
        await self._drop(stale)
        await self._ports.lexical.tidy(_TIDY_STEPS)

    async def clean(self) -> int:
        """Takes everything stale out of both indexes, also what a crash left. Returns how many entries that were."""
        stale = await self._ports.stale.list_entries()
        await self.drop(stale)
        return len(stale)

    async def differs(self, space: str, evidences: int) -> bool:
        """Whether an index holds another number of entries of a space than the store has evidences."""
        return any(count != evidences for count in await self._counts(space))

    async def find_incomplete_spaces(self, spaces: SpaceStore, keys: Collection[str] | None = None) -> list[str]:
        """Those of these spaces (None: of all) of which an index misses entries; too many do no harm to a search.

        Beside a running sync it is right too: what the store has is always in the indexes, for entries come before
        their evidences and go after them.
        """
        totals = await self._totals(spaces, keys)
        suspects = [key for key in totals if min(await self._counts(key)) < totals[key]]
        if not suspects:
            return []
        # The store may have lost evidences, and then the indexes: only what did not move around a second look counts.
        before = {key: await self._counts(key) for key in suspects}
        totals = await self._totals(spaces, suspects)
        return [key for key in totals if min(before[key]) < totals[key] and before[key] == await self._counts(key)]

    async def _totals(self, spaces: SpaceStore, keys: Collection[str] | None) -> dict[str, int]:
        summaries = await spaces.summaries()
        return {each.key: sum(each.evidences.values()) for each in summaries if keys is None or each.key in keys}

    async def _counts(self, space: str) -> tuple[int, int]:
        return await self._ports.lexical.count(space), await self._ports.dense.count(space)

    async def repair(self, space: str, on_embedded: Callable[[int], None]) -> int:
        """Makes both indexes hold exactly the store's entries of a space. Returns how many differed."""
        missing, _ = await self._differences(space)
        await self._vectors(missing, on_embedded)  # takes long, so before the others have to wait
        async with self._moving:
            missing, surplus = await self._differences(space)
            vectors, _ = await self._vectors(missing, on_embedded)
            await self._add(missing, vectors)
            await self._take_out(space, surplus)
        await self._ports.lexical.tidy(_TIDY_STEPS)
        return len(missing) + len(surplus)

    async def _differences(self, space: str) -> tuple[list[IndexedEvidence], list[str]]:
        """The evidences that an index lacks, and the keys that one has too many."""
        evidences = await self._ports.pages.entries(space)
        wanted = {evidence.entry.key: evidence for evidence in evidences}
        in_dense = await self._ports.dense.keys(space)
        in_lexical = await self._ports.lexical.keys(space)
        missing = [wanted[key] for key in wanted if key not in in_dense or key not in in_lexical]
        return missing, sorted((in_dense | in_lexical) - wanted.keys())

    async def _drop(self, stale: Sequence[StaleEntry]) -> None:
        for start in range(0, len(stale), _INDEX_AT_ONCE):
            some = stale[start : start + _INDEX_AT_ONCE]
            async with self._moving:
                # What was stale when the caller looked may have come back since.
                still = await self._ports.stale.list_entries({entry.key for entry in some})
                by_space: dict[str, list[str]] = {}
                for entry in still:
                    by_space.setdefault(entry.space, []).append(entry.key)
                for space, keys in by_space.items():
                    await self._take_out(space, keys)

    async def _take_out(self, space: str, keys: list[str]) -> None:
        if keys:
            await self._ports.lexical.remove(space, keys)
            await self._ports.dense.remove(space, keys)
            await self._ports.stale.strike_off(keys)

    async def _add(self, evidences: Sequence[IndexedEvidence], vectors: dict[str, Vectors]) -> None:
        for start in range(0, len(evidences), _INDEX_AT_ONCE):
            some = evidences[start : start + _INDEX_AT_ONCE]
            entries = [evidence.entry for evidence in some]
            await self._ports.lexical.add(entries)
            await self._ports.dense.add(entries, np.stack([vectors[evidence.text_hash] for evidence in some]))

    async def _vectors(
        self, evidences: Sequence[IndexedEvidence], on_embedded: Callable[[int], None]
    ) -> tuple[dict[str, Vectors], int]:
        """Vector by text hash; only texts that no vector is known of are embedded."""
        texts = {evidence.text_hash: evidence for evidence in evidences}
        name = self._ports.embedder.name
        known = await self._ports.vectors.vectors(name, texts.keys())
        unknown = [(hashed, _embedded_text(evidence)) for hashed, evidence in texts.items() if hashed not in known]
        unknown.sort(key=lambda item: len(item[1]))  # texts of one length make the tightest batches
        for start in range(0, len(unknown), _EMBED_AT_ONCE):
            some = unknown[start : start + _EMBED_AT_ONCE]
            rows = await self._ports.embedder.embed_passages([text for _, text in some])
            fresh = {hashed: row for (hashed, _), row in zip(some, rows, strict=True)}
            await self._ports.vectors.keep(name, fresh)
            known.update(fresh)
            on_embedded(len(some))
            await asyncio.sleep(0)
        return known, len(unknown)


def _embedded_text(evidence: IndexedEvidence) -> str:
    """The text that the evidence's hash names, whatever context mode is set by now."""
    texts = (contextualise(evidence.evidence, mode) for mode in CONTEXT_MODES)
    return next(text for text in texts if text_hash(text) == evidence.text_hash)
