"""Upgrade of a full-text index that an earlier version made with SQLite's FTS5, which stored the texts, too."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from adapters.index.lexical_blocks import REWRITE, open_transaction
from core.model import IndexEntry

_AT_ONCE = 500
_TABLES = ("grams_terms", "words", "grams", "entries", "entry_counts", "state")
_ENTRIES = """
SELECT entries.id, key, space, access, title, heading, text, surroundings
FROM entries JOIN words ON words.rowid = entries.id WHERE entries.id > ? ORDER BY entries.id LIMIT ?
"""


def upgrade(connection: sqlite3.Connection, add: Callable[[sqlite3.Connection, Sequence[IndexEntry]], None]) -> None:
    """Add the entries of the old tables, then delete these. If it is interrupted, the next call does the rest.

    200,000 entries take some minutes.
    """
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'entries'").fetchone() is None:
        return
    last = 0
    while rows := connection.execute(_ENTRIES, (last, _AT_ONCE)).fetchall():
        add(connection, [IndexEntry(*(field or "" for field in row[1:])) for row in rows])
        last = rows[-1][0]
    with open_transaction(connection):
        for table in _TABLES:
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        connection.execute(f"PRAGMA user_version={REWRITE}")
