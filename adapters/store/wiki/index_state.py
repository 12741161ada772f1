"""Stale index entries, and the vectors and token vectors of texts.

Cleaning up reads two lists instead of all entries and vectors: ``stale_entries`` has the index entries of no current
page, ``unchecked_texts`` the texts that may have a vector but no evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import BindParameter, Connection, Select, bindparam, delete, or_, select, update

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.statements import insert_missing, split_into_chunks, upsert_all
from adapters.store.wiki.inclusions import ENTRY_ACCESS, SAME_ORIGIN
from adapters.store.wiki.page_rows import read_indexed_evidence
from core.model import IndexedEvidence, IndexEntry
from core.ports.models import TokenVectors, Vectors
from core.ports.pages import StaleEntry
from core.ports.store import TokenVectorStore, VectorStore

_STALE, _UNCHECKED, _VECTORS, _EVIDENCES = (
    schema.stale_entries,
    schema.unchecked_texts,
    schema.vectors,
    schema.evidences,
)
_CHECKED_AT_ONCE = 500  # texts in one transaction


class SqlStaleEntries:
    """See :class:`core.ports.pages.StaleEntries`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def announce(self, entries: Sequence[IndexEntry]) -> None:
        """List entries that are about to be added to an index, except current ones, which must stay there."""
        announced = [StaleEntry(entry.key, entry.space) for entry in entries]
        await self._database.run_write(lambda connection: _add_unless_current(connection, announced))

    async def list_entries(self, keys: Collection[str] | None = None) -> list[StaleEntry]:
        every = select(_STALE).order_by(_STALE.c.key)
        queries = (
            [every]
            if keys is None
            else [every.where(_STALE.c.key.in_(chunk)) for chunk in split_into_chunks(sorted(keys))]
        )

        def work(connection: Connection) -> list[StaleEntry]:
            return [StaleEntry(row.key, row.space) for query in queries for row in connection.execute(query)]

        return await self._database.run_read(work)

    async def strike_off(self, keys: Collection[str]) -> None:
        await self._database.run_write(lambda connection: remove_stale_entries(connection, keys))


def add_stale_entries(connection: Connection, entries: Collection[StaleEntry]) -> None:
    """Add entries to the list."""
    insert_missing(connection, _STALE, [{"key": entry.key, "space": entry.space} for entry in entries])


def remove_stale_entries(connection: Connection, keys: Collection[str]) -> None:
    """Remove keys from the list."""
    for chunk in split_into_chunks(keys):
        connection.execute(delete(_STALE).where(_STALE.c.key.in_(chunk)))


def _add_unless_current(connection: Connection, entries: list[StaleEntry]) -> None:
    current: set[str] = set()
    for keys in split_into_chunks([entry.key for entry in entries]):
        current.update(connection.scalars(select(_EVIDENCES.c.key).where(_EVIDENCES.c.key.in_(keys))))
    add_stale_entries(connection, [entry for entry in entries if entry.key not in current])


class SqlVectorStore:
    """See :class:`core.ports.store.VectorStore`. Vectors are stored as little-endian float32."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load_vectors(self, embedder: str, hashes: Collection[str]) -> dict[str, Vectors]:
        def work(connection: Connection) -> dict[str, Vectors]:
            known: dict[str, Vectors] = {}
            query = select(_VECTORS.c.text_hash, _VECTORS.c.vector).where(_VECTORS.c.embedder == embedder)
            for chunk in split_into_chunks(hashes):
                for row in connection.execute(query.where(_VECTORS.c.text_hash.in_(chunk))):
                    known[row.text_hash] = np.frombuffer(row.vector, dtype="<f4").astype(np.float32)
            return known

        return await self._database.run_read(work)

    async def save(self, embedder: str, vectors: Mapping[str, Vectors]) -> None:
        """Store vectors of texts. Stored ones stay as they are."""
        rows = [
            {"embedder": embedder, "text_hash": text_hash, "vector": np.asarray(vector, dtype="<f4").tobytes()}
            for text_hash, vector in vectors.items()
        ]

        def work(connection: Connection) -> None:
            insert_missing(connection, _VECTORS, rows)
            add_unchecked_texts(connection, vectors)

        await self._database.run_write(work)

    async def prune(self) -> int:
        """Delete the vectors of listed texts that no evidence has, in short transactions."""
        dropped, checked = 0, 1
        while checked:
            checked, chunk = await self._database.run_write(_prune_some)
            dropped += chunk
        return dropped


class LayeredVectors:
    """The vectors of one store, and behind them those that several stores share, which are never pruned."""

    def __init__(self, own: VectorStore, shared: VectorStore) -> None:
        self._own = own
        self._shared = shared

    async def load_vectors(self, embedder: str, hashes: Collection[str]) -> dict[str, Vectors]:
        known = await self._own.load_vectors(embedder, hashes)
        return {**known, **await self._shared.load_vectors(embedder, set(hashes) - known.keys())}

    async def save(self, embedder: str, vectors: Mapping[str, Vectors]) -> None:
        await self._own.save(embedder, vectors)
        await self._shared.save(embedder, vectors)

    async def prune(self) -> int:
        return await self._own.prune()


def add_unchecked_texts(connection: Connection, hashes: Collection[str]) -> None:
    """Add texts to the list: those that a page lost, and those of new vectors whose page is not stored yet."""
    insert_missing(connection, _UNCHECKED, [{"text_hash": text_hash} for text_hash in sorted(hashes)])


def remove_checked_texts(connection: Connection, hashes: Collection[str]) -> None:
    """Remove texts from the list, because an evidence has them or their vectors are deleted."""
    for chunk in split_into_chunks(sorted(hashes)):
        connection.execute(delete(_UNCHECKED).where(_UNCHECKED.c.text_hash.in_(chunk)))


def _prune_some(connection: Connection) -> tuple[int, int]:
    """Delete the unused vectors of some listed texts. Returns the numbers of checked texts and of deleted vectors."""
    chunk = select(_UNCHECKED.c.text_hash).order_by(_UNCHECKED.c.text_hash).limit(_CHECKED_AT_ONCE)
    hashes = list(connection.scalars(chunk))
    dropped = delete_unused_vectors(connection, hashes)
    remove_checked_texts(connection, hashes)
    return len(hashes), dropped


def delete_unused_vectors(connection: Connection, hashes: Collection[str]) -> int:
    """Delete the vectors and token vectors of those of the texts that no evidence has. Returns their number."""
    dropped = 0
    for chunk in split_into_chunks(hashes):
        used = select(_EVIDENCES.c.text_hash).where(_EVIDENCES.c.text_hash.in_(chunk))
        for table in (_VECTORS, schema.token_vectors, schema.unit_vectors):
            unused = table.c.text_hash.in_(chunk) & table.c.text_hash.not_in(used)
            dropped += connection.execute(delete(table).where(unused)).rowcount
    return dropped


_TOKENS, _UNITS, _PAGES, _SPACES = schema.token_vectors, schema.unit_vectors, schema.pages, schema.spaces
_ALL_UNITS = ""  # instead of the hash of a unit: all units of the text are stored
_MODEL: BindParameter[str] = bindparam("model")
_HASHES: BindParameter[str] = bindparam("hashes", expanding=True)
_TOKENS_OF_TEXTS = select(_TOKENS.c.text_hash, _TOKENS.c.tokens).where(
    _TOKENS.c.model == _MODEL, _TOKENS.c.text_hash.in_(_HASHES)
)
# Distinct, because many texts may have a unit, such as a page's title.
_TOKENS_OF_UNITS = (
    select(_UNITS.c.unit_hash, _UNITS.c.tokens)
    .where(_UNITS.c.model == _MODEL, _UNITS.c.unit_hash.in_(_HASHES))
    .distinct()
)


class SqlTokenVectorStore:
    """See :class:`core.ports.store.TokenVectorStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load_tokens(self, model: str, hashes: Collection[str]) -> dict[str, TokenVectors]:
        return await self._load(_TOKENS_OF_TEXTS, model, hashes)

    async def find_missing(self, model: str, hashes: Collection[str]) -> frozenset[str]:
        def find_stored(connection: Connection) -> set[str]:
            query, stored = select(_TOKENS.c.text_hash).where(_TOKENS.c.model == model), set[str]()
            for chunk in split_into_chunks(hashes):
                stored.update(connection.scalars(query.where(_TOKENS.c.text_hash.in_(chunk))))
            return stored

        return frozenset(hashes) - await self._database.run_read(find_stored)

    async def save(self, model: str, tokens: Mapping[str, TokenVectors]) -> None:
        rows = [{"text_hash": text_hash, "model": model, "tokens": each} for text_hash, each in tokens.items()]

        def work(connection: Connection) -> None:
            upsert_all(connection, _TOKENS, rows, ("model", "tokens"))
            add_unchecked_texts(connection, tokens)

        await self._database.run_write(work)

    async def load_units(self, model: str, hashes: Collection[str]) -> dict[str, TokenVectors]:
        return await self._load(_TOKENS_OF_UNITS, model, hashes)

    async def find_without_units(self, model: str, hashes: Collection[str]) -> frozenset[str]:
        def find_complete(connection: Connection) -> set[str]:
            query = select(_UNITS.c.text_hash).where(_UNITS.c.unit_hash == _ALL_UNITS, _UNITS.c.model == model)
            complete = set[str]()
            for chunk in split_into_chunks(hashes):
                complete.update(connection.scalars(query.where(_UNITS.c.text_hash.in_(chunk))))
            return complete

        return frozenset(hashes) - await self._database.run_read(find_complete)

    async def save_units(self, model: str, units: Mapping[str, Mapping[str, TokenVectors]]) -> None:
        rows = [
            {"text_hash": text_hash, "unit_hash": unit_hash, "model": model, "tokens": tokens}
            for text_hash, of_text in units.items()
            for unit_hash, tokens in {**of_text, _ALL_UNITS: b""}.items()
        ]

        def work(connection: Connection) -> None:
            upsert_all(connection, _UNITS, rows, ("model", "tokens"))
            add_unchecked_texts(connection, units)

        await self._database.run_write(work)

    async def _load(self, query: Select[Any], model: str, hashes: Collection[str]) -> dict[str, TokenVectors]:
        def work(connection: Connection) -> dict[str, TokenVectors]:
            found: dict[str, TokenVectors] = {}
            for chunk in split_into_chunks(hashes):
                rows = connection.execute(query, {"model": model, "hashes": chunk}).all()
                found.update((row[0], row[1]) for row in rows)
            return found

        return await self._database.run_single_read(work)

    async def find_incomplete(self, model: str, unit_model: str, space: str, limit: int) -> list[IndexedEvidence]:
        both = f"{model} {unit_model}"
        complete = select(_SPACES.c.token_model).where(_SPACES.c.key == space)
        if await self._database.load_scalar(complete) == both:
            return []
        there = (_TOKENS.c.text_hash == _EVIDENCES.c.text_hash) & (_TOKENS.c.model == model)
        all_units = (_UNITS.c.unit_hash == _ALL_UNITS) & (_UNITS.c.model == unit_model)
        query = (
            select(_EVIDENCES, _PAGES.c.space, ENTRY_ACCESS)
            .join(_PAGES, _PAGES.c.page_id == _EVIDENCES.c.page_id)
            .outerjoin(schema.page_origins, SAME_ORIGIN)
            .outerjoin(_TOKENS, there)
            .outerjoin(_UNITS, all_units & (_UNITS.c.text_hash == _EVIDENCES.c.text_hash))
            .where(_PAGES.c.space == space, or_(_TOKENS.c.text_hash.is_(None), _UNITS.c.text_hash.is_(None)))
            .limit(limit)
        )
        found = [read_indexed_evidence(row) for row in await self._database.load_rows(query)]
        if not found:
            note = update(_SPACES).where(_SPACES.c.key == space).values(token_model=both)
            await self._database.execute(note)
        return found

    async def note_incomplete(self, space: str) -> None:
        await self._database.execute(update(_SPACES).where(_SPACES.c.key == space).values(token_model=""))


class LayeredTokenVectors:
    """The token vectors of one store. Missing ones are copied from those that several stores share."""

    def __init__(self, own: TokenVectorStore, shared: TokenVectorStore) -> None:
        self._own = own
        self._shared = shared

    async def load_tokens(self, model: str, hashes: Collection[str]) -> dict[str, TokenVectors]:
        return await self._own.load_tokens(model, hashes)

    async def find_missing(self, model: str, hashes: Collection[str]) -> frozenset[str]:
        lacking = await self._own.find_missing(model, hashes)
        shared = await self._shared.load_tokens(model, lacking)
        await self._own.save(model, shared)
        return lacking - shared.keys()

    async def save(self, model: str, tokens: Mapping[str, TokenVectors]) -> None:
        await self._own.save(model, tokens)
        await self._shared.save(model, tokens)

    async def load_units(self, model: str, hashes: Collection[str]) -> dict[str, TokenVectors]:
        found = await self._own.load_units(model, hashes)
        return found | await self._shared.load_units(model, frozenset(hashes) - found.keys())

    async def find_without_units(self, model: str, hashes: Collection[str]) -> frozenset[str]:
        return await self._own.find_without_units(model, hashes)

    async def save_units(self, model: str, units: Mapping[str, Mapping[str, TokenVectors]]) -> None:
        await self._own.save_units(model, units)
        await self._shared.save_units(model, units)

    async def find_incomplete(self, model: str, unit_model: str, space: str, limit: int) -> list[IndexedEvidence]:
        return await self._own.find_incomplete(model, unit_model, space, limit)

    async def note_incomplete(self, space: str) -> None:
        await self._own.note_incomplete(space)
