"""Inclusions: which pages show text of which others, and which pages are outdated because of that."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import Connection, delete, func, insert, select, update

from adapters.store import schema
from adapters.store.statements import Row, hash_title, split_into_chunks
from adapters.store.wiki.page_queries import Shown, list_asked_for, make_query_columns, mark_shown, mark_version
from adapters.store.wiki.page_rows import join_ids
from adapters.store.wiki.titles import list_name_columns, list_unclear_titles, select_named, select_referenced
from core.model import LinkTarget
from core.ports.pages import MOST_LINKED, IndexedPage, UnclearNames

_PAGES, _EVIDENCES = schema.pages, schema.evidences
_REFERENCES, _QUERIES, _ORIGINS = schema.page_references, schema.page_queries, schema.page_origins
_LABELS, _TITLES, _LINKS = schema.page_labels, schema.page_titles, schema.page_links

_SAME_PAGES = (_ORIGINS.c.page_id == _EVIDENCES.c.page_id) & (_ORIGINS.c.origin == _EVIDENCES.c.origin)
SAME_ORIGIN = _SAME_PAGES & (_ORIGINS.c.via == _EVIDENCES.c.via)
ENTRY_ACCESS = func.coalesce(_ORIGINS.c.access, _PAGES.c.access).label("access")
"""The access of an evidence's index entry, in a query that joins ``page_origins`` by ``SAME_ORIGIN``."""


@dataclass(frozen=True, slots=True)
class _Sum:
    """A checksum of the pages that a page shows: their number, and the sum of the marks of their versions.

    A page that is shown in several ways has a mark for each, so that none of them is overlooked.
    """

    pages: int = 0
    marks: int = 0


_NONE = _Sum()


def find_outdated_inclusions(connection: Connection, wiki_name: str, space: str) -> list[str]:
    """See :meth:`core.ports.pages.PageStore.find_outdated_inclusions`."""
    there, made = _sum_current(connection), _sum_stored(connection)
    outdated = {
        page_id for page_id in there.keys() | made.keys() if there.get(page_id, _NONE) != made.get(page_id, _NONE)
    }
    return _filter_by_wiki(connection, outdated, wiki_name, space)


def find_linked(connection: Connection, wiki_name: str, space: str) -> list[LinkTarget]:
    """See :meth:`core.ports.pages.PageStore.find_linked`."""
    query = select(_LINKS.c.page_id, _LINKS.c.target, _LINKS.c.kind).where(_LINKS.c.space == space)
    found = connection.execute(query).all()
    ours = set(_filter_by_wiki(connection, {row.page_id for row in found}, wiki_name, space))
    targets = {LinkTarget(row.target, row.kind, space) for row in found if row.page_id in ours}
    stored = set(connection.scalars(select(_PAGES.c.page_id).where(_PAGES.c.space == space)))
    # What is stored comes first: a new link must not make an older one's target look as if it were deleted.
    return sorted(targets, key=lambda target: (target.page_id not in stored, target))[:MOST_LINKED]


def find_naming(connection: Connection, wiki_name: str, space: str) -> list[str]:
    """See :meth:`core.ports.pages.PageStore.find_naming`."""
    here = (
        select(_TITLES.c.title_hash).join(_PAGES, _PAGES.c.page_id == _TITLES.c.page_id).where(_PAGES.c.space == space)
    )
    naming: set[str] = set()
    for page_id, key, hashed in list_name_columns():
        may_have_moved = (key != "") & hashed.in_(here) & select_named(key, hashed).is_(None)
        naming.update(connection.scalars(select(page_id).where((key == space) | may_have_moved)))
    return _filter_by_wiki(connection, naming, wiki_name, space)


def find_unclear(connection: Connection, wiki_name: str, space: str) -> UnclearNames:
    """See :meth:`core.ports.pages.PageStore.find_unclear`."""
    titles = list_unclear_titles(connection, space)
    naming = {
        each
        for chunk in split_into_chunks(titles)
        for page_id, key, hashed in list_name_columns()
        for each in connection.scalars(select(page_id).where(key == space, hashed.in_(chunk)))
    }
    return UnclearNames(titles, tuple(_filter_by_wiki(connection, naming, wiki_name, space)))


def _filter_by_wiki(connection: Connection, page_ids: Collection[str], wiki_name: str, space: str) -> list[str]:
    """Return those of the pages that are from a wiki or in a space, whose wiki may be unknown yet, by id."""
    ours = select(_PAGES.c.page_id).join(schema.spaces, schema.spaces.c.key == _PAGES.c.space)
    ours = ours.where((schema.spaces.c.source == wiki_name) | (schema.spaces.c.key == space))
    found: list[str] = []
    for chunk in split_into_chunks(sorted(page_ids)):
        found += connection.scalars(ours.where(_PAGES.c.page_id.in_(chunk)).order_by(_PAGES.c.page_id))
    return found


def _sum_current(connection: Connection) -> dict[str, _Sum]:
    """Return page id to the checksum of the pages that it names and asks for, in their current versions."""
    named, asked = defaultdict[str, Shown](dict), defaultdict[str, list[int]](list)
    for query in select_referenced():
        for page_id, origin, digest in connection.execute(query):
            named[page_id][origin] = mark_version(origin, digest)
    each_asked_for: list[Shown] = []
    for page_ids, shown in list_asked_for(connection):
        for page_id in page_ids:
            asked[page_id].append(len(each_asked_for))
        each_asked_for.append(shown)

    @cache  # a thousand pages may ask for the same thousand pages
    def unite(numbers: tuple[int, ...]) -> tuple[Mapping[str, int], int]:
        united = Counter[str]()
        for number in numbers:
            united.update(each_asked_for[number])
        return united, united.total()

    there: dict[str, _Sum] = {}
    for page_id in named.keys() | asked.keys():
        united, marks = unite(tuple(asked[page_id]))
        own = united.get(page_id)
        others = {origin: mark for origin, mark in named[page_id].items() if origin != page_id}
        pages = len(united) + len(others.keys() - united.keys()) - (own is not None)
        there[page_id] = _Sum(pages, marks + sum(others.values()) - (own or 0))
    return there


def _sum_stored(connection: Connection) -> dict[str, _Sum]:
    """Return page id to the checksum of the pages that its evidences were made from.

    The database computes the sums, because there may be millions of rows.
    """
    query = select(_ORIGINS.c.page_id, func.count(), func.sum(_ORIGINS.c.mark)).group_by(_ORIGINS.c.page_id)
    direct = query.where(_ORIGINS.c.via == "")  # each origin has one such row
    return {page_id: _Sum(pages, int(marks)) for page_id, pages, marks in connection.execute(direct)}


def lock_pages(connection: Connection, page_ids: Collection[str]) -> None:
    """Prevent other transactions from including these pages until this one ends. SQLite has one writer anyway."""
    for chunk in split_into_chunks(sorted(page_ids)):
        query = select(_PAGES.c.page_id).where(_PAGES.c.page_id.in_(chunk))
        connection.execute(query.order_by(_PAGES.c.page_id).with_for_update())


def list_including(connection: Connection, origins: Collection[str]) -> set[str]:
    """Return the ids of the pages that include text of these."""
    found: set[str] = set()
    for chunk in split_into_chunks(origins):
        found.update(connection.scalars(select(_ORIGINS.c.page_id).where(_ORIGINS.c.origin.in_(chunk))))
    return found


def reset_marks(connection: Connection, origins: Collection[str]) -> None:
    """Set the marks of these origins to 0: the evidences that were made from them are deleted.

    Pages that showed them are out of date, also if an origin is removed: its title is shown where links lead to it, and
    the rows after its own are numbered.
    """
    for chunk in split_into_chunks(origins):
        connection.execute(update(_ORIGINS).where(_ORIGINS.c.origin.in_(chunk)).values(mark=0))


def write_inclusions(connection: Connection, indexed: Sequence[IndexedPage]) -> set[tuple[str, str]]:
    """Write the references, queries, labels and origins of pages.

    Returns (page id, origin id) for origins that have been replaced by another version.
    """
    page_ids = [each.page.page_id for each in indexed]
    for table in (_REFERENCES, _QUERIES, _LABELS, _LINKS, _ORIGINS):
        for chunk in split_into_chunks(page_ids):
            connection.execute(delete(table).where(table.c.page_id.in_(chunk)))
    named: list[Row] = [
        {
            "page_id": each.page.page_id,
            "position": at,
            "space": reference.space,
            "title_hash": hash_title(reference.title),
        }
        for each in indexed
        for at, reference in enumerate(each.references)
    ]
    asked: list[Row] = [
        {"page_id": each.page.page_id, "position": at, **make_query_columns(query)}
        for each in indexed
        for at, query in enumerate(each.queries)
    ]
    labelled: list[Row] = [
        {"page_id": each.page.page_id, "label": label}
        for each in indexed
        for label in sorted({label.lower() for label in each.page.labels})
    ]
    linked: list[Row] = [
        {"page_id": each.page.page_id, "target": link.page_id, "kind": link.kind, "space": link.space}
        for each in indexed
        for link in each.links
        if link.space and link.kind not in {"", "pages", "blog"}
    ]
    made = [row for each in indexed for row in _make_origin_rows(each)]
    written = ((_REFERENCES, named), (_QUERIES, asked), (_LABELS, labelled), (_LINKS, linked), (_ORIGINS, made))
    for table, rows in written:
        if rows:
            connection.execute(insert(table), rows)
    current: dict[str, str] = {}
    for chunk in split_into_chunks(sorted({row["origin"] for row in made})):
        query = select(_PAGES.c.page_id, _PAGES.c.digest).where(_PAGES.c.page_id.in_(chunk)).order_by(_PAGES.c.page_id)
        current.update((row.page_id, row.digest) for row in connection.execute(query.with_for_update(read=True)))
    return {
        (each.page.page_id, origin)
        for each in indexed
        for origin, version in each.origins.items()
        if current.get(origin) != version.digest
    }


def _make_origin_rows(indexed: IndexedPage) -> Iterator[Row]:
    """Yield the rows of ``page_origins``: one for each path by which text may be included."""
    origins = indexed.origins
    ways: dict[tuple[str, ...], str] = {(page_id,): each.access for page_id, each in origins.items()}
    for way, access in (ways | dict(indexed.path_access)).items():
        mark = mark_shown(way[-1], origins[way[-1]])
        own = {"page_id": indexed.page.page_id, "origin": way[-1], "via": join_ids(way[:-1])}
        yield {**own, "mark": mark, "access": access}
