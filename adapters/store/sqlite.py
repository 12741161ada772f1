"""The store in a SQLite file: how it is opened, and how deleted text leaves the file."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event

from adapters.postgres import Guard
from adapters.private_files import make_private_file, make_private_folder
from adapters.write_ahead_log import empty_log, set_pragmas
from core.errors import DataDirectoryUnusable

BUSY_MS = 10_000
"""How long a write waits for others, in milliseconds."""

SMALL_BYTES = 32 * 2**20
"""A file up to this size is rewritten in a fraction of a second."""

T = TypeVar("T")


def sqlite_url(path: Path) -> str:
    """The URL of a SQLite database file."""
    return URL.create("sqlite", database=str(path)).render_as_string()


class SqliteFile:
    """The file of a store. Writers of this process wait for each other by ``turn``.

    Who waits for SQLite's own lock sleeps and looks again, and may be overtaken for seconds.
    """

    def __init__(self, place: str, engine: Engine) -> None:
        self.place = place
        self.engine = engine
        self.turn: AbstractContextManager[object] = threading.Lock()

    @classmethod
    def open(cls, url: URL) -> SqliteFile:
        """The file of a URL, which other users cannot use. Raises DataDirectoryUnusable."""
        place = url.database or ""
        waits = {"timeout": BUSY_MS / 1000}
        engine = create_engine(url, connect_args=waits, hide_parameters=True, pool_size=64, max_overflow=16)
        event.listen(engine, "connect", _configure)
        event.listen(engine, "begin", _begin)
        file = cls(place, engine)
        try:
            if place and place != ":memory:":
                make_private_folder(Path(place).parent)
                make_private_file(Path(place))
        except OSError as error:
            raise file.make_error(str(error)) from error
        return file

    def make_error(self, cause: str) -> DataDirectoryUnusable:
        """What to raise where the file cannot be used."""
        return DataDirectoryUnusable(
            f"The database {self.place} cannot be used: {cause}. Check that the disk is writable and not full and that "
            "no other program has written to the file; else restore a backup, or move the file away and sync the "
            "spaces again."
        )

    def own(self) -> bool:
        """Nothing is to be done: who owns the data directory owns the file."""
        return True

    def share(self) -> bool:
        """Never: one process at a time uses a file."""
        return False

    def stop_excluding(self) -> None:
        """Nothing: see :meth:`share`."""

    def keep_owning(self) -> bool:
        """Always."""
        return True

    def guard_writes(self, guard: Guard) -> None:
        """Nothing: the one bot may write."""

    def check_guard(self, connection: Connection) -> None:
        """Nothing: the one bot may write."""

    def close(self) -> None:
        """Closes every idle connection."""
        self.engine.dispose()

    def lock_migrations(self, connection: Connection) -> None:
        """Nothing: a write has locked the whole database."""

    def find_defect(self) -> str:
        """What is wrong with the file, "" if nothing."""
        found = str(self._with_cursor(lambda cursor: cursor.execute("PRAGMA quick_check(1)").fetchone()[0]))
        return "" if found == "ok" else found

    def scrub(self) -> None:
        """See :meth:`adapters.store.database.Database.scrub`.

        SQLite overwrites what is deleted (secure_delete), but not the copies that it leaves in the unused space of a
        page whose rows it moves to another one: about one in a thousand rows, measured. Only rewriting the file takes
        those out, which for a large one is left to :meth:`compact`.
        """
        self._with_cursor(lambda cursor: _rewrite(cursor, SMALL_BYTES))

    def empty_log(self) -> bool:
        """See :meth:`adapters.store.database.Database.empty_log`."""
        return self._with_cursor(empty_log)

    def compact(self) -> bool:
        """See :meth:`adapters.store.database.Database.compact`."""
        return self._with_cursor(lambda cursor: _rewrite(cursor, None))

    def needs_compaction(self) -> bool:
        """See :meth:`adapters.store.database.Database.needs_compaction`."""
        return bool(self._with_cursor(lambda cursor: cursor.execute("PRAGMA user_version").fetchone()[0]))

    def _with_cursor(self, work: Callable[[Any], T]) -> T:
        # The driver's own connection: VACUUM runs in no transaction, and SQLAlchemy always begins one. Writers of this
        # process wait for their turn, for theirs would fail after BUSY_MS.
        with self.turn:
            connection = self.engine.raw_connection()
            try:
                return work(connection.cursor())
            except sqlite3.DatabaseError as error:
                raise self.make_error(str(error)) from error
            finally:
                connection.close()


def back_up(source: Path, target: Path) -> None:
    """Writes a whole copy of the database into a new file, as it is at this moment, also while a server writes to it.

    Nothing of deleted text is in the copy. Raises FileExistsError, OSError and sqlite3.Error.
    """
    if os.path.lexists(target):
        raise FileExistsError(target)
    descriptor, name = tempfile.mkstemp(prefix=f"{target.name}.", suffix=".partial", dir=target.parent)  # mode 0600
    partial = Path(name)
    try:
        connection = sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True, timeout=BUSY_MS / 1000)
        try:
            connection.execute("VACUUM INTO ?", (name,))
        finally:
            connection.close()
        os.fsync(descriptor)  # SQLite leaves that to the system
        if os.path.lexists(target):
            raise FileExistsError(target)
        partial.rename(target)
    finally:
        os.close(descriptor)
        partial.unlink(missing_ok=True)


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
