"""Erasing the words of removed entries from the file of the full-text index.

FTS5 only marks a removed row in its segments, and ``PRAGMA secure_delete`` has no effect there. Since SQLite 3.42 the
option "secure-delete" of a table removes words at once (https://sqlite.org/fts5.html), except words that separate two
leaves of a segment. So segments are merged after removals with every version of SQLite, which drops unused words. The
merge runs in short steps, because as a whole it takes as long as building the index. As with every table, copies remain
in the unused space of database pages until the file is rewritten.
"""

from __future__ import annotations

import sqlite3
import time

from adapters.write_ahead_log import empty_log

SECURE_DELETE_SINCE = (3, 42, 0)

TABLES = ("words", "grams")

STEP_PAGES = 100
"""FTS5 pages of about 4 KB that one step writes, which takes some hundredths of a second."""

SMALL_BYTES = 32 * 2**20
"""Largest file that is rewritten at once: a file of this size takes a fraction of a second."""

EXTRA_ROW = -1
"""The id of a row that belongs to no entry, see :func:`_insert_extra_rows`."""

# The remaining work, in ``PRAGMA user_version``: none, rewrite the file, begin a merge, continue a merge.
CLEAN, REWRITE, MERGE, MERGING = 0, 1, 2, 4

_PAUSE_SECONDS = 0.001  # between two steps, because others that wait for SQLite's lock poll it


def has_secure_delete() -> bool:
    """Whether this version of SQLite has FTS5's option "secure-delete"."""
    return sqlite3.sqlite_version_info >= SECURE_DELETE_SINCE


def set_secure_delete(connection: sqlite3.Connection) -> None:
    """Set FTS5's option "secure-delete" if SQLite has it."""
    if not has_secure_delete():
        return
    for table in TABLES:
        setting = connection.execute(f"SELECT v FROM {table}_config WHERE k = 'secure-delete'").fetchone()  # noqa: S608
        if setting is None or not setting[0]:
            connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('secure-delete', 1)")  # noqa: S608


def note_removal(connection: sqlite3.Connection) -> None:
    """Note in the transaction that removes entries that a merge has to begin."""
    _write_state(connection, _read_state(connection) | MERGE)


def tidy(connection: sqlite3.Connection, steps: int | None) -> bool:
    """Merge in at most ``steps`` steps, and rewrite a small file. Returns whether all is merged.

    A small file, or any file with ``steps`` None, is merged in as many steps as needed.
    """
    if _measure_bytes(connection) <= SMALL_BYTES:
        steps = None
    taken = 0
    while _read_state(connection) & (MERGE | MERGING) and (steps is None or taken < steps):
        _merge_step(connection)
        taken += 1
        time.sleep(_PAUSE_SECONDS)
    if _read_state(connection) == REWRITE and _measure_bytes(connection) <= SMALL_BYTES:
        _rewrite(connection)
    empty_log(connection)  # if a reader prevents it, the next call repeats it
    return not _read_state(connection) & (MERGE | MERGING)


def compact(connection: sqlite3.Connection) -> bool:
    """Merge everything and rewrite the file, if entries were removed since the last time. Returns whether it did."""
    if _read_state(connection) == CLEAN:
        return False
    tidy(connection, None)
    if _read_state(connection) != CLEAN:
        _rewrite(connection)
    return True


def needs_compaction(connection: sqlite3.Connection) -> bool:
    """Whether words of removed entries may still be in the file."""
    return _read_state(connection) != CLEAN


def _merge_step(connection: sqlite3.Connection) -> None:
    """Merge one step of each table, in one transaction.

    A merge is finished before the next one begins. If it included the new segments of every sync, it would restart each
    time.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        state = _read_state(connection)
        if state & MERGING:
            merged = sum(_merge(connection, table, STEP_PAGES) for table in TABLES)
            if not merged:
                _delete_extra_rows(connection)
                _write_state(connection, state & ~MERGING | REWRITE)
        else:
            _insert_extra_rows(connection)
            for table in TABLES:
                _merge(connection, table, -STEP_PAGES)
            _write_state(connection, state & ~MERGE | MERGING)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _merge(connection: sqlite3.Connection, table: str, pages: int) -> bool:
    """Merge pages; a negative number begins a merge of all segments. Returns whether there was anything to merge."""
    before = connection.total_changes
    connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', {pages})")  # noqa: S608 - fixed names
    return connection.total_changes - before >= 2  # documented at https://sqlite.org/fts5.html, "The 'merge' Command"


def _insert_extra_rows(connection: sqlite3.Connection) -> None:
    """Create a second segment, because a single one is never rewritten, and secure-delete leaves words in %_idx."""
    if has_secure_delete():
        for table in TABLES:
            connection.execute(f"REPLACE INTO {table} (rowid, text) VALUES ({EXTRA_ROW}, 'extra')")  # noqa: S608
        connection.execute("COMMIT")  # writes the segments
        connection.execute("BEGIN IMMEDIATE")


def _delete_extra_rows(connection: sqlite3.Connection) -> None:
    for table in TABLES:
        connection.execute(f"DELETE FROM {table} WHERE rowid = {EXTRA_ROW}")  # noqa: S608 - fixed names


def _rewrite(connection: sqlite3.Connection) -> None:
    before = _read_generation(connection)
    connection.execute("VACUUM")
    connection.execute("BEGIN IMMEDIATE")
    if _read_generation(connection) == before:  # else entries may have been removed meanwhile
        _write_state(connection, CLEAN)
    connection.execute("COMMIT")
    empty_log(connection)


def _read_state(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _write_state(connection: sqlite3.Connection, state: int) -> None:
    connection.execute(f"PRAGMA user_version={state}")


def _read_generation(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT generation FROM state").fetchone()[0])


def _measure_bytes(connection: sqlite3.Connection) -> int:
    (pages,), (size,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    return int(pages) * int(size)
