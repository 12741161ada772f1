"""Pages and their evidences (see :class:`core.ports.PageStore`)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, delete, insert, select, update

from adapters.store import schema
from adapters.store.counting import update_counts
from adapters.store.database import Database, note_deletion
from adapters.store.erasure import erase_from_turns, erase_pages
from adapters.store.rows import chunks, evidence_row, page_of, page_row, read_indexed_evidence, title_hash
from adapters.store.stale import list_stale, strike_off
from adapters.store.unchecked import list_unchecked, strike_off_checked
from core.model import Page
from core.ports import NOT_STORED, IndexedEvidence, IndexedPage, PagesReplaced, StaleEntry
from core.retrieval.access import access_id, canonical


class SqlPageStore:
    """Pages in the SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def digests(self, space: str) -> dict[str, str]:
        """Page id to digest, for every page of a space."""
        pages = schema.pages
        query = select(pages.c.page_id, pages.c.digest).where(pages.c.space == space)
        return await self._database.run_read(lambda connection: {row[0]: row[1] for row in connection.execute(query)})

    async def page(self, page_id: str) -> Page | None:
        """The current version of a page, None if there is none."""
        pages, accesses = schema.pages, schema.accesses
        query = (
            select(pages, accesses.c.read_restrictions)
            .outerjoin(accesses, accesses.c.access == pages.c.access)
            .where(pages.c.page_id == page_id)
        )
        row = await self._database.run_read(lambda connection: connection.execute(query).mappings().one_or_none())
        return page_of(row) if row else None

    async def digest(self, page_id: str) -> str:
        """The digest of a page's current version, NOT_STORED if there is none."""
        query = select(schema.pages.c.digest).where(schema.pages.c.page_id == page_id)
        found = await self._database.run_read(lambda connection: connection.scalar(query))
        return NOT_STORED if found is None else str(found)

    async def replace(self, pages: Sequence[IndexedPage]) -> list[StaleEntry]:
        """Makes these the current versions, in one transaction; returns and lists the entries that fell out of use.

        Raises ValueError if a page's evidences contradict it about the space, the page or who may read, and
        PagesReplaced.
        """
        rows = [evidence_row(indexed.page, evidence) for indexed in pages for evidence in indexed.evidences]

        def work(connection: Connection) -> list[StaleEntry]:
            _check_replaced(connection, pages)
            erase_from_turns(connection, _newly_restricted(connection, pages))
            page_ids = [indexed.page.page_id for indexed in pages]
            with update_counts(connection, page_ids):
                dropped = _drop_evidences(connection, page_ids)
                if dropped:
                    note_deletion(connection)
                _keep_spaces_and_accesses(connection, pages)
                _write_pages(connection, pages)
                _write_titles(connection, pages)
                if rows:
                    connection.execute(insert(schema.evidences), rows)
            strike_off_checked(connection, {row["text_hash"] for row in rows})
            current = {row["key"] for row in rows}
            stale = [entry for entry in dropped if entry.key not in current]
            strike_off(connection, current)
            list_stale(connection, stale)
            return stale

        return await self._database.run_write(work)

    async def remove(self, page_ids: Collection[str], space: str | None = None) -> list[StaleEntry]:
        """Removes pages, their evidences and vectors, and their text in the snapshots of turns, in one transaction.

        With ``space`` only those that are there now.
        """
        if not page_ids:
            return []

        def work(connection: Connection) -> list[StaleEntry]:
            there = page_ids if space is None else _pages_in(connection, page_ids, space)
            return erase_pages(connection, there)

        stale = await self._database.run_write(work)
        await self._database.scrub()
        return stale

    async def entries(self, space: str) -> list[IndexedEvidence]:
        """All current evidences of a space, by page and place on it."""
        evidences, pages = schema.evidences, schema.pages
        query = (
            select(evidences, pages.c.space, pages.c.access)
            .join(pages, pages.c.page_id == evidences.c.page_id)
            .where(pages.c.space == space)
            .order_by(evidences.c.page_id, evidences.c.ordinal, evidences.c.key)
        )
        return await self._database.run_read(
            lambda connection: [read_indexed_evidence(row) for row in connection.execute(query).mappings()]
        )


def _check_replaced(connection: Connection, pages: Sequence[IndexedPage]) -> None:
    """Raises PagesReplaced where a page is to take the place of another version than the current one."""
    expected = {indexed.page.page_id: indexed.replaces for indexed in pages if indexed.replaces is not None}
    current = dict.fromkeys(expected, NOT_STORED)
    for some in chunks(expected):
        query = select(schema.pages.c.page_id, schema.pages.c.digest).where(schema.pages.c.page_id.in_(some))
        current.update((row.page_id, row.digest) for row in connection.execute(query))
    replaced = [page_id for page_id, digest in current.items() if digest != expected[page_id]]
    if replaced:
        raise PagesReplaced(replaced)


def _pages_in(connection: Connection, page_ids: Collection[str], space: str) -> list[str]:
    pages = schema.pages
    query = select(pages.c.page_id).where(pages.c.space == space)
    return [found for some in chunks(page_ids) for found in connection.scalars(query.where(pages.c.page_id.in_(some)))]


def _newly_restricted(connection: Connection, pages: Sequence[IndexedPage]) -> list[str]:
    """Pages that other people may read than before: who could see them in old turns may not any more."""
    restricted = {indexed.page.page_id: access_id(indexed.page.read_restrictions) for indexed in pages}
    restricted = {page_id: access for page_id, access in restricted.items() if access}
    before = schema.pages
    query = select(before.c.page_id, before.c.access)
    return [
        row.page_id
        for some in chunks(restricted)
        for row in connection.execute(query.where(before.c.page_id.in_(some)))
        if row.access != restricted[row.page_id]
    ]


def _drop_evidences(connection: Connection, page_ids: list[str]) -> list[StaleEntry]:
    evidences, pages = schema.evidences, schema.pages
    dropped: list[StaleEntry] = []
    for some in chunks(page_ids):
        rows = connection.execute(
            select(evidences.c.key, evidences.c.text_hash, pages.c.space)
            .join(pages, pages.c.page_id == evidences.c.page_id)
            .where(evidences.c.page_id.in_(some))
            .order_by(evidences.c.key)
        ).all()
        dropped += [StaleEntry(row.key, row.space) for row in rows]
        list_unchecked(connection, {row.text_hash for row in rows})
        connection.execute(delete(evidences).where(evidences.c.page_id.in_(some)))
    return dropped


def _keep_spaces_and_accesses(connection: Connection, pages: Sequence[IndexedPage]) -> None:
    known = set(connection.scalars(select(schema.spaces.c.key)))
    for space in sorted({indexed.page.space for indexed in pages} - known):
        connection.execute(insert(schema.spaces).values(key=space, source="", synced_at="", last_error=""))
    wanted = {access_id(indexed.page.read_restrictions): indexed.page.read_restrictions for indexed in pages}
    wanted.pop("", None)
    for some in chunks(wanted):
        there = connection.scalars(select(schema.accesses.c.access).where(schema.accesses.c.access.in_(some)))
        for access in sorted(set(some) - set(there)):
            values = {"access": access, "read_restrictions": canonical(wanted[access])}
            connection.execute(insert(schema.accesses).values(values))


def _write_pages(connection: Connection, pages: Sequence[IndexedPage]) -> None:
    table = schema.pages
    versions: dict[str, int] = {}
    for some in chunks([indexed.page.page_id for indexed in pages]):
        query = select(table.c.page_id, table.c.version).where(table.c.page_id.in_(some))
        versions.update((row.page_id, row.version) for row in connection.execute(query))
    for indexed in pages:
        version = versions.get(indexed.page.page_id)
        row = page_row(indexed, (version or 0) + 1)
        if version is None:
            connection.execute(insert(table).values(row))
        else:
            connection.execute(update(table).where(table.c.page_id == indexed.page.page_id).values(row))


def _write_titles(connection: Connection, pages: Sequence[IndexedPage]) -> None:
    table = schema.page_titles
    for some in chunks([indexed.page.page_id for indexed in pages]):
        connection.execute(delete(table).where(table.c.page_id.in_(some)))
    rows = [
        {"page_id": indexed.page.page_id, "title_hash": title_hash(title)}
        for indexed in pages
        for title in sorted({indexed.page.title, *(each.evidence.context.title for each in indexed.evidences)})
    ]
    if rows:
        connection.execute(insert(table), rows)
