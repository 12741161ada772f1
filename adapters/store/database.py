"""The SQL database: opened by URL, SQLite by default, brought to this version's schema when opened."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Engine, Executable, RowMapping, Select, make_url, text
from sqlalchemy.exc import ArgumentError, DatabaseError, DataError, IntegrityError, ProgrammingError

from adapters.postgres import Guard, parse_postgres_url
from adapters.store.postgres import PostgresDatabase
from adapters.store.rows import read_as
from adapters.store.sqlite import SqliteFile
from core.errors import DatabaseNewer, DatabaseUnavailable, DataDirectoryInUse, DataDirectoryUnusable, WikiWhyError

HEAD = "0026"
"""This version's revision, as a constant so that an up-to-date database opens without importing Alembic."""

PATIENCE_SECONDS = 10.0
"""How long a write that others overtake is tried again."""

OVERTAKEN = frozenset({"40001", "40P01", "23505"})
"""PostgreSQL's codes where another transaction was quicker: serialization failure, deadlock, a key is there now."""

PAUSE_SECONDS = 0.05

OWNING_SECONDS = 3.0
"""How long another process, such as a short command, is waited for."""

T = TypeVar("T")


class Dialect(Protocol):
    """What differs between the databases that a store can be in."""

    engine: Engine
    place: str
    """Where it is, for people, without a password."""
    turn: AbstractContextManager[object]
    """Held by each writer of this process."""

    def make_error(self, cause: str) -> WikiWhyError: ...

    def own(self) -> bool: ...

    def share(self) -> bool: ...

    def stop_excluding(self) -> None: ...

    def keep_owning(self) -> bool: ...

    def guard_writes(self, guard: Guard) -> None: ...

    def check_guard(self, connection: Connection) -> None: ...

    def close(self) -> None: ...

    def lock_migrations(self, connection: Connection) -> None: ...

    def find_defect(self) -> str: ...

    def scrub(self) -> None: ...

    def empty_log(self) -> bool: ...

    def compact(self) -> bool: ...

    def needs_compaction(self) -> bool: ...


class Database:
    """An open database. Work runs in threads; every write is one transaction."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._engine = dialect.engine

    @classmethod
    def open(cls, url: str) -> Database:
        """Opens the database and migrates it to this version.

        Raises :class:`DatabaseNewer` if a newer version wrote it, :class:`DataDirectoryUnusable` if the file cannot be
        used as a database, :class:`DatabaseUnavailable` if the server cannot be.
        """
        return cls._open_migrated(url, owned=False)

    @classmethod
    def open_owned(cls, url: str) -> Database:
        """Opens the database for this process alone, and migrates it.

        Raises as :meth:`open`, and :class:`DataDirectoryInUse` if another process keeps using it.
        """
        return cls._open_migrated(url, owned=True)

    @classmethod
    def open_shared(cls, url: str) -> Database:
        """Opens the database for this bot beside others, and migrates it where no other process uses it.

        Raises as :meth:`open_owned`, where a process that is no bot uses it too.
        """
        database = cls.open_unmigrated(url)
        try:
            database.share()
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def _open_migrated(cls, url: str, *, owned: bool) -> Database:
        database = cls.open_unmigrated(url)
        try:
            if owned:
                database.own()
            else:
                database.refuse_newer()
            database.upgrade()
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def open_unmigrated(cls, url: str) -> Database:
        """Opens the database as it is, to look at its revision."""
        return cls(_dialect_of(url))

    def own(self) -> None:
        """Makes this process the only user of the database.

        Raises DataDirectoryInUse if another one keeps using it, and :class:`DatabaseNewer`.
        """

        def own_known() -> bool:
            self.refuse_newer()
            return self._dialect.own()

        self._try_until_free(own_known)

    def share(self) -> None:
        """Makes this process a user of the database beside other bots, in this version's schema.

        Beside others the schema is only added to; only the one user of a database changes it otherwise. Raises as
        :meth:`open_owned`.
        """

        def share_or_migrate() -> bool:
            is_shared = self._dialect.share()
            self.refuse_newer()
            if self.revision() == HEAD:
                return is_shared
            if is_shared and self._lacks_additions_only():
                self.upgrade()
                return True
            if is_shared:
                self._dialect.close()
            if not self._dialect.own():
                return False
            self.upgrade()
            self._dialect.stop_excluding()
            return True

        self._try_until_free(share_or_migrate)

    def _lacks_additions_only(self) -> bool:
        from adapters.store import migrate

        revision = self.revision()
        return revision is not None and migrate.only_adds(revision)

    def _try_until_free(self, use: Callable[[], bool]) -> None:
        give_up = time.monotonic() + OWNING_SECONDS
        while True:
            with self._translate_errors():
                if use():
                    return
            if time.monotonic() > give_up:
                raise self._not_free_error()
            time.sleep(PAUSE_SECONDS)

    def guard_writes(self, guard: Guard) -> None:
        """From now on each writing transaction begins with this check, and does nothing where that raises."""
        self._dialect.guard_writes(guard)

    async def keep_owning(self) -> None:
        """Checks that this process still owns the database. Raises DataDirectoryInUse if another one does now."""

        def check() -> bool:
            with self._translate_errors():
                return self._dialect.keep_owning()

        if not await asyncio.to_thread(check):
            raise self._in_use_error()

    def _not_free_error(self) -> DataDirectoryInUse:
        revision = self.revision()
        if revision not in {None, HEAD}:
            return DataDirectoryInUse(
                f"The database {self.place} has the tables of an older version of WikiWhy (revision {revision}; this "
                f"version needs {HEAD}), and other WikiWhy processes, here or on other machines, still use it. Stop "
                "all of them, then start this one, which upgrades the tables, then others of this version."
            )
        return self._in_use_error()

    def _in_use_error(self) -> DataDirectoryInUse:
        return DataDirectoryInUse(
            f"The database {self.place} is in use by another WikiWhy process, here or on another machine. Wait until "
            "that is done or stop it, then run the command again: one process at a time uses a database. Commands "
            "that a running server can do need its --data-dir."
        )

    def refuse_newer(self) -> None:
        """Raises :class:`DatabaseNewer` if a newer version of WikiWhy wrote the database."""
        revision = self.revision()
        if revision in {None, HEAD}:
            return
        from adapters.store import migrate

        if revision not in migrate.list_revisions():
            raise DatabaseNewer(
                f"The database {self.place} was written by a newer version of WikiWhy (revision {revision}; this "
                f"version knows up to {HEAD}). Upgrade WikiWhy here too, or use another database."
            )

    def revision(self) -> str | None:
        """The schema's revision; None for an empty database."""
        with self.read() as connection:
            return _revision(connection)

    def upgrade(self) -> bool:
        """Migrates to this version's schema if needed; whether it was. Raises :class:`DatabaseNewer`."""
        if self.revision() == HEAD:
            return False
        self.refuse_newer()
        from adapters.store import migrate

        with self.write() as connection:
            self._dialect.lock_migrations(connection)
            migrate.upgrade(connection)
        return True

    @property
    def place(self) -> str:
        """Where the database is, without its password."""
        return self._dialect.place

    def close(self) -> None:
        """Closes every idle connection."""
        self._dialect.close()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection whose reads see one state of the database."""
        with self._translate_errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in one writing transaction: all of it happens, or nothing."""
        with (
            self._dialect.turn,
            self._translate_errors(),
            self._engine.connect().execution_options(writes=True) as connection,
            connection.begin(),
        ):
            self._dialect.check_guard(connection)
            yield connection

    async def run_read(self, work: Callable[[Connection], T]) -> T:
        """Runs ``work`` in a thread on a reading connection."""

        def run() -> T:
            with self.read() as connection:
                return work(connection)

        return await asyncio.to_thread(run)

    async def run_write(self, work: Callable[[Connection], T]) -> T:
        """Runs ``work`` in a thread, in one transaction; again from the start if another one overtook it."""
        return await asyncio.to_thread(self.write_until_done, work)

    def write_until_done(self, work: Callable[[Connection], T]) -> T:
        """:meth:`run_write` in this thread."""
        give_up = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                with self.write() as connection:
                    return work(connection)
            except (DatabaseUnavailable, IntegrityError) as error:
                if not _is_overtaken(error) or time.monotonic() > give_up:
                    raise
            time.sleep(random.uniform(0, PAUSE_SECONDS))  # noqa: S311 - spreads load

    async def rows(self, query: Select[Any]) -> Sequence[RowMapping]:
        """The rows that a query finds."""
        return await self.run_read(lambda connection: connection.execute(query).mappings().all())

    async def load(self, kind: type[T], query: Select[Any]) -> list[T]:
        """The rows that a query finds as dataclasses, by their columns that are called like fields."""
        return [read_as(kind, row) for row in await self.rows(query)]

    async def scalar(self, query: Select[Any]) -> Any:
        """The first column of the first row that a query finds, None if it finds none."""
        return await self.run_read(lambda connection: connection.scalar(query))

    async def execute(self, statement: Executable) -> int:
        """Executes a statement in one transaction; returns how many rows it changed."""
        return await self.run_write(lambda connection: int(connection.execute(statement).rowcount))

    async def scrub(self) -> None:
        """Takes deleted text out of the write-ahead log, and out of the file if that is small."""
        await asyncio.to_thread(self.scrub_now)

    def scrub_now(self) -> None:
        """:meth:`scrub` in this thread."""
        self._dialect.scrub()

    async def empty_log(self) -> bool:
        """Takes deleted text out of the write-ahead log. False where a reader still needs it: try again later."""
        return await asyncio.to_thread(self._dialect.empty_log)

    async def compact(self) -> bool:
        """Rewrites the file if text was deleted since it was last rewritten; whether it was. Writers wait meanwhile."""
        return await asyncio.to_thread(self._dialect.compact)

    def needs_compaction(self) -> bool:
        """Whether text was deleted since the file was last rewritten."""
        return self._dialect.needs_compaction()

    def find_defect(self) -> str:
        """What is wrong with the database's files, "" if nothing is known."""
        return self._dialect.find_defect()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (IntegrityError, ProgrammingError, DataError):
            raise  # the caller's mistake, not the disk's
        except DatabaseError as error:
            raise self._dialect.make_error(str(error.orig)) from error


def _is_overtaken(error: Exception) -> bool:
    # SQLite never says so: its writers wait for each other when they begin.
    cause = error if isinstance(error, DatabaseError) else error.__cause__
    return getattr(getattr(cause, "orig", None), "sqlstate", None) in OVERTAKEN


def _dialect_of(url: str) -> Dialect:
    if parsed := parse_postgres_url(url):
        return PostgresDatabase(parsed)
    try:
        sqlite = make_url(url)
    except ArgumentError as error:
        raise _unknown_error(str(error)) from error
    if sqlite.get_backend_name() != "sqlite":
        raise _unknown_error(f"WikiWhy knows no databases of the kind {sqlite.drivername}")
    return SqliteFile.open(sqlite)


def _unknown_error(cause: str) -> DataDirectoryUnusable:
    return DataDirectoryUnusable(
        f"{cause}. Set WIKIWHY_DATABASE_URL to something like postgresql+psycopg://user:password@host/database, or to "
        "sqlite:////data/wikiwhy.db, or leave it out."
    )


def _revision(connection: Connection) -> str | None:
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    value = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if value is None else str(value)
