"""Copying a whole store into another, empty database: from a file into PostgreSQL, with every vector."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Integer, Table, delete, exists, func, insert, select, text

from adapters.store import schema
from adapters.store.database import Database
from core.errors import CopyRefused

_AT_ONCE = 500  # rows: those of pages and vectors have many kilobytes


def copy_store(source: Database, target: Database, on_copied: Callable[[int], None]) -> int:
    """Copies every row, in one transaction of each database; returns how many.

    Both have this version's tables. ``on_copied``: called with the number of rows so far. Raises CopyRefused, and
    changes nothing, where the target has rows.
    """
    with source.read() as reading, target.write() as writing:
        writing.execute(delete(schema.erasures))  # of this data directory, as its source has them
        for table in _tables():
            if writing.scalar(select(exists(select(table)))):
                raise CopyRefused(
                    f"The database {target.place} is not empty: {table.name} has rows. Name an empty one by "
                    "WIKIWHY_DATABASE_URL: two installations cannot be joined."
                )
        copied = 0
        for table in _tables():
            for rows in _read(reading, table):
                writing.execute(insert(table), rows)
                copied += len(rows)
                on_copied(copied)
            _continue_numbers(writing, table)
    return copied


def count_rows(source: Database) -> int:
    """How many rows there are to copy."""
    with source.read() as connection:
        return sum(connection.scalar(select(func.count()).select_from(table)) or 0 for table in _tables())


def _tables() -> list[Table]:
    return [table for table in schema.metadata.sorted_tables if table.name not in schema.OF_RUNNING_BOTS]


def _read(connection: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    found = connection.execution_options(yield_per=_AT_ONCE).execute(select(table)).mappings()
    for rows in found.partitions():
        yield [_without_nul(row) for row in rows]


def _without_nul(row: Mapping[Any, Any]) -> dict[str, Any]:
    """PostgreSQL's texts cannot have the character NUL, those of SQLite can."""
    return {name: value.replace("\0", "") if isinstance(value, str) else value for name, value in row.items()}


def _continue_numbers(connection: Connection, table: Table) -> None:
    """Lets a table that numbers its rows go on after the last one."""
    columns = list(table.primary_key)
    if connection.dialect.name != "postgresql" or len(columns) != 1 or not isinstance(columns[0].type, Integer):
        return
    (column,) = columns
    statement = text("SELECT setval(pg_get_serial_sequence(:table, :column), :last)")
    if last := connection.scalar(select(func.max(column))):
        connection.execute(statement, {"table": table.name, "column": column.name, "last": last})
