"""The SQL database: opened by URL, and migrated to this version's schema when it is opened."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable, RowMapping, Select, make_url, text
from sqlalchemy.exc import ArgumentError, DatabaseError, DataError, IntegrityError, ProgrammingError

from adapters.postgres import Guard, parse_postgres_url
from adapters.store.dialect import Dialect, SecondStatement
from adapters.store.postgres import PostgresDatabase
from adapters.store.sqlite import SqliteFile
from adapters.store.statements import read_as
from core.errors import DatabaseNewer, DatabaseUnavailable, DataDirectoryInUse, DataDirectoryUnusable

HEAD = "0030"
"""This version's schema revision. A constant, so that an up-to-date database opens without importing Alembic."""

MOST_RETRY_SECONDS = 10.0
"""How long a write that conflicts with others is repeated."""

CONFLICT_CODES = frozenset({"40001", "40P01", "23505"})
"""PostgreSQL's error codes of conflicting transactions: serialization failure, deadlock, unique violation."""

PAUSE_SECONDS = 0.05

MOST_OWNING_SECONDS = 3.0
"""How long to wait for another process, such as a short command, to finish."""

T = TypeVar("T")


class Database:
    """An open database. Work runs in threads; every write is one transaction."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._engine = dialect.engine

    @classmethod
    def open(cls, url: str) -> Database:
        """Open the database and migrate it to this version.

        Raises :class:`DatabaseNewer` if a newer version wrote it, :class:`DataDirectoryUnusable` if the file cannot be
        used as a database, :class:`DatabaseUnavailable` if the server cannot be used.
        """
        return cls._open(url, lambda database: database.upgrade())

    @classmethod
    def open_owned(cls, url: str) -> Database:
        """Open the database for this process alone, and migrate it.

        Raises the errors of :meth:`open`, and :class:`DataDirectoryInUse` if another process uses it.
        """

        def own_and_upgrade(database: Database) -> None:
            database.own()
            database.upgrade()

        return cls._open(url, own_and_upgrade)

    @classmethod
    def open_shared(cls, url: str) -> Database:
        """Open the database for one of several bots, and migrate it if no other process uses it.

        Raises the errors of :meth:`open_owned`, also if a process that is not a bot uses the database.
        """
        return cls._open(url, lambda database: database.share())

    @classmethod
    def _open(cls, url: str, prepare: Callable[[Database], object]) -> Database:
        database = cls.open_unmigrated(url)
        try:
            prepare(database)
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def open_unmigrated(cls, url: str) -> Database:
        """Open the database without migrating it, to read its revision."""
        return cls(_choose_dialect(url))

    @classmethod
    def open_reader(cls, url: str, bot: str) -> Database:
        """Open the database of a bot that has migrated it. Writing fails. ``bot``: its id."""
        if parsed := parse_postgres_url(url):
            return cls(PostgresDatabase.open_reader(parsed, bot))
        return cls(SqliteFile.open(make_url(url), reads_only=True))

    def own(self) -> None:
        """Make this process the only user of the database.

        Raises :class:`DataDirectoryInUse` if another process uses it, and :class:`DatabaseNewer`.
        """

        def own_known() -> bool:
            self.refuse_newer()
            return self._dialect.own()

        self._try_until_free(own_known)

    def share(self) -> None:
        """Make this process one of several bots that use the database, in this version's schema.

        While other bots use the database, only migrations that add to the schema run. All others need a sole user.
        Raises the errors of :meth:`open_owned`.
        """

        def share_or_migrate() -> bool:
            is_shared = self._dialect.share()
            self.refuse_newer()
            if self.read_revision() == HEAD:
                return is_shared
            if is_shared and self._lacks_only_additions():
                self.upgrade()
                return True
            if is_shared:
                self._dialect.close()
            if not self._dialect.own():
                return False
            self.upgrade()
            self._dialect.admit_bots()
            return True

        self._try_until_free(share_or_migrate)

    def _lacks_only_additions(self) -> bool:
        from adapters.store import migrate

        revision = self.read_revision()
        return revision is not None and migrate.has_only_additions_after(revision)

    def _try_until_free(self, use: Callable[[], bool]) -> None:
        give_up = time.monotonic() + MOST_OWNING_SECONDS
        while True:
            with self._translate_errors():
                if use():
                    return
            if time.monotonic() > give_up:
                raise self._make_not_free_error()
            time.sleep(PAUSE_SECONDS)

    def guard_writes(self, guard: Guard) -> None:
        """Begin each writing transaction with this check from now on. The transaction does nothing if it raises."""
        self._dialect.guard_writes(guard)

    async def keep_owning(self) -> None:
        """Check that this process still owns the database. Raises DataDirectoryInUse if another process owns it now."""

        def check() -> bool:
            with self._translate_errors():
                return self._dialect.keep_owning()

        if not await asyncio.to_thread(check):
            raise self._make_in_use_error()

    def _make_not_free_error(self) -> DataDirectoryInUse:
        revision = self.read_revision()
        if revision not in {None, HEAD}:
            return DataDirectoryInUse(
                f"The database {self.place} has the tables of an older version of WikiWhy (revision {revision}; this "
                f"version needs {HEAD}), and other WikiWhy processes, here or on other machines, still use it. Stop "
                "all of them, then start this one, which upgrades the tables, then others of this version."
            )
        return self._make_in_use_error()

    def _make_in_use_error(self) -> DataDirectoryInUse:
        return DataDirectoryInUse(
            f"The database {self.place} is in use by another WikiWhy process, here or on another machine. Wait until "
            "that is done or stop it, then run the command again: one process at a time uses a database. Commands "
            "that a running server can do need its --data-dir."
        )

    def refuse_newer(self) -> None:
        """Raise :class:`DatabaseNewer` if a newer version of WikiWhy wrote the database."""
        revision = self.read_revision()
        if revision in {None, HEAD}:
            return
        from adapters.store import migrate

        if revision not in migrate.list_revisions():
            raise DatabaseNewer(
                f"The database {self.place} was written by a newer version of WikiWhy (revision {revision}; this "
                f"version knows up to {HEAD}). Upgrade WikiWhy here too, or use another database."
            )

    def read_revision(self) -> str | None:
        """Return the schema's revision, None for an empty database."""
        with self.read() as connection:
            return _read_revision(connection)

    def upgrade(self) -> bool:
        """Migrate to this version's schema. Returns whether that was needed. Raises :class:`DatabaseNewer`."""
        if self.read_revision() == HEAD:
            return False
        self.refuse_newer()
        from adapters.store import migrate

        with self.write() as connection:
            self._dialect.lock_migrations(connection)
            migrate.upgrade(connection)
        return True

    @property
    def place(self) -> str:
        """The URL or path of the database, without a password."""
        return self._dialect.place

    def close(self) -> None:
        """Close all connections."""
        self._dialect.close()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a connection whose reads see one snapshot of the database."""
        with self._translate_errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a connection in a writing transaction, which commits on success and rolls back on an exception."""
        with (
            self._dialect.write_lock,
            self._translate_errors(),
            self._engine.connect().execution_options(writes=True) as connection,
            connection.begin(),
        ):
            self._dialect.check_guard(connection)
            yield connection

    async def run_read(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in a thread on a reading connection."""
        return await asyncio.to_thread(self._read, work)

    async def run_single_read(self, work: Callable[[Connection], T]) -> T:
        """Do the same as :meth:`run_read` for work that usually executes one statement, which needs no transaction.

        If it executes another one, it is run anew in a transaction, so that all its reads see one snapshot.
        """
        return await asyncio.to_thread(self._read_single, work)

    async def run_short_read(self, work: Callable[[Connection], T]) -> T:
        """Do the same as :meth:`run_single_read` for a statement that finds few rows by their keys.

        In a file, that takes less time than handing it to a thread, so it is done at once.
        """
        return self._read_single(work) if self._dialect.reads_at_once else await self.run_single_read(work)

    def _read(self, work: Callable[[Connection], T]) -> T:
        with self.read() as connection:
            return work(connection)

    def _read_single(self, work: Callable[[Connection], T]) -> T:
        try:
            with self._translate_errors(), self._dialect.single_reads.connect() as connection:
                return work(connection)
        except SecondStatement:
            return self._read(work)

    async def run_write(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in a thread, in one transaction, and repeat it if it conflicts with another transaction."""
        return await asyncio.to_thread(self.write_until_done, work)

    def write_until_done(self, work: Callable[[Connection], T]) -> T:
        """Do the same as :meth:`run_write` in this thread."""
        give_up = time.monotonic() + MOST_RETRY_SECONDS
        while True:
            try:
                with self.write() as connection:
                    return work(connection)
            except (DatabaseUnavailable, IntegrityError) as error:
                if not _is_conflict(error) or time.monotonic() > give_up:
                    raise
            time.sleep(random.uniform(0, PAUSE_SECONDS))  # noqa: S311 - spreads load

    async def load_few(self, query: Select[Any], values: Mapping[str, Any] | None = None) -> Sequence[RowMapping]:
        """Return the rows of a query that finds few by their keys. ``values``: of its parameters."""
        return await self.run_short_read(lambda connection: connection.execute(query, values).mappings().all())

    async def load_rows(self, query: Select[Any], values: Mapping[str, Any] | None = None) -> Sequence[RowMapping]:
        """Return the rows of a query. ``values``: of its parameters."""
        return await self.run_single_read(lambda connection: connection.execute(query, values).mappings().all())

    async def load(self, kind: type[T], query: Select[Any]) -> list[T]:
        """Return the rows of a query as instances of a dataclass, from the columns named like its fields."""
        return [read_as(kind, row) for row in await self.load_rows(query)]

    async def load_scalar(self, query: Select[Any], values: Mapping[str, Any] | None = None) -> Any:
        """Return the first column of the first row of a query, None if there are no rows."""
        return await self.run_short_read(lambda connection: connection.scalar(query, values))

    async def execute(self, statement: Executable) -> int:
        """Execute a statement in one transaction. Returns the number of changed rows."""
        return await self.run_write(lambda connection: int(connection.execute(statement).rowcount))

    async def scrub(self) -> None:
        """Remove deleted text from the write-ahead log, and from the file if the file is small."""
        await asyncio.to_thread(self.scrub_now)

    def scrub_now(self) -> None:
        """Do the same as :meth:`scrub` in this thread."""
        self._dialect.scrub()

    async def empty_log(self) -> bool:
        """Remove deleted text from the write-ahead log. Returns False if a reader still needs the log: try later."""
        return await asyncio.to_thread(self._dialect.empty_log)

    async def compact(self) -> bool:
        """Rewrite the file if text was deleted since the last time. Returns whether it was. Writers wait meanwhile."""
        return await asyncio.to_thread(self._dialect.compact)

    def needs_compaction(self) -> bool:
        """Whether text was deleted since the file was last rewritten."""
        return self._dialect.needs_compaction()

    def find_defect(self) -> str:
        """Return what is wrong with the database's files, "" if nothing is known."""
        return self._dialect.find_defect()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (IntegrityError, ProgrammingError, DataError):
            raise  # a mistake of the caller, not a failure of the disk or server
        except DatabaseError as error:
            raise self._dialect.make_error(str(error.orig)) from error


def _is_conflict(error: Exception) -> bool:
    # Only in PostgreSQL: SQLite's writers wait for each other when they begin.
    cause = error if isinstance(error, DatabaseError) else error.__cause__
    return getattr(getattr(cause, "orig", None), "sqlstate", None) in CONFLICT_CODES


def _choose_dialect(url: str) -> Dialect:
    if parsed := parse_postgres_url(url):
        return PostgresDatabase(parsed)
    try:
        sqlite = make_url(url)
    except ArgumentError as error:
        raise _make_unknown_error(str(error)) from error
    if sqlite.get_backend_name() != "sqlite":
        raise _make_unknown_error(f"WikiWhy knows no databases of the kind {sqlite.drivername}")
    return SqliteFile.open(sqlite)


def _make_unknown_error(cause: str) -> DataDirectoryUnusable:
    return DataDirectoryUnusable(
        f"{cause}. Set WIKIWHY_DATABASE_URL to something like postgresql+psycopg://user:password@host/database, or to "
        "sqlite:////data/wikiwhy.db, or leave it out."
    )


def _read_revision(connection: Connection) -> str | None:
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    value = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if value is None else str(value)
