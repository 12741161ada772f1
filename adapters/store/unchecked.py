"""The list of texts that may have a vector but no evidence: pruning vectors reads this list, not all vectors."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, delete, insert, select

from adapters.store import schema
from adapters.store.rows import chunks

_AT_ONCE = 500  # texts looked at in one transaction


def list_unchecked(connection: Connection, hashes: Collection[str]) -> None:
    """Puts texts on the list: those that a page lost, and those of new vectors whose page is not stored yet."""
    table = schema.unchecked_texts
    for some in chunks(sorted(hashes)):
        there = set(connection.scalars(select(table.c.text_hash).where(table.c.text_hash.in_(some))))
        rows = [{"text_hash": text_hash} for text_hash in some if text_hash not in there]
        if rows:
            connection.execute(insert(table), rows)


def strike_off_checked(connection: Connection, hashes: Collection[str]) -> None:
    """Takes texts off the list, when an evidence has them or their vectors are gone."""
    table = schema.unchecked_texts
    for some in chunks(sorted(hashes)):
        connection.execute(delete(table).where(table.c.text_hash.in_(some)))


def prune_some(connection: Connection) -> tuple[int, int]:
    """Drops the vectors of some listed texts that no evidence has. Returns how many texts it looked at, and dropped."""
    table, evidences, vectors = schema.unchecked_texts, schema.evidences, schema.vectors
    hashes = list(connection.scalars(select(table.c.text_hash).order_by(table.c.text_hash).limit(_AT_ONCE)))
    used = select(evidences.c.text_hash).where(evidences.c.text_hash.in_(hashes))
    unused = delete(vectors).where(vectors.c.text_hash.in_(hashes), vectors.c.text_hash.not_in(used))
    dropped = connection.execute(unused).rowcount
    strike_off_checked(connection, hashes)
    return len(hashes), dropped
