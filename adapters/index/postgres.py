"""The indexes' part of a PostgreSQL database: a schema of its own, which can be made anew from the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection, event, text
from sqlalchemy.exc import DatabaseError, OperationalError

from adapters.index.damage import make_damage_error
from adapters.postgres import (
    NO_SUCH_RIGHT,
    Guard,
    end_idle_transactions,
    make_unavailable_error,
    open_engine,
    parse_postgres_url,
    place_of,
)
from core.errors import DatabaseUnavailable

SCHEMA = "wikiwhy_indexes"
OLDEST_PGVECTOR = (0, 8)
"""It searches on where a filter leaves too few (hnsw.iterative_scan)."""

_LOCK = 0x57696B6949647873
"""Names the lock of who changes what tables there are."""

_SETTINGS = ("jit = off", "max_parallel_workers_per_gather = 0", "plan_cache_mode = force_custom_plan")
"""Searches take milliseconds: compiling or sharing them out costs more, and a plan is right for one scope only."""

T = TypeVar("T")


class IndexDatabase:
    """Connections to the database of both indexes. They need :meth:`prepare` first."""

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
        """The database, prepared. Raises DatabaseUnavailable."""
        database = cls(url)
        try:
            database.prepare()
        except BaseException:
            database.close()
            raise
        return database

    def prepare(self) -> None:
        """Makes the schema and the extension where they are not there. Raises DatabaseUnavailable."""
        self.run(self._prepare)

    def close(self) -> None:
        """Closes every idle connection."""
        self._engine.dispose()

    @property
    def place(self) -> str:
        """Where it is, for people, without a password."""
        return place_of(self._url)

    def run(self, work: Callable[[Connection], T], index: str = "full-text") -> T:
        """Runs ``work`` in one transaction. Raises DatabaseUnavailable and IndexDamaged."""
        try:
            with self._engine.begin() as connection:
                return work(connection)
        except OperationalError as error:
            raise make_unavailable_error(self._url, str(error.orig)) from error
        except DatabaseError as error:
            raise make_damage_error(index, self.place, str(error.orig).partition("\n")[0]) from error

    async def run_in_thread(self, work: Callable[[Connection], T], index: str) -> T:
        """:meth:`run` in a thread."""
        return await asyncio.to_thread(self.run, work, index)

    async def change_in_thread(self, work: Callable[[Connection], T], index: str) -> T:
        """:meth:`run_in_thread` of what changes entries. Raises what the guard raises."""

        def change(connection: Connection) -> T:
            if self._guard:
                self._guard(connection)
            return work(connection)

        return await self.run_in_thread(change, index)

    def guard_writes(self, guard: Guard) -> None:
        """See :meth:`adapters.store.database.Database.guard_writes`."""
        end_idle_transactions(self._engine)
        self._guard = guard

    def drop(self) -> None:
        """Removes both indexes, damaged or not."""
        self.run(lambda connection: connection.execute(text(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")))

    def exists(self) -> bool:
        """Whether the indexes were made."""
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
            raise self._lacks(
                "PostgreSQL has not got the extension vector (pgvector). Install it on the server, on Debian as "
                "postgresql-18-pgvector, or use the image pgvector/pgvector"
            )
        if found.installed_version is None:
            self._create_extension(connection)
        version = found.installed_version or found.default_version
        if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_PGVECTOR:
            raise self._lacks(f"its pgvector is {version}; install 0.8 or newer, then: ALTER EXTENSION vector UPDATE")

    def _create_extension(self, connection: Connection) -> None:
        try:
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
        except DatabaseError as error:
            if getattr(error.orig, "sqlstate", None) != NO_SUCH_RIGHT:
                raise
            raise self._lacks(
                f"{self._url.username} may not make the extension vector. Have a superuser run in it: "
                "CREATE EXTENSION vector"
            ) from error

    def _lacks(self, what: str) -> DatabaseUnavailable:
        return DatabaseUnavailable(f"The database {self.place} cannot hold the indexes: {what}.")


def has_schema(connection: Connection) -> bool:
    """Whether the indexes were made."""
    return bool(connection.scalar(text("SELECT to_regnamespace(:name) IS NOT NULL"), {"name": SCHEMA}))


def lock_tables(connection: Connection) -> None:
    """Lets one transaction at a time change what tables there are, until it ends."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})


def _configure(connection: Any, record: object) -> None:
    with connection.cursor() as cursor:
        for setting in _SETTINGS:
            cursor.execute(f"SET {setting}")
    connection.commit()
