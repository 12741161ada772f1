"""Writing of the full-text index: adding and removing entries, merging blocks, erasing removed terms from the file.

Each call of :func:`add_entries` writes a block per space. A removed entry leaves its lists until its block is merged.
Merges are short steps, because a search has to wait for none of them, and other writers only for one. As with every
table, copies may remain in the unused space of database pages until the file is rewritten.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import numpy as np

from adapters.index.bm25 import Weights
from adapters.index.postings import MOST_ENTRIES, Slots, make_id, make_postings, merge_postings
from adapters.write_ahead_log import empty_log
from core.model import IndexEntry

SCHEMA = """
CREATE TABLE IF NOT EXISTS blocks (
    block INTEGER PRIMARY KEY AUTOINCREMENT, space TEXT NOT NULL, slots INTEGER NOT NULL,
    removed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS blocks_space ON blocks (space);
CREATE TABLE IF NOT EXISTS members (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, access TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS postings (id INTEGER PRIMARY KEY, entries BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS generations (id INTEGER PRIMARY KEY CHECK (id = 1), generation INTEGER NOT NULL);
INSERT OR IGNORE INTO generations VALUES (1, 0);
"""
"""``removed``: entries whose terms are still in the lists. The id of a member is its block and its slot. ``postings``:
see :mod:`adapters.index.postings`."""

SLOT_BITS = 16

SMALL_BYTES = 32 * 2**20
"""Largest file that is rewritten at once: a file of this size takes a fraction of a second."""

_MOST_SMALL = 16
"""Blocks of a space with less than half of the entries that a block may have. More are merged when one is added."""

_IS_SMALL = f"slots < {MOST_ENTRIES // 2}"
_PAUSE_SECONDS = 0.001  # between two steps, because others that wait for SQLite's lock poll it

CLEAN, REWRITE = 0, 1
"""In ``PRAGMA user_version``: whether the file has to be rewritten because of removed terms."""

Weighed = tuple[Sequence[Weights], Sequence[Weights]]
"""The weights of the words and of the 4-grams of entries."""


@contextmanager
def open_transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    connection.execute(f"BEGIN {kind}")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):  # the first error is the one to raise
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def find_new(connection: sqlite3.Connection, entries: Sequence[IndexEntry]) -> list[IndexEntry]:
    """Return the entries that the index does not have, each key once."""
    unique = {entry.key: entry for entry in entries}
    query = "SELECT key FROM members WHERE key IN (SELECT value FROM json_each(?))"
    known = {key for (key,) in connection.execute(query, (json.dumps(list(unique)),))}
    return [entry for key, entry in unique.items() if key not in known]


def add_entries(connection: sqlite3.Connection, entries: Sequence[IndexEntry], weighed: Weighed) -> None:
    """Add entries in one transaction. Keys that have been added meanwhile stay unchanged."""
    with open_transaction(connection):
        new = {entry.key for entry in find_new(connection, entries)}
        numbers = [number for number, entry in enumerate(entries) if entry.key in new]
        for space in dict.fromkeys(entries[number].space for number in numbers):
            of_space = [number for number in numbers if entries[number].space == space]
            for start in range(0, len(of_space), MOST_ENTRIES):
                _add_block(connection, space, entries, weighed, of_space[start : start + MOST_ENTRIES])
            _merge_if_many(connection, space)
        _note_change(connection)


def remove_entries(connection: sqlite3.Connection, space: str, keys: Sequence[str]) -> None:
    """Remove the keys of a space in one transaction. Their terms stay until :func:`tidy`."""
    query = "SELECT id FROM members WHERE key IN (SELECT value FROM json_each(?))"
    with open_transaction(connection):
        found = [member for (member,) in connection.execute(query, (json.dumps(list(keys)),))]
        blocks = {block for (block,) in connection.execute("SELECT block FROM blocks WHERE space = ?", (space,))}
        removed = [member for member in found if member >> SLOT_BITS in blocks]
        connection.executemany("DELETE FROM members WHERE id = ?", [(member,) for member in removed])
        counts = Counter(member >> SLOT_BITS for member in removed)
        connection.executemany(
            "UPDATE blocks SET removed = removed + ? WHERE block = ?",
            [(count, block) for block, count in counts.items()],
        )
        if removed:
            _note_change(connection)


def tidy(connection: sqlite3.Connection, steps: int | None) -> bool:
    """Merge blocks in at most ``steps`` steps, and rewrite a small file. Returns whether no removed term is left.

    A small file, or any file with ``steps`` None, is merged in as many steps as needed.
    """
    if _measure_bytes(connection) <= SMALL_BYTES:
        steps = None
    taken = 0
    while (steps is None or taken < steps) and _has_blocks_to_merge(connection):
        with open_transaction(connection):
            if blocks := _find_blocks_to_merge(connection):  # another thread may have merged the others
                _merge(connection, blocks)
                _note_change(connection)
        taken += 1
        time.sleep(_PAUSE_SECONDS)
    if _needs_rewrite(connection) and not has_removed(connection) and _measure_bytes(connection) <= SMALL_BYTES:
        _rewrite(connection)
    empty_log(connection)  # if a reader prevents it, the next call repeats it
    return not has_removed(connection)


def compact(connection: sqlite3.Connection) -> bool:
    """Merge everything and rewrite the file, if entries were removed since the last time. Returns whether it did."""
    if not needs_compaction(connection):
        return False
    tidy(connection, None)
    if _needs_rewrite(connection):
        _rewrite(connection)
    return True


def needs_compaction(connection: sqlite3.Connection) -> bool:
    """Whether terms of removed entries may still be in the file."""
    return _needs_rewrite(connection) or has_removed(connection)


def has_removed(connection: sqlite3.Connection) -> bool:
    """Whether the lists have removed entries."""
    return connection.execute("SELECT 1 FROM blocks WHERE removed > 0 LIMIT 1").fetchone() is not None


def read_generation(connection: sqlite3.Connection) -> int:
    """Return a number that changes with every change of the index."""
    return int(connection.execute("SELECT generation FROM generations").fetchone()[0])


def _add_block(
    connection: sqlite3.Connection, space: str, entries: Sequence[IndexEntry], weighed: Weighed, chosen: Sequence[int]
) -> None:
    words, grams = ([weights[number] for number in chosen] for weights in weighed)
    block = _write_block(connection, space, len(chosen), make_postings(words, grams))
    connection.executemany(
        "INSERT INTO members VALUES (?, ?, ?)",
        [
            (block << SLOT_BITS | slot, entries[number].key, entries[number].access)
            for slot, number in enumerate(chosen)
        ],
    )


def _write_block(connection: sqlite3.Connection, space: str, slots: int, postings: Iterator[tuple[int, bytes]]) -> int:
    block = connection.execute("INSERT INTO blocks (space, slots) VALUES (?, ?)", (space, slots)).lastrowid or 0
    connection.executemany(
        "INSERT INTO postings VALUES (?, ?)", ((make_id(block, code), entries) for code, entries in postings)
    )
    return block


def _merge_if_many(connection: sqlite3.Connection, space: str) -> None:
    query = f"SELECT block FROM blocks WHERE space = ? AND {_IS_SMALL} ORDER BY slots"  # noqa: S608 - a constant
    small = [block for (block,) in connection.execute(query, (space,))]
    if len(small) > _MOST_SMALL:
        _merge(connection, _limit(connection, small))


def _has_blocks_to_merge(connection: sqlite3.Connection) -> bool:
    with open_transaction(connection, "DEFERRED"):  # another thread may merge them between two queries
        return bool(_find_blocks_to_merge(connection))


def _find_blocks_to_merge(connection: sqlite3.Connection) -> list[int]:
    """Return a block with removed entries and the small ones of its space, or all small ones of another space."""
    query = "SELECT space, block FROM blocks WHERE removed > 0 ORDER BY block LIMIT 1"
    if found := connection.execute(query).fetchone():
        space, first = found
    else:
        query = f"SELECT space FROM blocks WHERE {_IS_SMALL} GROUP BY space HAVING count(*) > 1 LIMIT 1"  # noqa: S608
        if not (found := connection.execute(query).fetchone()):
            return []
        space, first = found[0], 0
    query = f"SELECT block FROM blocks WHERE space = ? AND {_IS_SMALL} AND block <> ? ORDER BY slots"  # noqa: S608
    small = [block for (block,) in connection.execute(query, (space, first))]
    return _limit(connection, [first, *small] if first else small)


def _limit(connection: sqlite3.Connection, blocks: Sequence[int]) -> list[int]:
    """Return the first of these blocks that fit into one."""
    query = "SELECT block, slots - removed FROM blocks WHERE block IN (SELECT value FROM json_each(?))"
    entries: dict[int, int] = dict(connection.execute(query, (json.dumps(list(blocks)),)))
    totals = np.cumsum([entries[block] for block in blocks])
    return [block for block, total in zip(blocks, totals.tolist(), strict=True) if total <= MOST_ENTRIES]


def _merge(connection: sqlite3.Connection, blocks: Sequence[int]) -> None:
    """Replace blocks of one space by one without their removed entries."""
    members: list[tuple[int, str, str]] = []
    slots: dict[int, Slots] = {}
    lists: list[tuple[int, bytes]] = []
    (space,) = connection.execute("SELECT space FROM blocks WHERE block = ?", (blocks[0],)).fetchone()
    for block in blocks:
        (used,) = connection.execute("SELECT slots FROM blocks WHERE block = ?", (block,)).fetchone()
        found = connection.execute(
            "SELECT id, key, access FROM members WHERE id BETWEEN ? AND ?", _get_member_range(block)
        )
        slots[block] = np.full(used, -1)
        for member, key, access in found.fetchall():
            slots[block][member & (1 << SLOT_BITS) - 1] = len(members)
            members.append((len(members), key, access))
        lists += connection.execute("SELECT id, entries FROM postings WHERE id BETWEEN ? AND ?", _get_list_range(block))
        if (slots[block] < 0).any():
            connection.execute(f"PRAGMA user_version={REWRITE}")
        connection.execute("DELETE FROM members WHERE id BETWEEN ? AND ?", _get_member_range(block))
        connection.execute("DELETE FROM postings WHERE id BETWEEN ? AND ?", _get_list_range(block))
        connection.execute("DELETE FROM blocks WHERE block = ?", (block,))
    if members:
        new = _write_block(connection, space, len(members), merge_postings(lists, slots))
        connection.executemany(
            "INSERT INTO members VALUES (?, ?, ?)",
            [(new << SLOT_BITS | slot, key, access) for slot, key, access in members],
        )


def _get_member_range(block: int) -> tuple[int, int]:
    return block << SLOT_BITS, (block + 1 << SLOT_BITS) - 1


def _get_list_range(block: int) -> tuple[int, int]:
    return make_id(block, 0), make_id(block + 1, 0) - 1


def _note_change(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE generations SET generation = generation + 1")


def _rewrite(connection: sqlite3.Connection) -> None:
    before = read_generation(connection)
    connection.execute("VACUUM")
    with open_transaction(connection):
        if read_generation(connection) == before:  # else entries may have been removed meanwhile
            connection.execute(f"PRAGMA user_version={CLEAN}")
    empty_log(connection)


def _needs_rewrite(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA user_version").fetchone()[0] != CLEAN)


def _measure_bytes(connection: sqlite3.Connection) -> int:
    (pages,), (size,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    return int(pages) * int(size)
