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

from core.evidence.contextualise import CONTEXT_MODES, contextualised
from core.ports import (
    DenseIndex,
    Embedder,
    IndexedEvidence,
    IndexedPage,
    LexicalIndex,
    PageStore,
    StaleEntries,
    StaleEntry,
    Vectors,
    VectorStore,
)
from core.retrieval.entries import text_hash

_EMBED_AT_ONCE = 64  # texts between two reports of progress; also the most that a crash embeds twice
_INDEX_AT_ONCE = 2000


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

    async def put(
        self,
        pages: Sequence[IndexedPage],
        on_embedded: Callable[[int], None],
        may_commit: Callable[[IndexedPage], bool] = lambda page: True,
    ) -> int:
        """Makes these pages' versions current. Returns how many texts had to be embedded.

        ``may_commit`` is asked last: a page that another sync found elsewhere meanwhile is left as that one wrote it.

        What they replace stays listed as stale, out of every answer, until :meth:`clean`: an index that has to rewrite
        itself to forget words should do so once, not with every few pages.
        """
        if not pages:
            return 0
        evidences = [evidence for page in pages for evidence in page.evidences]
        vectors, embedded = await self._vectors(evidences, on_embedded)
        await self._ports.stale.announce([evidence.entry for evidence in evidences])
        await self._add(evidences, vectors)
        await self._ports.pages.replace([page for page in pages if may_commit(page)])
        return embedded

    async def drop(self, stale: Sequence[StaleEntry]) -> None:
        """Takes stale entries out of both indexes, then off the list."""
        by_space: dict[str, list[str]] = {}
        for entry in stale:
            by_space.setdefault(entry.space, []).append(entry.key)
        for space, keys in by_space.items():
            await self._ports.lexical.remove(space, keys)
            await self._ports.dense.remove(space, keys)
            await self._ports.stale.strike_off(keys)

    async def clean(self, spaces: Collection[str] | None = None) -> int:
        """Takes everything stale out of both indexes, also what a crash left. Returns how many entries that were.

        ``spaces``: of these only. What another sync has announced for its space is stale until it is current, so
        whoever cleans a space has to hold its lock.
        """
        stale = await self._ports.stale.listed()
        stale = stale if spaces is None else [entry for entry in stale if entry.space in spaces]
        await self.drop(stale)
        return len(stale)

    async def differs(self, space: str, evidences: int) -> bool:
        """Whether an index holds another number of entries of a space than the store has evidences."""
        return any(count != evidences for count in await self._counts(space))

    async def lacks(self, space: str, evidences: int) -> bool:
        """Whether an index misses entries of a space; more than there should be do no harm to a search."""
        return any(count < evidences for count in await self._counts(space))

    async def _counts(self, space: str) -> tuple[int, int]:
        return len(await self._ports.lexical.keys(space)), len(await self._ports.dense.keys(space))

    async def repair(self, space: str, on_embedded: Callable[[int], None]) -> int:
        """Makes both indexes hold exactly the store's entries of a space. Returns how many differed."""
        evidences = await self._ports.pages.entries(space)
        wanted = {evidence.entry.key: evidence for evidence in evidences}
        in_dense = await self._ports.dense.keys(space)
        in_lexical = await self._ports.lexical.keys(space)
        missing = [wanted[key] for key in wanted if key not in in_dense or key not in in_lexical]
        surplus = (in_dense | in_lexical) - wanted.keys()
        if missing:
            vectors, _ = await self._vectors(missing, on_embedded)
            await self._add(missing, vectors)
        await self.drop([StaleEntry(key, space) for key in sorted(surplus)])
        return len(missing) + len(surplus)

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
    texts = (contextualised(evidence.evidence, mode) for mode in CONTEXT_MODES)
    return next(text for text in texts if text_hash(text) == evidence.text_hash)
