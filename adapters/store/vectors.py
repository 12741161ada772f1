"""Vectors of embedded texts (see :class:`core.ports.VectorStore`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from sqlalchemy import Connection, insert, select

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.rows import chunks
from adapters.store.unchecked import list_unchecked, prune_some
from core.ports import Vectors, VectorStore


class SqlVectorStore:
    """Vectors in the SQL database, as little-endian float32."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def vectors(self, embedder: str, hashes: Collection[str]) -> dict[str, Vectors]:
        """Hash to vector, shape (dimension,), for the hashes that are known."""
        table = schema.vectors

        def work(connection: Connection) -> dict[str, Vectors]:
            known: dict[str, Vectors] = {}
            for some in chunks(hashes):
                query = select(table.c.text_hash, table.c.vector).where(
                    table.c.embedder == embedder, table.c.text_hash.in_(some)
                )
                for row in connection.execute(query):
                    known[row.text_hash] = np.frombuffer(row.vector, dtype="<f4").astype(np.float32)
            return known

        return await self._database.run_read(work)

    async def keep(self, embedder: str, vectors: Mapping[str, Vectors]) -> None:
        """Keeps vectors of texts; those that are known stay as they are."""
        table = schema.vectors

        def work(connection: Connection) -> None:
            for some in chunks(vectors):
                query = select(table.c.text_hash).where(table.c.embedder == embedder, table.c.text_hash.in_(some))
                there = set(connection.scalars(query))
                rows = [
                    {"embedder": embedder, "text_hash": key, "vector": np.asarray(vectors[key], dtype="<f4").tobytes()}
                    for key in some
                    if key not in there
                ]
                if rows:
                    connection.execute(insert(table), rows)
                    list_unchecked(connection, {key for key in some if key not in there})

        await self._database.run_write(work)

    async def prune(self) -> int:
        """Drops vectors of texts that no current evidence has, in short transactions; returns how many."""
        dropped, checked = 0, 1
        while checked:
            checked, some = await self._database.run_write(prune_some)
            dropped += some
        return dropped


class LayeredVectors:
    """A store's own vectors over those that several share, which no one prunes."""

    def __init__(self, own: VectorStore, shared: VectorStore) -> None:
        self._own = own
        self._shared = shared

    async def vectors(self, embedder: str, hashes: Collection[str]) -> dict[str, Vectors]:
        """Its own, and for other hashes the shared ones."""
        known = await self._own.vectors(embedder, hashes)
        return {**known, **await self._shared.vectors(embedder, set(hashes) - known.keys())}

    async def keep(self, embedder: str, vectors: Mapping[str, Vectors]) -> None:
        """Keeps vectors as its own, and for the others."""
        await self._own.keep(embedder, vectors)
        await self._shared.keep(embedder, vectors)

    async def prune(self) -> int:
        """Drops its own vectors that nothing uses; the shared ones stay."""
        return await self._own.prune()
