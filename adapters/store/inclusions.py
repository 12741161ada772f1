"""What pages show of others, which goes with every replacement of these others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from adapters.store import schema
from adapters.store.page_queries import FIRST, Shown, list_asked_for, query_columns
from adapters.store.rows import Row, chunks, join_ids, title_hash
from core.model import PageReference
from core.ports.store import IndexedPage

_PAGES, _TITLES, _EVIDENCES = schema.pages, schema.page_titles, schema.evidences
_REFERENCES, _QUERIES, _ORIGINS = schema.page_references, schema.page_queries, schema.page_origins
_LABELS = schema.page_labels
_NAMED = _TITLES.join(_PAGES, _PAGES.c.page_id == _TITLES.c.page_id)

_AT_ONCE = 1_000  # rows of page_origins in memory

_SAME_PAGES = (_ORIGINS.c.page_id == _EVIDENCES.c.page_id) & (_ORIGINS.c.origin == _EVIDENCES.c.origin)
SAME_ORIGIN = _SAME_PAGES & (_ORIGINS.c.via == _EVIDENCES.c.via)
ENTRY_ACCESS = func.coalesce(_ORIGINS.c.access, _PAGES.c.access).label("access")
"""Of an evidence's index entry, where ``page_origins`` is joined by ``SAME_ORIGIN``."""


def find_referenced(connection: Connection, references: Collection[PageReference]) -> dict[PageReference, str]:
    """See :meth:`core.ports.store.PageStore.find_referenced`."""
    wanted = {(reference.space, title_hash(reference.title)): reference for reference in references}
    found: dict[PageReference, str] = {}
    for some in chunks({hashed for _, hashed in wanted}):
        query = select(_PAGES.c.space, _TITLES.c.title_hash, FIRST).select_from(_NAMED)
        query = query.where(_TITLES.c.title_hash.in_(some)).group_by(_PAGES.c.space, _TITLES.c.title_hash)
        for row in connection.execute(query):
            if reference := wanted.get((row.space, row.title_hash)):
                found[reference] = row.page_id
    return found


def find_including(connection: Connection, source: str, space: str) -> list[str]:
    """See :meth:`core.ports.store.PageStore.find_including`."""
    there, made = _list_there(connection), _list_made(connection)
    outdated = {page_id for page_id, shown in made if _unite(page_id, there.pop(page_id, ())) != shown}
    outdated |= {page_id for page_id, shown in there.items() if _unite(page_id, shown)}
    ours = select(_PAGES.c.page_id).join(schema.spaces, schema.spaces.c.key == _PAGES.c.space)
    ours = ours.where((schema.spaces.c.source == source) | (schema.spaces.c.key == space))
    found: list[str] = []
    for some in chunks(sorted(outdated)):
        found += connection.scalars(ours.where(_PAGES.c.page_id.in_(some)).order_by(_PAGES.c.page_id))
    return found


def _list_there(connection: Connection) -> dict[str, list[Shown]]:
    """What pages name and ask for, as it is now. Those that ask for the same share one set: both may be thousands."""
    there, named = defaultdict[str, list[Shown]](list), defaultdict[str, Shown](set)
    for page_id, origin, digest in connection.execute(_select_named()):
        named[page_id].add((origin, digest))
    for page_id, shown in named.items():
        there[page_id].append(shown)
    for page_ids, shown in list_asked_for(connection):
        for page_id in page_ids:
            there[page_id].append(shown)
    return there


def _list_made(connection: Connection) -> Iterator[tuple[str, Shown]]:
    """Pages with what they were made from, one after the other: together that may be millions of rows."""
    query = select(_ORIGINS.c.page_id, _ORIGINS.c.origin, _ORIGINS.c.digest).order_by(_ORIGINS.c.page_id)
    rows = connection.execute(query.execution_options(yield_per=_AT_ONCE))
    for page_id, of_one in groupby(rows, key=lambda row: row.page_id):
        yield page_id, {(row.origin, row.digest) for row in of_one}


def _unite(page_id: str, shown: Collection[Shown]) -> Shown:
    """What a page shows of others."""
    return {each for some in shown for each in some if each[0] != page_id}


def _select_named() -> Select[str, str, str]:
    """Pages with those that they name, as far as these are stored, and their digests."""
    named = (
        select(_REFERENCES.c.page_id.label("including"), FIRST)
        .select_from(_REFERENCES.join(_TITLES, _TITLES.c.title_hash == _REFERENCES.c.title_hash))
        .join(_PAGES, (_PAGES.c.page_id == _TITLES.c.page_id) & (_PAGES.c.space == _REFERENCES.c.space))
        .group_by(_REFERENCES.c.page_id, _REFERENCES.c.position)
        .subquery()
    )
    joined = named.join(_PAGES, _PAGES.c.page_id == named.c.page_id)
    return select(named.c.including, _PAGES.c.page_id, _PAGES.c.digest).select_from(joined)


def lock_pages(connection: Connection, page_ids: Collection[str]) -> None:
    """Lets nobody begin to show these pages until the transaction ends; in SQLite there is one writer at a time."""
    for some in chunks(sorted(page_ids)):
        query = select(_PAGES.c.page_id).where(_PAGES.c.page_id.in_(some))
        connection.execute(query.order_by(_PAGES.c.page_id).with_for_update())


def list_including(connection: Connection, origins: Collection[str]) -> set[str]:
    """The ids of the pages that show something of these."""
    found: set[str] = set()
    for some in chunks(origins):
        found.update(connection.scalars(select(_ORIGINS.c.page_id).where(_ORIGINS.c.origin.in_(some))))
    return found


def note_replaced(connection: Connection, origins: Collection[str]) -> None:
    """Notes that what was made from these pages is gone."""
    for some in chunks(origins):
        connection.execute(update(_ORIGINS).where(_ORIGINS.c.origin.in_(some)).values(digest=""))


def forget_origins(connection: Connection, origins: Collection[str]) -> None:
    """Removes what is kept of pages as origins: they are not there any more."""
    for some in chunks(origins):
        connection.execute(delete(_ORIGINS).where(_ORIGINS.c.origin.in_(some)))


def write_inclusions(connection: Connection, indexed: Sequence[IndexedPage]) -> set[tuple[str, str]]:
    """Writes what pages show of others. Returns pairs of page and origin where the origin is another version by now."""
    page_ids = [each.page.page_id for each in indexed]
    for table in (_REFERENCES, _QUERIES, _LABELS, _ORIGINS):
        for some in chunks(page_ids):
            connection.execute(delete(table).where(table.c.page_id.in_(some)))
    named: list[Row] = [
        {
            "page_id": each.page.page_id,
            "position": at,
            "space": reference.space,
            "title_hash": title_hash(reference.title),
        }
        for each in indexed
        for at, reference in enumerate(each.references)
    ]
    asked: list[Row] = [
        {"page_id": each.page.page_id, "position": at, **query_columns(query)}
        for each in indexed
        for at, query in enumerate(each.queries)
    ]
    labelled: list[Row] = [
        {"page_id": each.page.page_id, "label": label}
        for each in indexed
        for label in sorted({label.lower() for label in each.page.labels})
    ]
    made = [row for each in indexed for row in _origin_rows(each)]
    for table, rows in ((_REFERENCES, named), (_QUERIES, asked), (_LABELS, labelled), (_ORIGINS, made)):
        if rows:
            connection.execute(insert(table), rows)
    current: dict[str, str] = {}
    for some in chunks(sorted({row["origin"] for row in made})):
        query = select(_PAGES.c.page_id, _PAGES.c.digest).where(_PAGES.c.page_id.in_(some)).order_by(_PAGES.c.page_id)
        current.update((row.page_id, row.digest) for row in connection.execute(query.with_for_update(read=True)))
    return {(row["page_id"], row["origin"]) for row in made if current.get(row["origin"]) != row["digest"]}


def _origin_rows(indexed: IndexedPage) -> Iterator[Row]:
    """The rows of ``page_origins``: a row for each way over which text may come."""
    origins = indexed.origins
    ways: dict[tuple[str, ...], str] = {(page_id,): each.access for page_id, each in origins.items()}
    for way, access in (ways | dict(indexed.ways)).items():
        digest = origins[way[-1]].digest
        own = {"page_id": indexed.page.page_id, "origin": way[-1], "via": join_ids(way[:-1])}
        yield {**own, "digest": digest, "access": access}
