"""Rows of the tables, and statements that SQLite and PostgreSQL both need."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, TypeVar

from sqlalchemy import Column, Connection, RowMapping, Table
from sqlalchemy.dialects import postgresql, sqlite

CHUNK = 500
"""Most values of one IN list, below the parameter limit of every database."""

Row = dict[str, Any]
T = TypeVar("T")


def split_into_chunks(values: Collection[T]) -> Iterator[list[T]]:
    """Split values into lists that fit into one statement."""
    listed = list(values)
    for start in range(0, len(listed), CHUNK):
        yield listed[start : start + CHUNK]


def now() -> str:
    """Return the current time in ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def hash_title(title: str) -> str:
    """Return the value of the column ``title_hash``."""
    return hashlib.sha256(title.encode("utf-8", "surrogatepass")).hexdigest()


def insert_missing(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows, and skip those whose primary or unique key exists."""
    if rows:
        connection.execute(_insert(connection, table).on_conflict_do_nothing(), rows)


def upsert(
    connection: Connection, table: Table, row: Row, changes: Row, key: Sequence[Column[Any]] | None = None
) -> None:
    """Insert a row, or apply ``changes`` to the row with the same ``key`` (by default the primary key)."""
    statement = _insert(connection, table).values(row)
    connection.execute(statement.on_conflict_do_update(index_elements=key or list(table.primary_key), set_=changes))


def upsert_all(
    connection: Connection,
    table: Table,
    rows: Sequence[Row],
    changing: Collection[str],
    further: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Insert rows, or update the columns ``changing`` of the rows with the same primary keys.

    ``further``: columns that get a computed value instead, by name.
    """
    if rows:
        statement = _insert(connection, table)
        changes = {**{name: statement.excluded[name] for name in changing}, **further}
        connection.execute(statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=changes), rows)


def _insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)


def read_as(kind: type[T], row: RowMapping | Row) -> T:
    """Return an instance of a dataclass, from the columns named like its fields."""
    return kind(**{field.name: row[field.name] for field in fields(kind)})  # type: ignore[arg-type]
