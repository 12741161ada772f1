"""What a scope may see."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, RowMapping, func, select

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.rows import chunks, evidence_of, facts_of, restrictions_of, title_hash
from core.evidence.extract import tidy_title
from core.evidence.facts import make_facts_evidence
from core.model import Evidence, EvidenceKind, Scope
from core.ports.indexes import AccessFilter
from core.ports.store import NamedPage

Restrictions = tuple[frozenset[str], ...]

_MOST_KNOWN = 100_000
_BETWEEN = "\n"  # keys, none of which has it
_TITLE = schema.evidences.c.context["title"].as_string()  # tidied, as people read it; the page's own may not be
# All of an evidence but its index entry: this is read for every candidate of every question.
_SHOWN = tuple(
    schema.evidences.c[name]
    for name in (
        "key",
        "evidence_id",
        "page_id",
        "kind",
        "ordinal",
        "text",
        "context",
        "url",
        "parts",
        "rows",
        "structure",
        "people",
        "thread",
    )
)

_COUNTABLE: tuple[EvidenceKind, ...] = ("table", "list")
_WHOLE: tuple[EvidenceKind, ...] = ("passage", "list", "table")  # without rows, which are also parts of tables

_ACCESS = (schema.pages.c.space, schema.pages.c.access, schema.accesses.c.read_restrictions)
"""The columns by which :func:`_admits` decides."""

_SAME_ACCESS = schema.accesses.c.access == schema.pages.c.access
_PAGES = schema.pages.outerjoin(schema.accesses, _SAME_ACCESS)
_EVIDENCES = schema.evidences.join(schema.pages, schema.pages.c.page_id == schema.evidences.c.page_id).outerjoin(
    schema.accesses, _SAME_ACCESS
)
_SELECT = select(*_SHOWN, *_ACCESS).select_from(_EVIDENCES)
_USED = select(schema.page_counts.c.space, schema.page_counts.c.access).where(schema.page_counts.c.access != "")


class SqlEvidenceStore:
    """See :class:`core.ports.store.EvidenceStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # By access, which is a hash of them: what is known stays true, and every search asks for all of them.
        self._restrictions: dict[str, Restrictions] = {}

    async def reach(self, scope: Scope) -> AccessFilter:
        """The scope's spaces that are in the store, and the read restrictions in them that its principals satisfy."""
        if len(self._restrictions) > _MOST_KNOWN:
            self._restrictions = {}
        known = self._restrictions
        return await self._database.run_read(lambda connection: _reach(connection, scope, known))

    async def current(self, keys: Collection[str], scope: Scope) -> dict[str, Evidence]:
        return await self._database.run_read(lambda connection: _current(connection, keys, scope))

    async def pages_of(self, keys: Collection[str], scope: Scope) -> dict[str, NamedPage]:
        return await self._database.run_read(lambda connection: _pages_of(connection, keys, scope))

    async def has_page(self, title: str, scope: Scope) -> bool:
        return await self._database.run_read(lambda connection: _has_page(connection, title, scope))

    async def tables_and_lists(self, page_ids: Collection[str], scope: Scope) -> list[Evidence]:
        return await self._database.run_read(lambda connection: _of_pages(connection, page_ids, _COUNTABLE, scope))

    async def page_texts(self, page_ids: Collection[str], scope: Scope) -> list[Evidence]:
        return await self._database.run_read(lambda connection: _of_pages(connection, page_ids, _WHOLE, scope))

    async def page_facts(self, page_ids: Collection[str], titles: Collection[str], scope: Scope) -> list[Evidence]:
        return await self._database.run_read(lambda connection: _page_facts(connection, page_ids, titles, scope))

    async def visible(self, page_ids: Collection[str], scope: Scope) -> frozenset[str]:
        return await self._database.run_read(lambda connection: visible_pages(connection, page_ids, scope))


def _reach(connection: Connection, scope: Scope, known: dict[str, Restrictions]) -> AccessFilter:
    """``known``: restrictions that were read before; those that this scope needs are added."""
    stored = connection.scalars(select(schema.spaces.c.key))
    spaces = tuple(sorted(key for key in stored if scope.admits(key, ())))
    if not scope.principals or not spaces:
        return AccessFilter(spaces)  # whoever is nobody satisfies no restriction
    used = [(row.space, row.access) for row in connection.execute(_USED) if scope.admits(row.space, ())]
    table = schema.accesses
    for some in chunks({access for _, access in used} - known.keys()):
        for row in connection.execute(select(table).where(table.c.access.in_(some))):
            known[row.access] = restrictions_of(row.read_restrictions)
    admitted = {access for space, access in used if access in known and scope.admits(space, known[access])}
    return AccessFilter(spaces, frozenset(admitted))


def _current(connection: Connection, keys: Collection[str], scope: Scope) -> dict[str, Evidence]:
    found: dict[str, Evidence] = {}
    for some in chunks(keys):
        query = _SELECT.where(schema.evidences.c.key.in_(some))
        for row in connection.execute(query).mappings():
            if _admits(scope, row):
                found[row["key"]] = evidence_of(row)
    return found


def _of_pages(
    connection: Connection, page_ids: Collection[str], kinds: Collection[EvidenceKind], scope: Scope
) -> list[Evidence]:
    own = schema.evidences.c
    found: list[Evidence] = []
    for some in chunks(page_ids):
        query = _SELECT.where(own.page_id.in_(some), own.kind.in_(kinds))
        rows = connection.execute(query.order_by(own.page_id, own.ordinal)).mappings()
        found += [evidence_of(row) for row in rows if _admits(scope, row)]
    return found


def _page_facts(
    connection: Connection, page_ids: Collection[str], titles: Collection[str], scope: Scope
) -> list[Evidence]:
    pages, named = schema.pages, schema.page_titles
    wanted = set(page_ids)
    for some in chunks({title_hash(title) for title in titles}):
        wanted.update(connection.scalars(select(named.c.page_id).where(named.c.title_hash.in_(some))))
    found: list[Evidence] = []
    for some in chunks(sorted(wanted)):
        columns = (pages.c.page_id, pages.c.title, pages.c.url, pages.c.facts, *_ACCESS)
        query = select(*columns).select_from(_PAGES).where(pages.c.page_id.in_(some)).order_by(pages.c.page_id)
        for row in connection.execute(query).mappings():
            place = (row["page_id"], row["space"], tidy_title(row["title"]), row["url"])
            if _admits(scope, row) and (evidence := make_facts_evidence(*place, facts_of(row["facts"]))):
                found.append(evidence)
    return found


def _pages_of(connection: Connection, keys: Collection[str], scope: Scope) -> dict[str, NamedPage]:
    evidences, pages = schema.evidences, schema.pages
    found: dict[str, NamedPage] = {}
    for some in chunks(keys):
        # A row a page, not one an evidence: at every row the driver gives up Python's lock, and has to get it back.
        query = (
            select(
                *(pages.c.page_id, pages.c.url, *_ACCESS),
                func.min(_TITLE).label("title"),
                func.aggregate_strings(evidences.c.key, _BETWEEN).label("keys"),
            )
            .select_from(_EVIDENCES)
            .where(evidences.c.key.in_(some))
            .group_by(pages.c.page_id, schema.accesses.c.access)
        )
        for row in connection.execute(query).mappings():
            if _admits(scope, row):
                page = NamedPage(row["page_id"], row["title"], row["url"].partition("#")[0])
                found |= dict.fromkeys(row["keys"].split(_BETWEEN), page)
    return found


def _has_page(connection: Connection, title: str, scope: Scope) -> bool:
    titles, pages = schema.page_titles, schema.pages
    of_titles = pages.join(titles, titles.c.page_id == pages.c.page_id).outerjoin(schema.accesses, _SAME_ACCESS)
    query = select(*_ACCESS).select_from(of_titles).where(titles.c.title_hash == title_hash(title))
    return any(_admits(scope, row) for row in connection.execute(query).mappings())


def visible_pages(
    connection: Connection, page_ids: Collection[str], scope: Scope, lock: bool = False
) -> frozenset[str]:
    """See :meth:`SqlEvidenceStore.visible`. ``lock``: whether that is to stay so until the transaction ends."""
    pages = schema.pages
    found: set[str] = set()
    for some in chunks(page_ids):
        query = select(pages.c.page_id, *_ACCESS).select_from(_PAGES).where(pages.c.page_id.in_(some))
        if lock:  # in PostgreSQL; SQLite has one writer at a time
            query = query.with_for_update(read=True, of=pages)
        found |= {row["page_id"] for row in connection.execute(query).mappings() if _admits(scope, row)}
    return frozenset(found)


def _admits(scope: Scope, row: RowMapping) -> bool:
    if row["access"] and row["read_restrictions"] is None:
        return False  # restricted, but to whom is not known: nobody
    return scope.admits(row["space"], restrictions_of(row["read_restrictions"] or []))
