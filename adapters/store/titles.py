"""Titles of pages, now and before, by which other pages refer to them.

Confluence rewrites what refers to a page when it renames the page, without a new version of the referring pages. Their
stored content has the old title until they change. So a title means the page that has it, or else the one that had it
last.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, Connection, Select, delete, func, select

from adapters.store import schema
from adapters.store.rows import Row, hash_title, insert_missing, split_into_chunks, upsert_all
from core.model import PageReference
from core.ports.store import IndexedPage

_PAGES, _TITLES, _FORMER = schema.pages, schema.page_titles, schema.former_titles
_REFERENCES = schema.page_references
_NAMED = _TITLES.join(_PAGES, _PAGES.c.page_id == _TITLES.c.page_id)

_FIRST = func.min(_PAGES.c.page_id).label("page_id")  # of several pages with one title: blog posts may share a title


def find_referenced(connection: Connection, references: Collection[PageReference]) -> dict[PageReference, str]:
    """See :meth:`core.ports.store.PageStore.find_referenced`."""
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


def find_reused_titles(connection: Connection, space: str) -> list[str]:
    """Return the hashes of the titles that pages of a space have and other pages had before."""
    return list(connection.scalars(_select_reused(space)))


def forget_reused(connection: Connection, space: str) -> None:
    """See :meth:`core.ports.store.PageStore.forget_reused`."""
    reused = _FORMER.c.title_hash.in_(_select_reused(space))
    connection.execute(delete(_FORMER).where(_FORMER.c.space == space, reused))


def _select_reused(space: str) -> Select[str]:
    has_it = (_TITLES.c.title_hash == _FORMER.c.title_hash) & (_TITLES.c.page_id != _FORMER.c.page_id)
    joined = _FORMER.join(_TITLES, has_it).join(_PAGES, _PAGES.c.page_id == _TITLES.c.page_id)
    return select(_FORMER.c.title_hash).select_from(joined).where(_FORMER.c.space == space, _PAGES.c.space == space)


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
