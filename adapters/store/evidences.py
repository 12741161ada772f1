"""The reading side: what a scope may see (see :class:`core.ports.EvidenceStore`)."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, RowMapping, func, select

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.rows import chunks, evidence_of, restrictions_of
from core.model import Evidence, Scope
from core.ports import NamedPage, Reach


class SqlEvidenceStore:
    """Evidences in the SQL database, read inside a scope."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def reach(self, scope: Scope) -> Reach:
        """The scope's spaces that are in the store, and the read restrictions in them that its principals satisfy."""
        return await self._database.reading(lambda connection: _reach(connection, scope))

    async def current(self, keys: Collection[str], scope: Scope) -> dict[str, Evidence]:
        """Key to evidence for those keys that are current and that the scope admits; others are left out."""
        return await self._database.reading(lambda connection: _current(connection, keys, scope))

    async def pages_of(self, keys: Collection[str], scope: Scope) -> dict[str, NamedPage]:
        """Key to page for the same keys."""
        return await self._database.reading(lambda connection: _pages_of(connection, keys, scope))

    async def has_page(self, title: str, scope: Scope) -> bool:
        """Whether the scope admits a page of exactly this title."""
        return await self._database.reading(lambda connection: _has_page(connection, title, scope))

    async def visible(self, page_ids: Collection[str], scope: Scope) -> frozenset[str]:
        """Those of the pages that are there now and that the scope admits."""
        return await self._database.reading(lambda connection: visible_pages(connection, page_ids, scope))


# All of an evidence but its index entry: this is read for every candidate of every question.
_SHOWN = tuple(
    schema.evidences.c[name]
    for name in ("key", "evidence_id", "page_id", "kind", "ordinal", "text", "context", "url", "parts", "rows")
)


# Distinct before the restrictions are joined: PostgreSQL compares no JSON.
_USED = select(schema.pages.c.space, schema.pages.c.access).distinct().subquery()
_RESTRICTED = select(_USED.c.space, schema.accesses.c.access, schema.accesses.c.read_restrictions).join(
    schema.accesses, schema.accesses.c.access == _USED.c.access
)


def _reach(connection: Connection, scope: Scope) -> Reach:
    stored = connection.scalars(select(schema.spaces.c.key))
    spaces = tuple(sorted(key for key in stored if scope.admits(key, ())))
    return Reach(
        spaces,
        frozenset(
            row.access
            for row in connection.execute(_RESTRICTED)
            if scope.admits(row.space, restrictions_of(row.read_restrictions))
        ),
    )


def _current(connection: Connection, keys: Collection[str], scope: Scope) -> dict[str, Evidence]:
    evidences, pages, accesses = schema.evidences, schema.pages, schema.accesses
    found: dict[str, Evidence] = {}
    for some in chunks(keys):
        query = (
            select(*_SHOWN, pages.c.space, pages.c.access, accesses.c.read_restrictions)
            .join(pages, pages.c.page_id == evidences.c.page_id)
            .outerjoin(accesses, accesses.c.access == pages.c.access)
            .where(evidences.c.key.in_(some))
        )
        for row in connection.execute(query).mappings():
            if _admits(scope, row):
                found[row["key"]] = evidence_of(row)
    return found


_TITLE = schema.evidences.c.context["title"].as_string()  # tidied, as people read it; the page's own may not be


def _pages_of(connection: Connection, keys: Collection[str], scope: Scope) -> dict[str, NamedPage]:
    evidences, pages, accesses = schema.evidences, schema.pages, schema.accesses
    found: dict[str, NamedPage] = {}
    for some in chunks(keys):
        # A row a page, not one an evidence: at every row the driver gives up Python's lock, and has to get it back.
        query = (
            select(
                *(pages.c.page_id, pages.c.url, pages.c.space, pages.c.access, accesses.c.read_restrictions),
                func.min(_TITLE).label("title"),
                func.aggregate_strings(evidences.c.key, _BETWEEN).label("keys"),
            )
            .join(pages, pages.c.page_id == evidences.c.page_id)
            .outerjoin(accesses, accesses.c.access == pages.c.access)
            .where(evidences.c.key.in_(some))
            .group_by(pages.c.page_id, accesses.c.access)
        )
        for row in connection.execute(query).mappings():
            if _admits(scope, row):
                page = NamedPage(row["page_id"], row["title"], row["url"].partition("#")[0])
                found |= dict.fromkeys(row["keys"].split(_BETWEEN), page)
    return found


_BETWEEN = "\n"  # keys, none of which has it


def _has_page(connection: Connection, title: str, scope: Scope) -> bool:
    evidences, pages, accesses = schema.evidences, schema.pages, schema.accesses
    query = select(pages.c.space, pages.c.access, accesses.c.read_restrictions).outerjoin(
        accesses, accesses.c.access == pages.c.access
    )
    tidied = pages.c.page_id.in_(select(evidences.c.page_id).where(title == _TITLE))
    return any(
        _admits(scope, row)
        for named in (pages.c.title == title, tidied)  # the second reads far more, and hardly ever has to
        for row in connection.execute(query.where(named)).mappings()
    )


def visible_pages(
    connection: Connection, page_ids: Collection[str], scope: Scope, lock: bool = False
) -> frozenset[str]:
    """See :meth:`SqlEvidenceStore.visible`. ``lock``: whether that is to stay so until the transaction ends."""
    pages, accesses = schema.pages, schema.accesses
    found: set[str] = set()
    for some in chunks(page_ids):
        query = (
            select(pages.c.page_id, pages.c.space, pages.c.access, accesses.c.read_restrictions)
            .outerjoin(accesses, accesses.c.access == pages.c.access)
            .where(pages.c.page_id.in_(some))
        )
        if lock:  # in PostgreSQL; SQLite has one writer at a time
            query = query.with_for_update(read=True, of=pages)
        found |= {row["page_id"] for row in connection.execute(query).mappings() if _admits(scope, row)}
    return frozenset(found)


def _admits(scope: Scope, row: RowMapping) -> bool:
    if row["access"] and row["read_restrictions"] is None:
        return False  # restricted, but to whom is not known: nobody
    return scope.admits(row["space"], restrictions_of(row["read_restrictions"] or []))
