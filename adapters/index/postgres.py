"""What both indexes in PostgreSQL share: their schema, the access filter, and the counts of entries.

The schema can be rebuilt from the store. The number of entries that a filter admits decides how they are searched.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sqlalchemy import Connection, event, text
from sqlalchemy.exc import DatabaseError, OperationalError

from adapters.index.damage import make_damage_error
from adapters.postgres import (
    NO_SUCH_RIGHT,
    Guard,
    format_place,
    make_unavailable_error,
    open_engine,
    open_sessions_as,
    parse_postgres_url,
)
from core.errors import DatabaseUnavailable
from core.ports.indexes import AccessFilter

SCHEMA = "wikiwhy_indexes"
OLDEST_PGVECTOR = (0, 8)
"""The first version with hnsw.iterative_scan, which goes on searching if a filter leaves too few entries."""

_LOCK = 0x57696B6949647873
"""Advisory lock of the transaction that creates or drops tables."""

_SETTINGS = ("jit = off", "max_parallel_workers_per_gather = 0", "plan_cache_mode = force_custom_plan")
"""Searches take milliseconds, so JIT and parallel workers cost more than they save. A plan suits one scope only."""

T = TypeVar("T")


class IndexDatabase:
    """Connections to the database of both indexes. Call :meth:`prepare` before using an index."""

    def __init__(self, url: str) -> None:
        parsed = parse_postgres_url(url)
        if parsed is None:
            raise ValueError("no URL of a PostgreSQL")
        self._url = parsed
        self._engine = open_engine(parsed, "READ COMMITTED")
        event.listen(self._engine, "connect", _configure)
        self._guard: Guard | None = None

    @classmethod
    def open(cls, url: str) -> IndexDatabase:
        """Connect to the database and prepare it. Raises DatabaseUnavailable."""
        database = cls(url)
        try:
            database.prepare()
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def open_reader(cls, url: str, bot: str) -> IndexDatabase:
        """Connect to the prepared database of a bot, with sessions in its name that can only read. ``bot``: its id."""
        database = cls(url)
        open_sessions_as(bot, database._engine, reads_only=True)
        return database

    def prepare(self) -> None:
        """Create the schema and the extension if they do not exist. Raises DatabaseUnavailable."""
        self.run(self._prepare)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @property
    def place(self) -> str:
        """The URL of the database without a password."""
        return format_place(self._url)

    def run(self, work: Callable[[Connection], T], index: str = "full-text") -> T:
        """Run ``work`` in one transaction. Raises DatabaseUnavailable and IndexDamaged."""
        try:
            with self._engine.begin() as connection:
                return work(connection)
        except OperationalError as error:
            raise make_unavailable_error(self._url, str(error.orig)) from error
        except DatabaseError as error:
            raise make_damage_error(index, self.place, str(error.orig).partition("\n")[0]) from error

    async def run_in_thread(self, work: Callable[[Connection], T], index: str) -> T:
        """Do the same as :meth:`run` in a thread."""
        return await asyncio.to_thread(self.run, work, index)

    async def change_in_thread(self, work: Callable[[Connection], T], index: str) -> T:
        """Do the same as :meth:`run_in_thread` for a transaction that writes. Also raises the guard's errors."""

        def change(connection: Connection) -> T:
            if self._guard:
                self._guard.check(connection)
            return work(connection)

        return await self.run_in_thread(change, index)

    def guard_writes(self, guard: Guard) -> None:
        """See :meth:`adapters.store.database.Database.guard_writes`."""
        open_sessions_as(guard.bot, self._engine)
        self._guard = guard

    def drop(self) -> None:
        """Delete both indexes, even if they are damaged."""
        self.run(lambda connection: connection.execute(text(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")))

    def exists(self) -> bool:
        """Whether the indexes exist."""
        return self.run(has_schema)

    def _prepare(self, connection: Connection) -> None:
        if has_schema(connection):
            return
        lock_tables(connection)
        self._make_extension(connection)
        connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))

    def _make_extension(self, connection: Connection) -> None:
        query = text("SELECT installed_version, default_version FROM pg_available_extensions WHERE name = 'vector'")
        found = connection.execute(query).one_or_none()
        if found is None:
            raise self._make_lack_error(
                "PostgreSQL has not got the extension vector (pgvector). Install it on the server, on Debian as "
                "postgresql-18-pgvector, or use the image pgvector/pgvector"
            )
        if found.installed_version is None:
            self._create_extension(connection)
        version = found.installed_version or found.default_version
        if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_PGVECTOR:
            raise self._make_lack_error(
                f"its pgvector is {version}; install 0.8 or newer, then: ALTER EXTENSION vector UPDATE"
            )

    def _create_extension(self, connection: Connection) -> None:
        try:
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
        except DatabaseError as error:
            if getattr(error.orig, "sqlstate", None) != NO_SUCH_RIGHT:
                raise
            raise self._make_lack_error(
                f"{self._url.username} may not make the extension vector. Have a superuser run in it: "
                "CREATE EXTENSION vector"
            ) from error

    def _make_lack_error(self, what: str) -> DatabaseUnavailable:
        return DatabaseUnavailable(f"The database {self.place} cannot hold the indexes: {what}.")


def has_schema(connection: Connection) -> bool:
    """Whether the indexes exist."""
    return bool(connection.scalar(text("SELECT to_regnamespace(:name) IS NOT NULL"), {"name": SCHEMA}))


def lock_tables(connection: Connection) -> None:
    """Wait until no other transaction creates or drops tables, and keep others waiting until this one ends."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})


def _configure(connection: Any, record: object) -> None:
    with connection.cursor() as cursor:
        for setting in _SETTINGS:
            cursor.execute(f"SET {setting}")
    connection.commit()


IN_SCOPE = "space = ANY(:spaces) AND (access = '' OR access = ANY(:accesses))"


def make_table(connection: Connection, table: str, columns: str) -> None:
    """Create a table of entries with these columns besides the common ones, and a table of their counts.

    Rows up to the size of a database page are stored in one piece, because a search would read the parts one by one.
    """
    common = "key text PRIMARY KEY, space text NOT NULL, access text NOT NULL"
    numbers = "space text, restricted boolean, entries integer NOT NULL, PRIMARY KEY (space, restricted)"
    connection.execute(text(f"CREATE TABLE {table} ({common}, {columns}) WITH (toast_tuple_target = 8160)"))
    connection.execute(text(f"CREATE INDEX ON {table} (space)"))
    connection.execute(text(f"CREATE TABLE {table}_counts ({numbers})"))


def count_entries(connection: Connection, table: str, space: str) -> int:
    """Return the number of entries of a space."""
    query = text(f"SELECT coalesce(sum(entries), 0) FROM {table}_counts WHERE space = :space")  # noqa: S608 - ours
    return int(connection.scalar(query, {"space": space}) or 0)


def make_scope_parameters(access_filter: AccessFilter) -> dict[str, object]:
    """Return the parameters of :data:`IN_SCOPE`."""
    return {"spaces": list(access_filter.spaces), "accesses": sorted(access_filter.access)}


def count_in_scope(connection: Connection, table: str, access_filter: AccessFilter) -> tuple[int, int]:
    """Return the number of admitted entries and of all entries.

    Admitted is an estimate: it includes all restricted entries of the spaces if the filter admits any restriction.
    """
    query = text(f"""
        SELECT coalesce(sum(entries) FILTER (WHERE space = ANY(:spaces) AND (NOT restricted OR :reads)), 0) AS admitted,
            coalesce(sum(entries), 0) AS total FROM {table}_counts
    """)  # noqa: S608 - a table of ours
    found = connection.execute(query, {"spaces": list(access_filter.spaces), "reads": bool(access_filter.access)}).one()
    return int(found.admitted), int(found.total)


def change_counts(connection: Connection, table: str, changes: Mapping[tuple[str, bool], int]) -> None:
    """Add to the counts, by (space, whether restricted). Sorted, against deadlocks."""
    statement = text(f"""
        INSERT INTO {table}_counts AS known (space, restricted, entries) VALUES (:space, :restricted, :entries)
        ON CONFLICT (space, restricted) DO UPDATE SET entries = known.entries + excluded.entries
    """)  # noqa: S608 - a table of ours
    rows = [
        {"space": space, "restricted": restricted, "entries": number}
        for (space, restricted), number in sorted(changes.items())
    ]
    if rows:
        connection.execute(statement, rows)
