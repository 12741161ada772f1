"""SQLite's write-ahead log: a file beside the database that keeps what was overwritten until it is emptied."""

from __future__ import annotations

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
