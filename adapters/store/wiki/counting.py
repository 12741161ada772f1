"""Stored counts of pages and evidences, updated in the transaction that changes the pages.

Counting 1.5 million evidences takes seconds, and the readiness check, `spaces` and every sync need the counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from sqlalchemy import Column, Connection, Select, Table, delete, func, select

from adapters.store import schema
from adapters.store.statements import split_into_chunks, upsert

Counts = Counter[tuple[str, str]]
"""(space, access) or (space, kind) to a number."""

PAGES_BY_ACCESS = select(schema.pages.c.space, schema.pages.c.access, func.count()).group_by(
    schema.pages.c.space, schema.pages.c.access
)
EVIDENCES_BY_KIND = (
    select(schema.pages.c.space, schema.evidences.c.kind, func.count())
    .join(schema.evidences, schema.evidences.c.page_id == schema.pages.c.page_id)
    .group_by(schema.pages.c.space, schema.evidences.c.kind)
)


@contextmanager
def update_counts(connection: Connection, page_ids: Collection[str]) -> Iterator[None]:
    """Update the counts by what the body of this context manager changes in these pages and their evidences."""
    pages, evidences = count_pages(connection, page_ids), count_evidences(connection, page_ids)
    yield
    new_pages, new_evidences = count_pages(connection, page_ids), count_evidences(connection, page_ids)
    by_access, by_kind = schema.page_counts, schema.evidence_counts
    _add(connection, by_access, by_access.c.access, by_access.c.pages, _subtract(pages, new_pages))
    _add(connection, by_kind, by_kind.c.kind, by_kind.c.evidences, _subtract(evidences, new_evidences))
    _drop_unused_accesses(connection, {access for _, access in pages.keys() - new_pages.keys()} - {""})


def count_pages(connection: Connection, page_ids: Collection[str]) -> Counts:
    """Return how many of these pages there are, by space and access."""
    return _count(connection, PAGES_BY_ACCESS, page_ids)


def count_evidences(connection: Connection, page_ids: Collection[str]) -> Counts:
    """Return how many evidences these pages have, by space and kind."""
    return _count(connection, EVIDENCES_BY_KIND, page_ids)


def _count(connection: Connection, query: Select[str, str, int], page_ids: Collection[str]) -> Counts:
    counts: Counts = Counter()
    for chunk in split_into_chunks(page_ids):
        for space, value, number in connection.execute(query.where(schema.pages.c.page_id.in_(chunk))):
            counts[space, value] += number
    return counts


def _subtract(before: Counts, after: Counts) -> Counts:
    changed = Counter(after)
    changed.subtract(before)
    return Counter({key: number for key, number in changed.items() if number})


def _add(connection: Connection, table: Table, name: Column[str], number: Column[int], changes: Counts) -> None:
    for (space, value), change in sorted(changes.items()):  # sorted, against deadlocks
        row = {"space": space, name.key: value, number.key: change}
        upsert(connection, table, row, {number.key: number + change})
        if change < 0:
            connection.execute(delete(table).where(table.c.space == space, name == value, number == 0))


def _drop_unused_accesses(connection: Connection, accesses: set[str]) -> None:
    """Delete read restrictions that no page has any more, because they name people."""
    used = schema.page_counts.c.access
    for chunk in split_into_chunks(sorted(accesses)):
        still = select(used).where(used.in_(chunk))
        table = schema.accesses
        connection.execute(delete(table).where(table.c.access.in_(chunk), table.c.access.not_in(still)))
