"""The SQL database: opened by URL, SQLite by default, brought to this version's schema when opened."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, Executable, RowMapping, Select, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DatabaseError, DataError, IntegrityError, ProgrammingError

from adapters.private_files import make_private_file, make_private_folder
from adapters.store.rows import read_as
from adapters.write_ahead_log import empty_log, set_pragmas
from core.errors import DatabaseNewer, DataDirectoryUnusable

HEAD = "0018"
"""This version's revision, as a constant so that an up-to-date database opens without importing Alembic."""

BUSY_MS = 10_000
"""How long a write waits for others, in milliseconds."""

OVERTAKEN = frozenset({"40001", "40P01", "23505"})
"""PostgreSQL's codes where another transaction was quicker: serialization failure, deadlock, a key is there now."""

PAUSE_SECONDS = 0.05

SMALL_BYTES = 32 * 2**20
"""A file up to this size is rewritten in a fraction of a second."""

MIGRATION_LOCK = 0x57696B69576879
"""Names the lock that keeps two processes from migrating one PostgreSQL database at once."""

T = TypeVar("T")


def sqlite_url(path: Path) -> str:
    """The URL of a SQLite database file."""
    return URL.create("sqlite", database=str(path)).render_as_string()


class Database:
    """An open database. Work runs in threads; every write is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        # Who waits for SQLite's own lock sleeps and looks again, and may be overtaken for seconds: writers of this
        # process, which owns the file, wait for each other here.
        self._turn = threading.Lock() if self.is_sqlite else nullcontext()

    @classmethod
    def open(cls, url: str) -> Database:
        """Opens the database and migrates it to this version.

        Raises :class:`DatabaseNewer` if a newer version wrote it, :class:`DataDirectoryUnusable` if it cannot be
        used as a database.
        """
        database = cls.open_unmigrated(url)
        try:
            database.upgrade()
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def open_unmigrated(cls, url: str) -> Database:
        """Opens the database as it is, to look at its revision."""
        return cls(_engine(url))

    def revision(self) -> str | None:
        """The schema's revision; None for an empty database."""
        with self.read() as connection:
            return _revision(connection)

    def upgrade(self) -> bool:
        """Migrates to this version's schema if needed; whether it was."""
        revision = self.revision()
        if revision == HEAD:
            return False
        from adapters.store import migrate

        if revision is not None and revision not in migrate.list_revisions():
            raise DatabaseNewer(
                f"The database {self.place} was written by a newer version of WikiWhy (revision {revision}; this "
                f"version knows up to {HEAD}). Upgrade WikiWhy, or use another data directory."
            )
        with self.write() as connection:
            if not self.is_sqlite:  # whose write has locked the whole database
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
            migrate.upgrade(connection)
        return True

    @property
    def place(self) -> str:
        """Where the database is, without its password."""
        url = self._engine.url
        return url.database or "" if self.is_sqlite else url.render_as_string(hide_password=True)

    @property
    def is_sqlite(self) -> bool:
        return self._engine.dialect.name == "sqlite"

    def close(self) -> None:
        """Closes every idle connection."""
        self._engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection whose reads see one state of the database."""
        with self._translate_errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in one writing transaction: all of it happens, or nothing."""
        with (
            self._turn,
            self._translate_errors(),
            self._engine.connect().execution_options(writes=True) as connection,
            connection.begin(),
        ):
            yield connection

    async def run_read(self, work: Callable[[Connection], T]) -> T:
        """Runs ``work`` in a thread on a reading connection."""

        def run() -> T:
            with self.read() as connection:
                return work(connection)

        return await asyncio.to_thread(run)

    async def run_write(self, work: Callable[[Connection], T]) -> T:
        """Runs ``work`` in a thread, in one transaction; again from the start if another one overtook it."""

        def run() -> T:
            give_up = time.monotonic() + BUSY_MS / 1000
            while True:
                try:
                    with self.write() as connection:
                        return work(connection)
                except (DataDirectoryUnusable, IntegrityError) as error:
                    if not _is_overtaken(error) or time.monotonic() > give_up:
                        raise
                time.sleep(random.uniform(0, PAUSE_SECONDS))  # noqa: S311 - spreads load

        return await asyncio.to_thread(run)

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
        """Takes deleted text out of the write-ahead log, and out of the file if that is small.

        SQLite overwrites what is deleted (secure_delete), but not the copies that it leaves in the unused space of a
        page whose rows it moves to another one: about one in a thousand rows, measured. Only rewriting the file takes
        those out, which for a large one is left to :meth:`compact`.
        """
        if self.is_sqlite:
            await asyncio.to_thread(self._with_cursor, lambda cursor: _rewrite(cursor, SMALL_BYTES))

    async def empty_log(self) -> bool:
        """Takes deleted text out of the write-ahead log. False where a reader still needs it: try again later."""
        return not self.is_sqlite or await asyncio.to_thread(self._with_cursor, empty_log)

    async def compact(self) -> bool:
        """Rewrites the file if text was deleted since it was last rewritten; whether it was. Writers wait meanwhile."""
        return self.is_sqlite and await asyncio.to_thread(self._with_cursor, lambda cursor: _rewrite(cursor, None))

    def needs_compaction(self) -> bool:
        """Whether text was deleted since the file was last rewritten."""
        if not self.is_sqlite:
            return False
        with self.read() as connection:
            return bool(connection.exec_driver_sql("PRAGMA user_version").scalar())

    def _with_cursor(self, work: Callable[[Any], T]) -> T:
        # The driver's own connection: VACUUM runs in no transaction, and SQLAlchemy always begins one. Writers of this
        # process wait for their turn, for theirs would fail after BUSY_MS.
        with self._turn:
            connection = self._engine.raw_connection()
            try:
                return work(connection.cursor())
            except sqlite3.DatabaseError as error:
                raise _unusable_error(self.place, str(error)) from error
            finally:
                connection.close()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (IntegrityError, ProgrammingError, DataError):
            raise  # the caller's mistake, not the disk's
        except DatabaseError as error:
            raise _unusable_error(self.place, str(error.orig)) from error


def note_deletion(connection: Connection) -> None:
    """Notes in the transaction that deletes text that the file has to be rewritten, also if the process ends now."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA user_version=1")


def _rewrite(cursor: Any, most_bytes: int | None) -> bool:
    """``user_version`` is 1 from a deletion until the file is rewritten.

    ``most_bytes``: how large the file may be to be rewritten; a larger one is noted as in need of it. None: any file
    that is noted is rewritten.
    """
    (pages,), (page_size,) = (cursor.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    if most_bytes is None:
        (needed,) = cursor.execute("PRAGMA user_version").fetchone()
        rewritten = bool(needed)
    else:
        rewritten = pages * page_size <= most_bytes
    if rewritten:
        cursor.execute("VACUUM")
    if rewritten or most_bytes is not None:
        cursor.execute(f"PRAGMA user_version={0 if rewritten else 1}")
    empty_log(cursor)  # where it is busy, the next call or the server's upkeep does it
    return rewritten


def _is_overtaken(error: Exception) -> bool:
    # SQLite never says so: its writers wait for each other when they begin.
    cause = error if isinstance(error, DatabaseError) else error.__cause__
    return getattr(getattr(cause, "orig", None), "sqlstate", None) in OVERTAKEN


def _unusable_error(place: str, cause: str) -> DataDirectoryUnusable:
    return DataDirectoryUnusable(
        f"The database {place} cannot be used: {cause}. Check that the disk is writable and not full and that no other "
        "program has written to the file; else restore a backup, or move the file away and sync the spaces again."
    )


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() != "sqlite":
            return create_engine(parsed, pool_pre_ping=True, hide_parameters=True, isolation_level="REPEATABLE READ")
        if parsed.database and parsed.database != ":memory:":
            make_private_folder(Path(parsed.database).parent)
            make_private_file(Path(parsed.database))
        waits = {"timeout": BUSY_MS / 1000}
        engine = create_engine(parsed, connect_args=waits, hide_parameters=True, pool_size=64, max_overflow=16)
    except ArgumentError as error:
        raise DataDirectoryUnusable(
            f"{error}. Set WIKIWHY_DATABASE_URL to something like sqlite:////data/wikiwhy.db or postgresql+psycopg://…"
        ) from error
    except ModuleNotFoundError as error:
        raise DataDirectoryUnusable(
            f"The database's driver {error.name} is not installed. Install it, for example: pip install {error.name}"
        ) from error
    except OSError as error:
        raise _unusable_error(str(parsed.database), str(error)) from error
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    return engine


def _configure(connection: Any, record: object) -> None:
    # None: the driver must not begin transactions itself, or a read that turns into a write cannot wait for the lock.
    connection.isolation_level = None
    set_pragmas(
        connection,
        f"busy_timeout={BUSY_MS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "secure_delete=ON",
        wait_ms=BUSY_MS,
    )


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _revision(connection: Connection) -> str | None:
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    value = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if value is None else str(value)
