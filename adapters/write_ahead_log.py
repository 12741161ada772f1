"""SQLite's write-ahead log, a file beside the database that keeps overwritten text until it is emptied; and pragmas."""

from __future__ import annotations

import random
import sqlite3
import time
from typing import Any

BUSY_MS = 1_000
"""How long emptying it waits for readers, in milliseconds: writers wait meanwhile."""


def empty_log(cursor: Any) -> bool:
    """Takes old text out of the log of a connection's database. False where a reader needs it: try again later."""
    (before,) = cursor.execute("PRAGMA busy_timeout").fetchone()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_MS}").fetchone()
    try:
        (is_busy, _, _) = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        cursor.execute(f"PRAGMA busy_timeout={before}").fetchone()
    return not is_busy


def set_pragmas(connection: Any, *pragmas: str, wait_ms: int) -> None:
    """Sets pragmas of a new connection of the driver's own, ``journal_mode=WAL`` among them.

    It waits for other processes itself: SQLite's time-out does not count for the journal mode of a new file. Raises
    sqlite3.OperationalError where they take longer.
    """
    ends = time.monotonic() + wait_ms / 1000
    for pragma in pragmas:
        while not _set(connection, pragma, is_last_try=time.monotonic() > ends):
            time.sleep(random.uniform(0.01, 0.05))  # noqa: S311 - spreads load


def _set(connection: Any, pragma: str, is_last_try: bool) -> bool:
    try:
        connection.execute(f"PRAGMA {pragma}").close()
    except sqlite3.OperationalError as error:
        if is_last_try or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True
