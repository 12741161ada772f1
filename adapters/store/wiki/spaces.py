"""The synced spaces."""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy import Connection, case, delete, func, select, union, update

from adapters.store import schema
from adapters.store.chats.turn_erasure import ErasedText, OnErasure, ignore_erasure
from adapters.store.database import Database
from adapters.store.statements import upsert
from adapters.store.wiki.erasure import erase_pages, note_erased
from core.model import INDEXED_KINDS, EvidenceKind
from core.ports.pages import SpaceSummary, StaleEntry


class SqlSpaceStore:
    """See :class:`core.ports.pages.SpaceStore`. ``on_erasure``: called after a space was forgotten."""

    def __init__(self, database: Database, on_erasure: OnErasure = ignore_erasure) -> None:
        self._database = database
        self._on_erasure = on_erasure

    async def load_summaries(self) -> list[SpaceSummary]:
        return await self._database.run_read(_load_summaries)

    async def load_keys(self) -> frozenset[str]:
        return frozenset(row["key"] for row in await self._database.load_few(select(schema.spaces.c.key)))

    async def finish_sync(self, space: str, wiki_name: str, at: str, error: str) -> None:
        values = {"source": wiki_name, "synced_at": at, "last_error": error}
        await self._database.run_write(
            lambda connection: upsert(connection, schema.spaces, {"key": space, **values}, values)
        )

    async def note_comments(self, space: str, at: str) -> None:
        change = update(schema.spaces).where(schema.spaces.c.key == space).values(comments_at=at)
        await self._database.run_write(lambda connection: connection.execute(change))

    async def forget(self, space: str) -> list[StaleEntry]:
        """Remove a space, its pages, and all their text in turns and in the database's files."""

        def work(connection: Connection) -> tuple[list[StaleEntry], ErasedText]:
            note_erased(connection, "space", [space])
            return forget_space(connection, space)

        stale, erased = await self._database.run_write(work)
        await self._database.run_write(erased.erase)
        await self._on_erasure()
        await self._database.scrub()
        return stale


def forget_space(connection: Connection, space: str) -> tuple[list[StaleEntry], ErasedText]:
    """Remove a space, its pages, and all their text in turns. Returns the stale index entries, and what turns lost."""
    pages, snapshots = schema.pages, schema.turn_evidences
    # Turns may also contain text of pages that were removed from the space or moved before.
    page_ids = connection.scalars(
        union(
            select(pages.c.page_id).where(pages.c.space == space),
            select(snapshots.c.page_id).where(
                snapshots.c.space == space,
                snapshots.c.page_id.not_in(select(pages.c.page_id)),
            ),
        )
    ).all()
    stale = erase_pages(connection, page_ids)
    for table in (schema.page_places, schema.unclear_titles):
        connection.execute(delete(table).where(table.c.space == space))
    connection.execute(delete(schema.spaces).where(schema.spaces.c.key == space))
    return stale, ErasedText(frozenset(page_ids))


def _load_summaries(connection: Connection) -> list[SpaceSummary]:
    by_access, by_kind = schema.page_counts, schema.evidence_counts
    restricted = func.sum(case((by_access.c.access != "", by_access.c.pages), else_=0))
    counted = select(by_access.c.space, func.sum(by_access.c.pages), restricted).group_by(by_access.c.space)
    page_counts = {row[0]: (int(row[1]), int(row[2])) for row in connection.execute(counted)}
    kinds: dict[str, dict[EvidenceKind, int]] = defaultdict(lambda: dict.fromkeys(INDEXED_KINDS, 0))
    for space, kind, count in connection.execute(select(by_kind.c.space, by_kind.c.kind, by_kind.c.evidences)):
        kinds[space][kind] = count
    summaries = []
    for row in connection.execute(select(schema.spaces).order_by(schema.spaces.c.key)):
        count, restricted_count = page_counts.get(row.key, (0, 0))
        summaries.append(
            SpaceSummary(
                *(row.key, row.source, count, kinds[row.key], row.synced_at, row.last_error, restricted_count),
                comments_at=row.comments_at,
            )
        )
    return summaries
