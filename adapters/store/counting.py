"""Counts of pages and evidences, changed in the transaction that changes what they count.

Counting 1.5 million evidences takes seconds, and readiness, `spaces` and every sync want to know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from sqlalchemy import Column, Connection, Table, delete, func, insert, select, update

from adapters.store import schema
from adapters.store.rows import chunks

Counts = Counter[tuple[str, str]]
"""Space and access, or space and kind, to a number."""


@contextmanager
def counting(connection: Connection, page_ids: Collection[str]) -> Iterator[None]:
    """Around any change to these pages or their evidences: adds to the counts what the change added or removed."""
    pages, evidences = count_pages(connection, page_ids), count_evidences(connection, page_ids)
    yield
    new_pages, new_evidences = count_pages(connection, page_ids), count_evidences(connection, page_ids)
    by_access, by_kind = schema.page_counts, schema.evidence_counts
    _add(connection, by_access, by_access.c.access, by_access.c.pages, _difference(pages, new_pages))
    _add(connection, by_kind, by_kind.c.kind, by_kind.c.evidences, _difference(evidences, new_evidences))
    _drop_unused_accesses(connection, {access for _, access in pages.keys() - new_pages.keys()} - {""})


def recount(connection: Connection) -> None:
    """Counts everything anew, after pages were inserted in bulk."""
    pages, evidences = schema.pages, schema.evidences
    of_pages = select(pages.c.space, pages.c.access, func.count()).group_by(pages.c.space, pages.c.access)
    of_evidences = (
        select(pages.c.space, evidences.c.kind, func.count())
        .join(evidences, evidences.c.page_id == pages.c.page_id)
        .group_by(pages.c.space, evidences.c.kind)
    )
    for table, query in ((schema.page_counts, of_pages), (schema.evidence_counts, of_evidences)):
        connection.execute(delete(table))
        connection.execute(insert(table).from_select([column.name for column in table.columns], query))


def count_pages(connection: Connection, page_ids: Collection[str]) -> Counts:
    """How many of these pages there are, by space and access."""
    pages = schema.pages
    query = select(pages.c.space, pages.c.access, func.count()).group_by(pages.c.space, pages.c.access)
    counts: Counts = Counter()
    for some in chunks(page_ids):
        for space, access, number in connection.execute(query.where(pages.c.page_id.in_(some))):
            counts[space, access] += number
    return counts


def count_evidences(connection: Connection, page_ids: Collection[str]) -> Counts:
    """How many evidences these pages have, by space and kind."""
    pages, evidences = schema.pages, schema.evidences
    query = (
        select(pages.c.space, evidences.c.kind, func.count())
        .join(evidences, evidences.c.page_id == pages.c.page_id)
        .group_by(pages.c.space, evidences.c.kind)
    )
    counts: Counts = Counter()
    for some in chunks(page_ids):
        for space, kind, number in connection.execute(query.where(pages.c.page_id.in_(some))):
            counts[space, kind] += number
    return counts


def _difference(before: Counts, after: Counts) -> Counts:
    changed = Counter(after)
    changed.subtract(before)
    return Counter({key: number for key, number in changed.items() if number})


def _add(connection: Connection, table: Table, name: Column[str], number: Column[int], changes: Counts) -> None:
    for (space, value), change in sorted(changes.items()):  # sorted: two transactions lock rows in the same order
        row = (table.c.space == space) & (name == value)
        if not connection.execute(update(table).where(row).values({number: number + change})).rowcount:
            connection.execute(insert(table).values({table.c.space: space, name: value, number: change}))
        if change < 0:
            connection.execute(delete(table).where(row, number == 0))


def _drop_unused_accesses(connection: Connection, accesses: set[str]) -> None:
    """Read restrictions name people: those of no page go."""
    used = schema.page_counts.c.access
    for some in chunks(sorted(accesses)):
        still = select(used).where(used.in_(some))
        table = schema.accesses
        connection.execute(delete(table).where(table.c.access.in_(some), table.c.access.not_in(still)))
