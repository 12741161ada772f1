"""The list of index entries that have to leave the indexes (see :class:`core.ports.StaleEntries`)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, delete, insert, select

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.rows import chunks
from core.ports import IndexEntry, StaleEntry


class SqlStaleEntries:
    """Stale entries in the SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def announce(self, entries: Sequence[IndexEntry]) -> None:
        """Lists entries that are about to be added to an index; a current one is not listed, it must stay there."""
        announced = [StaleEntry(entry.key, entry.space) for entry in entries]
        await self._database.run_write(lambda connection: _list_unless_current(connection, announced))

    async def list_entries(self, keys: Collection[str] | None = None) -> list[StaleEntry]:
        """What is on the list, of all entries or of these, by key."""
        return await self._database.run_read(lambda connection: _listed(connection, keys))

    async def strike_off(self, keys: Collection[str]) -> None:
        """Takes keys off the list, after they left the indexes."""
        await self._database.run_write(lambda connection: strike_off(connection, keys))


def list_stale(connection: Connection, entries: Collection[StaleEntry]) -> None:
    """Puts entries on the list; those on it already stay."""
    table = schema.stale_entries
    spaces = {entry.key: entry.space for entry in entries}
    for keys in chunks(spaces):
        there = set(connection.scalars(select(table.c.key).where(table.c.key.in_(keys))))
        rows = [{"key": key, "space": spaces[key]} for key in keys if key not in there]
        if rows:
            connection.execute(insert(table), rows)


def strike_off(connection: Connection, keys: Collection[str]) -> None:
    """Takes keys off the list."""
    for some in chunks(keys):
        connection.execute(delete(schema.stale_entries).where(schema.stale_entries.c.key.in_(some)))


def _list_unless_current(connection: Connection, entries: list[StaleEntry]) -> None:
    current: set[str] = set()
    for keys in chunks([entry.key for entry in entries]):
        current.update(connection.scalars(select(schema.evidences.c.key).where(schema.evidences.c.key.in_(keys))))
    list_stale(connection, [entry for entry in entries if entry.key not in current])


def _listed(connection: Connection, keys: Collection[str] | None) -> list[StaleEntry]:
    table = schema.stale_entries
    every = select(table).order_by(table.c.key)
    queries = [every] if keys is None else [every.where(table.c.key.in_(some)) for some in chunks(sorted(keys))]
    return [StaleEntry(row.key, row.space) for query in queries for row in connection.execute(query)]
