"""Finding the pages that reports and lists of pages ask for: by label and space, and by place in the page tree."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import astuple, dataclass
from typing import Any

from sqlalchemy import (
    CTE,
    Connection,
    RowMapping,
    Select,
    case,
    delete,
    func,
    literal,
    select,
)

from adapters.store import schema
from adapters.store.statements import Row, hash_title, split_into_chunks, upsert_all
from adapters.store.wiki.titles import select_named
from core.evidence.reports import MOST_PAGES
from core.model import PageQuery, PageReference
from core.ports.pages import Origin

_PAGES, _LABELS = schema.pages, schema.page_labels
_QUERIES, _PLACES = schema.page_queries, schema.page_places

_TREE = ("root", "root_space", "root_title_hash", "levels")
"""The columns of ``page_queries`` that name the root page and the number of levels."""

Shown = dict[str, int]
"""Id to version mark of the pages that another page names, or that a query selects."""


@dataclass(frozen=True, slots=True)
class _PageQueryRow:
    """A row of ``page_queries``."""

    labels: tuple[frozenset[str], ...]
    spaces: frozenset[str]
    root: str
    root_space: str
    root_title_hash: str
    levels: int


def mark_version(page_id: str, digest: str, query: _PageQueryRow | None = None) -> int:
    """Return a hash of a page's version, and of the query that selected it if it was not named.

    It has 48 bits, so that the sum of many fits into a BIGINT.
    """
    how = f" {sorted(map(sorted, query.labels))} {sorted(query.spaces)} {astuple(query)[2:]}" if query else ""
    return int.from_bytes(hashlib.blake2b(f"{page_id} {digest}{how}".encode(), digest_size=6).digest())


def mark_shown(page_id: str, origin: Origin) -> int:
    """Return the sum of the marks of a page's version for each way in which another page shows it."""
    asked = (_read_row(make_query_columns(query)) for query in dict.fromkeys(origin.queries))
    named = mark_version(page_id, origin.digest) if origin.is_named else 0
    return named + sum(mark_version(page_id, origin.digest, query) for query in asked)


def find_selected(connection: Connection, queries: Collection[PageQuery]) -> dict[PageQuery, list[str]]:
    """See :meth:`core.ports.pages.PageStore.find_selected`."""
    return {query: list(connection.scalars(_select(_read_row(make_query_columns(query))))) for query in queries}


def make_query_columns(query: PageQuery) -> Row:
    """Return the columns of ``page_queries`` for a query."""
    tree = query.tree
    named = tree.root if tree and isinstance(tree.root, PageReference) else None
    return {
        "labels": [sorted(labels) for labels in query.labels],
        "spaces": sorted(query.spaces),
        "root": tree.root if tree and isinstance(tree.root, str) else "",
        "root_space": named.space if named else "",
        "root_title_hash": hash_title(named.title) if named else "",
        "levels": tree.levels if tree else 0,
    }


def _read_row(row: Mapping[str, Any] | RowMapping) -> _PageQueryRow:
    labels, spaces = tuple(frozenset(labels) for labels in row["labels"]), frozenset(row["spaces"])
    return _PageQueryRow(labels, spaces, *(row[name] for name in _TREE))


def list_asked_for(connection: Connection) -> Iterator[tuple[list[str], Shown]]:
    """Yield, for each distinct query, the ids of the pages that contain it and the pages that it finds."""
    asking: dict[_PageQueryRow, list[str]] = defaultdict(list)
    for row in connection.execute(select(_QUERIES)).mappings():
        asking[_read_row(row)].append(row["page_id"])
    for query, page_ids in asking.items():
        if query.labels or query.spaces:
            with_digests = _select(query).add_columns(_PAGES.c.digest).limit(MOST_PAGES)
            found = connection.execute(with_digests)
            yield page_ids, {origin: mark_version(origin, digest, query) for origin, digest in found}
    # One SQL query for all links to pages, because every page may have many.
    linked = {query.root: query for query in asking if query.root and not query.levels}
    for chunk in split_into_chunks(sorted(linked)):
        stored = select(_PAGES.c.page_id, _PAGES.c.digest).where(_PAGES.c.page_id.in_(chunk))
        for page_id, digest in connection.execute(stored):
            yield asking[linked[page_id]], {page_id: mark_version(page_id, digest, linked[page_id])}
    # One SQL query for all trees, because every page may have a list of its children.
    below: dict[_PageQueryRow, Shown] = defaultdict(dict)
    for row in connection.execute(_select_trees()).mappings():
        tree = _PageQueryRow((), frozenset(), *(row[name] for name in _TREE))
        below[tree][row["page_id"]] = mark_version(row["page_id"], row["digest"], tree)
    yield from ((asking[tree], shown) for tree, shown in below.items() if tree in asking)


def _select(query: _PageQueryRow) -> Select[str]:
    """Select the ids of the pages that a query asks for, ordered by title."""
    found = select(_PAGES.c.page_id)
    if query.spaces:
        found = found.where(_PAGES.c.space.in_(sorted(query.spaces)))
    for labels in query.labels:
        has = (_LABELS.c.page_id == _PAGES.c.page_id) & _LABELS.c.label.in_(sorted(labels))
        found = found.where(select(_LABELS.c.label).where(has).exists())
    if query.levels:
        named = select_named(literal(query.root_space), literal(query.root_title_hash))
        root = literal(query.root) if query.root else named
        first = select(_PLACES.c.node_id, literal(query.levels - 1).label("left")).where(_PLACES.c.parent == root)
        found = found.where(_PAGES.c.page_id.in_(select(_select_descendants(first).c.node_id)))
    elif query.root:
        found = found.where(_PAGES.c.page_id == query.root)
    return found.order_by(_PAGES.c.title, _PAGES.c.page_id)


def _select_trees() -> Select[Any]:
    """Select the first pages by title of each tree that queries ask for. A tree of many queries is walked once."""
    asked = select(*(_QUERIES.c[name] for name in _TREE)).where(_QUERIES.c.levels > 0).distinct().subquery()
    named = select_named(asked.c.root_space, asked.c.root_title_hash)
    root = case((asked.c.root != "", asked.c.root), else_=named)
    first = select(_PLACES.c.node_id, (asked.c.levels - 1).label("left"), *asked.c)
    below = _select_descendants(first.select_from(asked.join(_PLACES, _PLACES.c.parent == root)))
    found = select(below.c.node_id, *(below.c[name] for name in _TREE)).distinct().subquery()
    tree, by_title = [found.c[name] for name in _TREE], (_PAGES.c.title, _PAGES.c.page_id)
    number = func.row_number().over(partition_by=tree, order_by=by_title).label("number")
    stored = found.join(_PAGES, _PAGES.c.page_id == found.c.node_id)
    each = select(*tree, _PAGES.c.page_id, _PAGES.c.digest, number).select_from(stored).subquery()
    return select(each).where(each.c.number <= MOST_PAGES)


def _select_descendants(first: Select[Any]) -> CTE:
    """Add to the nodes of a query their descendants, down to the number of levels ``left``. Stops at cycles."""
    below = first.cte("below", recursive=True)
    others = [column for column in below.c if column.name not in {"node_id", "left"}]
    further = select(_PLACES.c.node_id, below.c.left - 1, *others)
    is_below = _PLACES.c.parent == below.c.node_id
    return below.union(further.select_from(_PLACES.join(below, is_below)).where(below.c.left > 0))


def has_new_places(connection: Connection, space: str, parents: Mapping[str, str], is_all: bool) -> bool:
    """Whether :func:`save_parents` would change anything."""
    return any(_compare_places(connection, space, parents, is_all))


def save_parents(connection: Connection, space: str, parents: Mapping[str, str], is_all: bool) -> bool:
    """See :meth:`core.ports.pages.PageStore.save_parents`."""
    new, gone = _compare_places(connection, space, parents, is_all)
    rows: list[Row] = [{"node_id": node_id, "space": space, "parent": parents[node_id]} for node_id in new]
    upsert_all(connection, _PLACES, rows, ("space", "parent"))
    for chunk in split_into_chunks(gone):
        connection.execute(delete(_PLACES).where(_PLACES.c.node_id.in_(chunk), _PLACES.c.space == space))
    return bool(new or gone)


def _compare_places(
    connection: Connection, space: str, parents: Mapping[str, str], is_all: bool
) -> tuple[list[str], list[str]]:
    """Return the ids of nodes with a new parent, and of stored nodes that are missing in ``parents``."""
    query = select(_PLACES.c.node_id, _PLACES.c.parent).where(_PLACES.c.space == space)
    parts = [query] if is_all else [query.where(_PLACES.c.node_id.in_(chunk)) for chunk in split_into_chunks(parents)]
    stored = {row.node_id: row.parent for part in parts for row in connection.execute(part)}
    new = [node_id for node_id, parent in parents.items() if stored.get(node_id) != parent]
    return new, sorted(stored.keys() - parents.keys())
