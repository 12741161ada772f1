"""Titles of pages, now and before, by which other pages refer to them.

Confluence rewrites what refers to a page when it renames the page, without a new version of the referring pages. Their
stored content has the old title until they change. So a title means the page that has it, or else the one that had it
last. Where this may be wrong, the title is unclear: the pages that name it have to be read again, and which page had it
is forgotten. A title becomes unclear when

- another page gets it: older references mean the page that had it before;
- the page that had it before is removed: references to it were corrected to a title that is not known here;
- a page that was just read names it: the wiki has corrected all references to the page that had it before.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Column, ColumnElement, Connection, Select, delete, func, select

from adapters.store import schema
from adapters.store.statements import Row, hash_title, insert_missing, split_into_chunks, upsert_all
from core.model import PageReference
from core.ports.pages import IndexedPage

_PAGES, _TITLES, _FORMER, _UNCLEAR = schema.pages, schema.page_titles, schema.former_titles, schema.unclear_titles
_REFERENCES, _QUERIES = schema.page_references, schema.page_queries
_NAMED = _TITLES.join(_PAGES, _PAGES.c.page_id == _TITLES.c.page_id)

_FIRST = func.min(_PAGES.c.page_id).label("page_id")  # of several pages with one title: blog posts may share a title


def find_referenced(connection: Connection, references: Collection[PageReference]) -> dict[PageReference, str]:
    """See :meth:`core.ports.pages.PageStore.find_referenced`."""
    wanted = {(reference.space, hash_title(reference.title)): reference for reference in references}
    found: dict[PageReference, str] = {}
    for chunk in split_into_chunks({hashed for _, hashed in wanted}):
        now = select(_PAGES.c.space, _TITLES.c.title_hash, _FIRST).select_from(_NAMED)
        now = now.where(_TITLES.c.title_hash.in_(chunk)).group_by(_PAGES.c.space, _TITLES.c.title_hash)
        before = select(_FORMER.c.space, _FORMER.c.title_hash, _FORMER.c.page_id)
        for query in (now, before.where(_FORMER.c.title_hash.in_(chunk))):
            for row in connection.execute(query):
                if reference := wanted.get((row.space, row.title_hash)):
                    found.setdefault(reference, row.page_id)
    return found


def select_referenced() -> tuple[Select[str, str, str], ...]:
    """Return queries that together select (page id, id of a page that it names, digest of that page), if it is stored.

    The first one finds pages by their titles, the second one those that had them before.
    """
    titled = _REFERENCES.join(_TITLES, _TITLES.c.title_hash == _REFERENCES.c.title_hash).join(
        _PAGES, (_PAGES.c.page_id == _TITLES.c.page_id) & (_PAGES.c.space == _REFERENCES.c.space)
    )
    now = select(_REFERENCES.c.page_id.label("including"), _FIRST).select_from(titled)
    named = now.group_by(_REFERENCES.c.page_id, _REFERENCES.c.position).subquery()
    has_it = (_FORMER.c.title_hash == _REFERENCES.c.title_hash) & (_FORMER.c.space == _REFERENCES.c.space)
    another = (_TITLES.c.title_hash == _REFERENCES.c.title_hash) & (_PAGES.c.space == _REFERENCES.c.space)
    is_free = ~select(_TITLES.c.page_id).select_from(_NAMED).where(another).correlate(_REFERENCES).exists()
    before = select(_REFERENCES.c.page_id, _PAGES.c.page_id, _PAGES.c.digest).where(is_free)
    return (
        select(named.c.including, _PAGES.c.page_id, _PAGES.c.digest).select_from(
            named.join(_PAGES, _PAGES.c.page_id == named.c.page_id)
        ),
        before.select_from(_REFERENCES.join(_FORMER, has_it).join(_PAGES, _PAGES.c.page_id == _FORMER.c.page_id)),
    )


def select_named(space: ColumnElement[str], hashed: ColumnElement[str]) -> ColumnElement[str]:
    """Select the id of the page that has this title in a space, or else had it before."""
    now = select(_FIRST).select_from(_NAMED).where(_PAGES.c.space == space, _TITLES.c.title_hash == hashed)
    before = select(_FORMER.c.page_id).where(_FORMER.c.space == space, _FORMER.c.title_hash == hashed)
    return func.coalesce(now.scalar_subquery(), before.scalar_subquery())


def list_unclear_titles(connection: Connection, space: str) -> tuple[str, ...]:
    """Return the hashes of the unclear titles of a space (see :class:`core.ports.pages.UnclearNames`)."""
    query = select(_UNCLEAR.c.title_hash).where(_UNCLEAR.c.space == space)
    return tuple(connection.scalars(query.order_by(_UNCLEAR.c.title_hash)))


def forget_unclear(connection: Connection, space: str, titles: Collection[str]) -> None:
    """See :meth:`core.ports.pages.PageStore.forget_unclear`."""
    for chunk in split_into_chunks(titles):
        for table in (_FORMER, _UNCLEAR):
            connection.execute(delete(table).where(table.c.space == space, table.c.title_hash.in_(chunk)))


def note_reused_titles(connection: Connection, page_ids: Collection[str]) -> None:
    """Note the titles that one of these pages has or had while another page had or has them."""
    both = (_TITLES.c.title_hash == _FORMER.c.title_hash) & (_TITLES.c.page_id != _FORMER.c.page_id)
    joined = _FORMER.join(_TITLES, both).join(
        _PAGES, (_PAGES.c.page_id == _TITLES.c.page_id) & (_PAGES.c.space == _FORMER.c.space)
    )
    query = select(_FORMER.c.space, _FORMER.c.title_hash).select_from(joined)
    for chunk in split_into_chunks(page_ids):
        for column in (_TITLES.c.page_id, _FORMER.c.page_id):
            _note_selected(connection, query.where(column.in_(chunk)))


def note_titles_of_removed(connection: Connection, page_ids: Collection[str]) -> None:
    """Note the titles that these pages had before. Call this before the pages are removed."""
    query = select(_FORMER.c.space, _FORMER.c.title_hash)
    for chunk in split_into_chunks(page_ids):
        _note_selected(connection, query.where(_FORMER.c.page_id.in_(chunk)))


def find_naming_former(connection: Connection, page_ids: Collection[str]) -> list[str]:
    """See :meth:`core.ports.pages.PageStore.find_naming_former`."""
    found: set[str] = set()
    for page_id, space, hashed in list_name_columns():
        named = (_FORMER.c.space == space) & (_FORMER.c.title_hash == hashed)
        found.update(connection.scalars(select(page_id).select_from(_FORMER.join(page_id.table, named))))
    return sorted(found & set(page_ids))


def note_unclear(connection: Connection, names: Collection[PageReference]) -> None:
    """See :meth:`core.ports.pages.PageStore.note_unclear`."""
    wanted = {(name.space, hash_title(name.title)) for name in names}
    query = select(_FORMER.c.space, _FORMER.c.title_hash)
    for chunk in split_into_chunks({hashed for _, hashed in wanted}):
        found = connection.execute(query.where(_FORMER.c.title_hash.in_(chunk)))
        _insert_unclear(connection, wanted & {(row.space, row.title_hash) for row in found})


def _note_selected(connection: Connection, query: Select[str, str]) -> None:
    _insert_unclear(connection, {(row.space, row.title_hash) for row in connection.execute(query)})


def _insert_unclear(connection: Connection, titles: Collection[tuple[str, str]]) -> None:
    insert_missing(connection, _UNCLEAR, [{"space": space, "title_hash": hashed} for space, hashed in sorted(titles)])


def list_name_columns() -> tuple[tuple[Column[str], Column[str], Column[str]], ...]:
    """Return the columns with the ids of pages that name others, and the spaces and titles that they name.

    Those of queries are empty where a query names no page.
    """
    return (
        (_REFERENCES.c.page_id, _REFERENCES.c.space, _REFERENCES.c.title_hash),
        (_QUERIES.c.page_id, _QUERIES.c.root_space, _QUERIES.c.root_title_hash),
    )


def remember_titles(connection: Connection, indexed: Sequence[IndexedPage]) -> None:
    """Store the titles that pages lose by being replaced by these. Call this before the pages are replaced."""
    kept = {(each.page.page_id, each.page.space, hashed) for each in indexed for hashed in _hash_titles(each)}
    former: dict[tuple[str, str], Row] = {}
    for chunk in split_into_chunks(sorted({each.page.page_id for each in indexed})):
        query = select(_PAGES.c.page_id, _PAGES.c.space, _TITLES.c.title_hash).select_from(_NAMED)
        for row in connection.execute(query.where(_PAGES.c.page_id.in_(chunk)).order_by(_PAGES.c.page_id)).mappings():
            if (row["page_id"], row["space"], row["title_hash"]) not in kept:
                former[row["space"], row["title_hash"]] = dict(row)
    upsert_all(connection, _FORMER, [former[key] for key in sorted(former)], ("page_id",))


def write_titles(connection: Connection, indexed: Sequence[IndexedPage]) -> None:
    """Replace the titles of pages by those that they have now."""
    for chunk in split_into_chunks([each.page.page_id for each in indexed]):
        connection.execute(delete(_TITLES).where(_TITLES.c.page_id.in_(chunk)))
    rows = [{"page_id": each.page.page_id, "title_hash": hashed} for each in indexed for hashed in _hash_titles(each)]
    insert_missing(connection, _TITLES, rows)


def _hash_titles(indexed: IndexedPage) -> list[str]:
    """Return the hashes of a page's title as it is, and as its evidences have it."""
    titles = {indexed.page.title, *(each.evidence.context.title for each in indexed.evidences)}
    return [hash_title(title) for title in sorted(titles)]
