"""Token vectors of texts: only those of the candidates of a question are read, by key."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import Connection, select, update

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.inclusions import ENTRY_ACCESS, SAME_ORIGIN
from adapters.store.index_state import list_unchecked
from adapters.store.rows import chunks, read_indexed_evidence, upsert_all
from core.ports.models import TokenVectors
from core.ports.store import IndexedEvidence, TokenVectorStore

_TOKENS, _EVIDENCES, _PAGES, _SPACES = schema.token_vectors, schema.evidences, schema.pages, schema.spaces


class SqlTokenVectorStore:
    """See :class:`core.ports.store.TokenVectorStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def tokens(self, model: str, hashes: Collection[str]) -> dict[str, TokenVectors]:
        def work(connection: Connection) -> dict[str, TokenVectors]:
            query = select(_TOKENS.c.text_hash, _TOKENS.c.tokens).where(_TOKENS.c.model == model)
            return {
                row.text_hash: row.tokens
                for some in chunks(hashes)
                for row in connection.execute(query.where(_TOKENS.c.text_hash.in_(some)))
            }

        return await self._database.run_read(work)

    async def find_missing(self, model: str, hashes: Collection[str]) -> frozenset[str]:
        def work(connection: Connection) -> frozenset[str]:
            query = select(_TOKENS.c.text_hash).where(_TOKENS.c.model == model)
            there = {
                each
                for some in chunks(hashes)
                for each in connection.scalars(query.where(_TOKENS.c.text_hash.in_(some)))
            }
            return frozenset(hashes) - there

        return await self._database.run_read(work)

    async def keep(self, model: str, tokens: Mapping[str, TokenVectors]) -> None:
        rows = [{"text_hash": text_hash, "model": model, "tokens": each} for text_hash, each in tokens.items()]

        def work(connection: Connection) -> None:
            upsert_all(connection, _TOKENS, rows, ("model", "tokens"))
            list_unchecked(connection, tokens)

        await self._database.run_write(work)

    async def find_incomplete(self, model: str, space: str, limit: int) -> list[IndexedEvidence]:
        complete = select(_SPACES.c.token_model).where(_SPACES.c.key == space)
        if await self._database.scalar(complete) == model:
            return []
        there = (_TOKENS.c.text_hash == _EVIDENCES.c.text_hash) & (_TOKENS.c.model == model)
        query = (
            select(_EVIDENCES, _PAGES.c.space, ENTRY_ACCESS)
            .join(_PAGES, _PAGES.c.page_id == _EVIDENCES.c.page_id)
            .outerjoin(schema.page_origins, SAME_ORIGIN)
            .outerjoin(_TOKENS, there)
            .where(_PAGES.c.space == space, _TOKENS.c.text_hash.is_(None))
            .limit(limit)
        )
        found = [read_indexed_evidence(row) for row in await self._database.rows(query)]
        if not found:
            note = update(_SPACES).where(_SPACES.c.key == space).values(token_model=model)
            await self._database.execute(note)
        return found


class LayeredTokenVectors:
    """A store's own token vectors; what several stores share is copied from there where it is lacking."""

    def __init__(self, own: TokenVectorStore, shared: TokenVectorStore) -> None:
        self._own = own
        self._shared = shared

    async def tokens(self, model: str, hashes: Collection[str]) -> dict[str, TokenVectors]:
        return await self._own.tokens(model, hashes)

    async def find_missing(self, model: str, hashes: Collection[str]) -> frozenset[str]:
        lacking = await self._own.find_missing(model, hashes)
        shared = await self._shared.tokens(model, lacking)
        await self._own.keep(model, shared)
        return lacking - shared.keys()

    async def keep(self, model: str, tokens: Mapping[str, TokenVectors]) -> None:
        await self._own.keep(model, tokens)
        await self._shared.keep(model, tokens)

    async def find_incomplete(self, model: str, space: str, limit: int) -> list[IndexedEvidence]:
        return await self._own.find_incomplete(model, space, limit)
