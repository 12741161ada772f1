"""The store in a SQLite file: how it is opened, and how deleted text leaves the file."""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event

from adapters.private_files import make_private_file, make_private_folder
from adapters.store.dialect import Dialect, refuse_second_statements
from adapters.write_ahead_log import empty_log, set_pragmas
from core.errors import DataDirectoryUnusable

BUSY_MS = 10_000
"""How long a write waits for other processes, in milliseconds."""

SMALL_BYTES = 32 * 2**20
"""Largest file that is rewritten at once: a file of this size takes a fraction of a second."""

T = TypeVar("T")

_SINGLE = "single"  # option of connections that begin no transaction


def make_sqlite_url(path: Path) -> str:
    """Return the URL of a SQLite database file."""
    return URL.create("sqlite", database=str(path)).render_as_string()


class SqliteFile(Dialect):
    """A store in a file. Writers of this process wait for each other by ``write_lock``.

    SQLite's own lock is polled, so a waiting writer can be overtaken for seconds.
    """

    def __init__(self, place: str, engine: Engine) -> None:
        super().__init__(place, engine, threading.Lock())
        self.reads_at_once = True
        self.single_reads = refuse_second_statements(engine.execution_options(**{_SINGLE: True}))

    @classmethod
    def open(cls, url: URL, reads_only: bool = False) -> SqliteFile:
        """Open the file of a URL, and make it private to this user. Raises DataDirectoryUnusable."""
        place = url.database or ""
        waits = {"timeout": BUSY_MS / 1000}
        engine = create_engine(url, connect_args=waits, hide_parameters=True, pool_size=64, max_overflow=16)
        event.listen(engine, "connect", _configure)
        event.listen(engine, "begin", _begin)
        if reads_only:
            event.listen(engine, "connect", _refuse_writes)
        file = cls(place, engine)
        try:
            if place and place != ":memory:":
                make_private_folder(Path(place).parent)
                make_private_file(Path(place))
        except OSError as error:
            raise file.make_error(str(error)) from error
        return file

    def make_error(self, cause: str) -> DataDirectoryUnusable:
        return DataDirectoryUnusable(
            f"The database {self.place} cannot be used: {cause}. Check that the disk is writable and not full and that "
            "no other program has written to the file; else restore a backup, or move the file away and sync the "
            "spaces again."
        )

    def own(self) -> bool:
        return True  # the owner of the data directory owns the file

    def share(self) -> bool:
        return False  # one process at a time uses a file

    def keep_owning(self) -> bool:
        return True

    def find_defect(self) -> str:
        found = str(self._run_with_cursor(lambda cursor: cursor.execute("PRAGMA quick_check(1)").fetchone()[0]))
        return "" if found == "ok" else found

    def scrub(self) -> None:
        """Rewrite a small file, and empty the log.

        SQLite overwrites deleted rows (secure_delete), but not the copies that remain in the unused space of a database
        page after its rows have moved to another one: measured, about one row in a thousand. Only rewriting the file
        removes those. Large files are left to :meth:`compact`.
        """
        self._run_with_cursor(lambda cursor: _rewrite(cursor, SMALL_BYTES))

    def empty_log(self) -> bool:
        return self._run_with_cursor(empty_log)

    def compact(self) -> bool:
        return self._run_with_cursor(lambda cursor: _rewrite(cursor, None))

    def needs_compaction(self) -> bool:
        return bool(self._run_with_cursor(lambda cursor: cursor.execute("PRAGMA user_version").fetchone()[0]))

    def _run_with_cursor(self, work: Callable[[Any], T]) -> T:
        # The driver's own connection, because VACUUM runs outside a transaction and SQLAlchemy always begins one. With
        # the lock, because other writers of this process would fail after BUSY_MS.
        with self.write_lock:
            connection = self.engine.raw_connection()
            try:
                return work(connection.cursor())
            except sqlite3.DatabaseError as error:
                raise self.make_error(str(error)) from error
            finally:
                connection.close()


def back_up(source: Path, target: Path) -> None:
    """Write a snapshot of the database into a new file. A server may write to the database meanwhile.

    The copy contains no deleted text. Raises FileExistsError, OSError and sqlite3.Error.
    """
    if os.path.lexists(target):
        raise FileExistsError(target)
    _remove_leftovers(target)
    descriptor, name = tempfile.mkstemp(prefix=f"{target.name}.", suffix=".partial", dir=target.parent)  # mode 0600
    partial = Path(name)
    try:
        connection = sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True, timeout=BUSY_MS / 1000)
        try:
            connection.execute("VACUUM INTO ?", (name,))
        finally:
            connection.close()
        os.fsync(descriptor)  # VACUUM INTO does not
        if os.path.lexists(target):
            raise FileExistsError(target)
        partial.rename(target)
    finally:
        os.close(descriptor)
        partial.unlink(missing_ok=True)


def _remove_leftovers(target: Path) -> None:
    """Remove what killed backups into this target left: copies of pages that nobody knows of."""
    name = re.compile(rf"{re.escape(target.name)}\.\w{{8}}\.partial(-journal)?")
    for path in target.parent.iterdir():
        if name.fullmatch(path.name):
            path.unlink(missing_ok=True)


def note_deletion(connection: Connection) -> None:
    """Note in the deleting transaction that the file has to be rewritten, even if the process ends before that."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA user_version=1")


def _rewrite(cursor: Any, most_bytes: int | None) -> bool:
    """Rewrite the file and empty its log. Returns whether the file was rewritten.

    ``user_version`` is 1 from a deletion until the file is rewritten. ``most_bytes``: a file up to this size is
    rewritten, a larger one is noted for later. None: a file of any size is rewritten if it was noted.
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
    empty_log(cursor)  # if a reader prevents it, the next call or the server's upkeep repeats it
    return rewritten


def _configure(connection: Any, record: object) -> None:
    # None: if the driver began transactions itself, a read that turns into a write could not wait for the lock.
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


def _refuse_writes(connection: Any, record: object) -> None:
    connection.execute("PRAGMA query_only=ON").close()


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get(_SINGLE, False):
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writes", False) else "BEGIN")
