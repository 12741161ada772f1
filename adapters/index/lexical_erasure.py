"""How the words of removed entries leave the file of the full-text index.

FTS5 only marks a removed row as such in its segments, where ``PRAGMA secure_delete`` does not reach. From SQLite 3.42
on a table can be told to take words out of them at once (https://sqlite.org/fts5.html, "secure-delete"), but for those
that divide one leaf of a segment from the next. Therefore segments are merged after removals with every SQLite, and
what is not in use is dropped: in short steps, for at once it takes as long as making the index. Like every table, these
too leave copies in the unused space of the file's pages, which go when the file is rewritten.
"""

from __future__ import annotations

import sqlite3
import time

from adapters.write_ahead_log import empty_log

SECURE_DELETE_SINCE = (3, 42, 0)

TABLES = ("words", "grams")

STEP_PAGES = 100
"""Of FTS5, about 4 KB each, written in one step: some hundredths of a second."""

SMALL_BYTES = 32 * 2**20
"""A file up to this size is rewritten in a fraction of a second."""

EXTRA_ROW = -1
"""A row that is no entry's, see :func:`_insert_extra_rows`."""

# What ``PRAGMA user_version`` says is left to do: nothing, or rewrite the file, begin a merge, go on with one.
CLEAN, REWRITE, MERGE, MERGING = 0, 1, 2, 4

_PAUSE_SECONDS = 0.001  # between two steps: others who wait for SQLite's lock look for it now and then


def has_secure_delete() -> bool:
    """Whether this SQLite takes words out of FTS5's index as rows are removed."""
    return sqlite3.sqlite_version_info >= SECURE_DELETE_SINCE


def set_secure_delete(connection: sqlite3.Connection) -> None:
    """Tells FTS5 to take words out of its index as rows are removed, where it can."""
    if not has_secure_delete():
        return
    for table in TABLES:
        setting = connection.execute(f"SELECT v FROM {table}_config WHERE k = 'secure-delete'").fetchone()  # noqa: S608
        if setting is None or not setting[0]:
            connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('secure-delete', 1)")  # noqa: S608


def note_removal(connection: sqlite3.Connection) -> None:
    """Notes in the transaction that removes entries that a merge has to begin."""
    _set_state(connection, _state(connection) | MERGE)


def tidy(connection: sqlite3.Connection, steps: int | None) -> bool:
    """Merges in so many steps (a small file: in all it takes) and rewrites a small file; whether all is merged."""
    if _size(connection) <= SMALL_BYTES:
        steps = None
    taken = 0
    while _state(connection) & (MERGE | MERGING) and (steps is None or taken < steps):
        _merge_some(connection)
        taken += 1
        time.sleep(_PAUSE_SECONDS)
    if _state(connection) == REWRITE and _size(connection) <= SMALL_BYTES:
        _rewrite(connection)
    empty_log(connection)  # where it is busy, the next call does it
    return not _state(connection) & (MERGE | MERGING)


def compact(connection: sqlite3.Connection) -> bool:
    """Merges to the end and rewrites the file, if entries were removed since it was last; whether it did."""
    if _state(connection) == CLEAN:
        return False
    tidy(connection, None)
    if _state(connection) != CLEAN:
        _rewrite(connection)
    return True


def needs_compaction(connection: sqlite3.Connection) -> bool:
    """Whether words of removed entries may still be in the file."""
    return _state(connection) != CLEAN


def _merge_some(connection: sqlite3.Connection) -> None:
    """One step of each table, in one transaction.

    A merge that has begun is ended before the next begins: new segments come with every sync, and taking them in would
    begin it anew each time.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        state = _state(connection)
        if state & MERGING:
            merged = sum(_merge(connection, table, STEP_PAGES) for table in TABLES)
            if not merged:
                _delete_extra_rows(connection)
                _set_state(connection, state & ~MERGING | REWRITE)
        else:
            _insert_extra_rows(connection)
            for table in TABLES:
                _merge(connection, table, -STEP_PAGES)
            _set_state(connection, state & ~MERGE | MERGING)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _merge(connection: sqlite3.Connection, table: str, pages: int) -> bool:
    """Whether there was anything to merge. A negative number of pages begins a merge of all segments."""
    before = connection.total_changes
    connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', {pages})")  # noqa: S608 - fixed names
    return connection.total_changes - before >= 2  # as FTS5's documentation says


def _insert_extra_rows(connection: sqlite3.Connection) -> None:
    """A second segment: one alone is never rewritten, and secure-delete leaves some words in its directory (%_idx)."""
    if has_secure_delete():
        for table in TABLES:
            connection.execute(f"REPLACE INTO {table} (rowid, text) VALUES ({EXTRA_ROW}, 'extra')")  # noqa: S608
        connection.execute("COMMIT")  # which writes the segments
        connection.execute("BEGIN IMMEDIATE")


def _delete_extra_rows(connection: sqlite3.Connection) -> None:
    for table in TABLES:
        connection.execute(f"DELETE FROM {table} WHERE rowid = {EXTRA_ROW}")  # noqa: S608 - fixed names


def _rewrite(connection: sqlite3.Connection) -> None:
    before = _generation(connection)
    connection.execute("VACUUM")
    connection.execute("BEGIN IMMEDIATE")
    if _generation(connection) == before:  # else entries may have been removed meanwhile
        _set_state(connection, CLEAN)
    connection.execute("COMMIT")
    empty_log(connection)


def _state(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _set_state(connection: sqlite3.Connection, state: int) -> None:
    connection.execute(f"PRAGMA user_version={state}")


def _generation(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT generation FROM state").fetchone()[0])


def _size(connection: sqlite3.Connection) -> int:
    (pages,), (size,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    return int(pages) * int(size)
