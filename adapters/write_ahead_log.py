"""SQLite's write-ahead log, a file beside the database that keeps old text until it is emptied, and pragmas."""

from __future__ import annotations

import random
import sqlite3
import time
from typing import Any

BUSY_MS = 1_000
"""How long emptying the log waits for readers, in milliseconds. Writers wait meanwhile."""


def empty_log(cursor: Any) -> bool:
    """Empty the log of a connection's database. Returns False if a reader still needs the log: try later."""
    (before,) = cursor.execute("PRAGMA busy_timeout").fetchone()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_MS}").fetchone()
    try:
        (is_busy, _, _) = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        cursor.execute(f"PRAGMA busy_timeout={before}").fetchone()
    return not is_busy


def set_pragmas(connection: Any, *pragmas: str, wait_ms: int) -> None:
    """Set pragmas of a new driver connection, for example ``journal_mode=WAL``.

    Retries while other processes lock the file, because SQLite's timeout does not apply to the journal mode of a new
    file. Raises sqlite3.OperationalError after ``wait_ms``.
    """
    ends = time.monotonic() + wait_ms / 1000
    for pragma in pragmas:
        while not _try_pragma(connection, pragma, is_last_try=time.monotonic() > ends):
            time.sleep(random.uniform(0.01, 0.05))  # noqa: S311 - spreads load


def _try_pragma(connection: Any, pragma: str, is_last_try: bool) -> bool:
    try:
        connection.execute(f"PRAGMA {pragma}").close()
    except sqlite3.OperationalError as error:
        if is_last_try or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True
