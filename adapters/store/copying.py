"""Copying a whole store, including its vectors, into an empty database, for example from a file into PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Integer, Table, delete, exists, func, insert, select, text

from adapters.store import schema
from adapters.store.database import Database
from core.errors import CopyRefused

_BATCH = 500  # rows; a page or a vector takes many kilobytes


def copy_store(source: Database, target: Database, on_copied: Callable[[int], None]) -> int:
    """Copy every row, in one transaction of each database. Returns the number of rows.

    Both databases need this version's schema. ``on_copied`` is called with the number of rows so far. Raises
    CopyRefused, and changes nothing, if the target has rows.
    """
    with source.read() as reading, target.write() as writing:
        writing.execute(delete(schema.erasures))  # written by opening the target; the source has the same ones
        for table in _list_tables():
            if writing.scalar(select(exists(select(table)))):
                raise CopyRefused(
                    f"The database {target.place} is not empty: {table.name} has rows. Name an empty one by "
                    "WIKIWHY_DATABASE_URL: two installations cannot be joined."
                )
        copied = 0
        for table in _list_tables():
            for rows in _read_batches(reading, table):
                writing.execute(insert(table), rows)
                copied += len(rows)
                on_copied(copied)
            _advance_sequence(writing, table)
    return copied


def count_rows(source: Database) -> int:
    """Return the number of rows to copy."""
    with source.read() as connection:
        return sum(connection.scalar(select(func.count()).select_from(table)) or 0 for table in _list_tables())


def _list_tables() -> list[Table]:
    return [table for table in schema.metadata.sorted_tables if table.name not in schema.OF_RUNNING_BOTS]


def _read_batches(connection: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    found = connection.execution_options(yield_per=_BATCH).execute(select(table)).mappings()
    for rows in found.partitions():
        yield [_remove_nul(row) for row in rows]


def _remove_nul(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Remove NUL characters, which PostgreSQL cannot store in texts and SQLite can."""
    return {name: value.replace("\0", "") if isinstance(value, str) else value for name, value in row.items()}


def _advance_sequence(connection: Connection, table: Table) -> None:
    """Set the sequence of a table's integer key to its last number."""
    columns = list(table.primary_key)
    if connection.dialect.name != "postgresql" or len(columns) != 1 or not isinstance(columns[0].type, Integer):
        return
    (column,) = columns
    statement = text("SELECT setval(pg_get_serial_sequence(:table, :column), :last)")
    if last := connection.scalar(select(func.max(column))):
        connection.execute(statement, {"table": table.name, "column": column.name, "last": last})
