"""The full-text index in a SQLite file: a ranking by words and one by character 4-grams.

The file has no text, only lists of entries by the number of a term (:mod:`adapters.index.postings`). Each space has
blocks of its own. A search reads the lists of its spaces, adds up the scores of all their entries at once, and leaves
out entries that the access filter does not admit before it takes the best.

A frequent 4-gram adds little to a score, but its lists are long. So frequent ones are left out if the others find
enough.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from adapters.index import lexical_blocks
from adapters.index.bm25 import FREQUENT, MAX_GRAMS, MAX_WORDS, Words, compute_rarity, find_gram_terms, weigh_grams
from adapters.index.damage import make_damage_error
from adapters.index.lexical_blocks import SCHEMA, SLOT_BITS, open_transaction, read_generation
from adapters.index.lexical_upgrade import upgrade
from adapters.index.postings import GRAMS, WORDS, count_postings, make_code, score_entries
from adapters.private_files import make_private_file
from adapters.write_ahead_log import set_pragmas
from core.languages import find_stopwords
from core.model import IndexEntry
from core.ports.indexes import AccessFilter, Hit, LexicalHits

T = TypeVar("T")

BUSY_MS = 10_000

_COUNTS = """
SELECT term.value, sum(length(postings.entries)) FROM blocks CROSS JOIN json_each(?) AS term
JOIN postings ON postings.id = (blocks.block << 31 | term.value) GROUP BY term.value
"""
_LISTS = """
SELECT blocks.block, term.value, postings.entries FROM blocks CROSS JOIN json_each(?) AS term
JOIN postings ON postings.id = (blocks.block << 31 | term.value)
WHERE blocks.space IN (SELECT value FROM json_each(?)) ORDER BY term.key
"""


class SqliteLexicalIndex:
    """A full-text index in its own SQLite file."""

    def __init__(self, path: Path, reads_only: bool = False) -> None:
        self._path = path
        self._reads_only = reads_only
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._words = Words()
        self._known = _SearchCache()

    @classmethod
    def open(cls, path: Path) -> SqliteLexicalIndex:
        """Open the index, and create it if it does not exist. Raises :class:`core.errors.IndexDamaged`."""
        try:
            make_private_file(path)
        except OSError as error:
            raise make_damage_error("full-text", str(path), str(error)) from error
        index = cls(path)
        with index._borrow_connection() as connection:
            connection.executescript(SCHEMA)
            upgrade(connection, index._add)
        return index

    @classmethod
    def open_reader(cls, path: Path) -> SqliteLexicalIndex:
        """Open the index of a process that has opened it already. Writing fails."""
        return cls(path, reads_only=True)

    def close(self) -> None:
        """Close every idle connection."""
        with self._lock:
            connections, self._idle = self._idle, []
        for connection in connections:
            connection.close()

    async def add(self, entries: Sequence[IndexEntry]) -> None:
        await self._run(lambda connection: self._add(connection, entries))

    async def remove(self, space: str, keys: Collection[str]) -> None:
        """Remove keys of a space. Unknown keys are ignored. :meth:`tidy` erases their terms from the file."""
        await self._run(lambda connection: lexical_blocks.remove_entries(connection, space, list(keys)))

    async def search(self, question: str, access_filter: AccessFilter, limit: int) -> LexicalHits:
        """Return the best admitted entries by words and by 4-grams. Scores are BM25, ties ordered by key."""
        return await self._run(lambda connection: self._search(connection, question, access_filter, limit))

    async def load_keys(self, space: str) -> set[str]:
        query = """
        SELECT key FROM blocks JOIN members ON members.id BETWEEN block << 16 AND (block + 1 << 16) - 1 WHERE space = ?
        """
        return await self._run(lambda connection: {row[0] for row in connection.execute(query, (space,))})

    async def count(self, space: str) -> int:
        query = "SELECT coalesce(sum(slots - removed), 0) FROM blocks WHERE space = ?"
        return int(await self._run(lambda connection: connection.execute(query, (space,)).fetchone()[0]))

    async def tidy(self, steps: int) -> bool:
        return await self._run(lambda connection: lexical_blocks.tidy(connection, steps))

    async def needs_compaction(self) -> bool:
        return await self._run(lexical_blocks.needs_compaction)

    async def compact(self) -> bool:
        return await self._run(lexical_blocks.compact)

    def _add(self, connection: sqlite3.Connection, entries: Sequence[IndexEntry]) -> None:
        new = lexical_blocks.find_new(connection, entries)
        if new:
            lexical_blocks.add_entries(connection, new, (self._words.weigh(new), weigh_grams(new)))

    def _search(
        self, connection: sqlite3.Connection, question: str, access_filter: AccessFilter, limit: int
    ) -> LexicalHits:
        stopwords = find_stopwords(question)
        words = [make_code(term, WORDS) for term in self._words.find_terms(question, stopwords, MAX_WORDS)]
        grams = [make_code(term, GRAMS) for term in find_gram_terms(question, stopwords, MAX_WORDS)]
        if not access_filter.spaces or limit <= 0:
            return LexicalHits([], [])
        with open_transaction(connection, "DEFERRED"):  # all queries see the same state
            search = _Search(connection, self._known, access_filter, limit)
            rarest = search.sort_by_rarity(grams)
            rare = [code for code in rarest if search.counts[code] <= search.total * FREQUENT][:MAX_GRAMS]
            by_grams = search.rank(rare)
            if len(by_grams) < limit and len(rare) < len(rarest):
                by_grams = search.rank(rarest)
            return LexicalHits(search.rank(search.sort_by_rarity(words)), by_grams)

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def run() -> T:
            with self._borrow_connection() as connection:
                return work(connection)

        return await asyncio.to_thread(run)

    @contextmanager
    def _borrow_connection(self) -> Iterator[sqlite3.Connection]:
        """Borrow an idle connection or open one. A connection is used by one thread at a time."""
        try:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            connection = connection or self._connect()
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            with self._lock:
                self._idle.append(connection)
        except (sqlite3.DatabaseError, _ListDamaged) as error:
            raise make_damage_error("full-text", str(self._path), str(error)) from error

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False, cached_statements=32
        )
        try:
            set_pragmas(
                connection,
                "journal_mode=WAL",
                "synchronous=FULL",
                "secure_delete=ON",
                "cache_size=-32000",
                f"query_only={self._reads_only:d}",
                wait_ms=BUSY_MS,
            )
        except BaseException:
            connection.close()
            raise
        return connection


class _ListDamaged(Exception):
    """A list of postings that does not fit its block."""


@dataclass(frozen=True, slots=True)
class _Block:
    """The access ids of a block's entries. ``numbers``: per slot, index of ``ids``, the last one for removed entries.

    The first id is "", for entries that all readers of the space may see, and the last one is None.
    """

    removed: int
    numbers: NDArray[np.int32]
    ids: tuple[str | None, ...]

    def admit(self, access: frozenset[str]) -> NDArray[np.bool_]:
        """Return per slot whether a filter with these access ids admits the entry."""
        admitted = np.array([not each or each in access for each in self.ids])
        admitted[-1] = False
        found: NDArray[np.bool_] = admitted[self.numbers]
        return found


class _SearchCache:
    """What searches keep in memory: blocks, which change only by removals, and counts for one generation."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks: dict[int, _Block] = {}
        self._generation = -1
        self._counts: dict[int, int] = {}

    def load_blocks(self, connection: sqlite3.Connection, wanted: Sequence[tuple[int, int, int]]) -> list[_Block]:
        """Return blocks. ``wanted``: number, slots and number of removed entries of each."""
        with self._lock:
            known = dict(self._blocks)
        for block, slots, removed in wanted:
            if block not in known or known[block].removed != removed:
                known[block] = _load_block(connection, block, slots, removed)
        with self._lock:
            self._blocks = known
        return [known[block] for block, *_ in wanted]

    def count(self, connection: sqlite3.Connection, codes: Sequence[int]) -> dict[int, int]:
        """Return the number of entries that have each term."""
        generation = read_generation(connection)
        with self._lock:
            if generation != self._generation:
                self._generation, self._counts = generation, {}
                self._blocks = _keep_existing(connection, self._blocks)
            known = dict(self._counts)
        if new := [code for code in codes if code not in known]:
            known |= dict.fromkeys(new, 0)
            known |= {code: count_postings(size) for code, size in connection.execute(_COUNTS, (json.dumps(new),))}
            with self._lock:
                if generation == self._generation:
                    self._counts = known
        return {code: known[code] for code in codes}


def _keep_existing(connection: sqlite3.Connection, blocks: Mapping[int, _Block]) -> dict[int, _Block]:
    existing = {block for (block,) in connection.execute("SELECT block FROM blocks")}
    return {block: known for block, known in blocks.items() if block in existing}


def _load_block(connection: sqlite3.Connection, block: int, slots: int, removed: int) -> _Block:
    query = "SELECT id, access FROM members WHERE id BETWEEN ? AND ?"
    found = connection.execute(query, (block << SLOT_BITS, (block + 1 << SLOT_BITS) - 1)).fetchall()
    numbers: dict[str, int] = {"": 0}
    for _, access in found:
        numbers.setdefault(access, len(numbers))
    of_slots = np.full(slots, len(numbers), np.int32)
    of_slots[[member & (1 << SLOT_BITS) - 1 for member, _ in found]] = [numbers[access] for _, access in found]
    return _Block(removed, of_slots, (*numbers, None))


class _Search:
    """A search in the blocks of a filter's spaces."""

    def __init__(
        self, connection: sqlite3.Connection, known: _SearchCache, access_filter: AccessFilter, limit: int
    ) -> None:
        self._connection = connection
        self._known = known
        self._limit = limit
        self._spaces = json.dumps(access_filter.spaces)
        query = """
        SELECT block, slots, removed FROM blocks WHERE space IN (SELECT value FROM json_each(?)) ORDER BY block
        """
        blocks = connection.execute(query, (self._spaces,)).fetchall()
        self._numbers = [block for block, *_ in blocks]
        starts = np.cumsum([0, *(slots for _, slots, _ in blocks)]).tolist()
        self._starts = dict(zip(self._numbers, starts, strict=False))
        self._entries = starts[-1]
        admitted = [block.admit(access_filter.access) for block in known.load_blocks(connection, blocks)]
        self._admitted = np.concatenate([np.zeros(0, bool), *admitted])
        self.total = int(connection.execute("SELECT coalesce(sum(slots), 0) FROM blocks").fetchone()[0])  # as in counts
        self.counts: dict[int, int] = {}

    def sort_by_rarity(self, codes: Sequence[int]) -> list[int]:
        """Return the terms that any entry has, rarest first."""
        self.counts |= self._known.count(self._connection, codes)
        return sorted((code for code in codes if self.counts[code]), key=lambda code: (self.counts[code], code))

    def rank(self, codes: Sequence[int]) -> list[Hit]:
        """Return the best admitted entries by the BM25 weights of these terms."""
        rarities = {code: compute_rarity(self.counts[code], self.total) for code in codes}
        found = self._connection.execute(_LISTS, (json.dumps(codes), self._spaces))
        lists = [(self._starts[block], entries, rarities[code]) for block, code, entries in found]
        try:
            scores = score_entries(lists, self._entries)
        except ValueError as error:
            raise _ListDamaged(str(error)) from error
        if len(scores) != self._entries:
            raise _ListDamaged("a list has an entry that its block does not have")
        scores[~self._admitted] = 0.0
        return self._take_best(scores)

    def _take_best(self, scores: NDArray[np.float64]) -> list[Hit]:
        found = np.flatnonzero(scores > 0)
        if len(found) > self._limit:
            least = np.partition(scores[found], -self._limit)[-self._limit]
            found = found[scores[found] >= least]
        starts = np.array(list(self._starts.values()))
        at = np.searchsorted(starts, found, side="right") - 1
        members = (np.array(self._numbers)[at] << SLOT_BITS | found - starts[at]).tolist() if len(found) else []
        query = "SELECT id, key FROM members WHERE id IN (SELECT value FROM json_each(?))"
        keys = dict(self._connection.execute(query, (json.dumps(members),)))
        hits = [Hit(keys[member], float(scores[place])) for member, place in zip(members, found, strict=True)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.key))[: self._limit]
