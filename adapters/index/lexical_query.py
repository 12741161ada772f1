"""How a question becomes FTS5 queries.

Terms are OR-joined; BM25 sorts. A frequent gram adds little to a BM25 score (nothing from half of the entries on, where
FTS5 floors its weight at 1e-6) but makes all its entries candidates: those are left out as long as the others find
enough. On 4,031 entries and 360 questions this halves the time; P@1 by grams stays at .708.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Sequence

from core.ports.indexes import AccessFilter, Hit, LexicalHits
from core.text import content_words, grams

MAX_WORDS = 64
MAX_GRAMS = 32
"""The rarest ones of a question."""

FREQUENT = 0.25
"""A gram of more than this share of the entries is frequent."""

COLUMN_WEIGHTS = "4.0, 2.0, 1.0, 0.5"
"""Of title, heading, text and surroundings in the ranking by words."""

WORDS = f"""
    SELECT entries.key, -bm25(words, {COLUMN_WEIGHTS}) AS score
    FROM words JOIN entries ON entries.id = words.rowid
    WHERE words MATCH ?
      AND entries.space IN (SELECT value FROM json_each(?))
      AND (entries.access = '' OR entries.access IN (SELECT value FROM json_each(?)))
    ORDER BY score DESC, entries.key LIMIT ?
"""  # noqa: S608 - only the weights are put in
GRAMS = """
    SELECT entries.key, -bm25(grams) AS score
    FROM grams JOIN entries ON entries.id = grams.rowid
    WHERE grams MATCH ?
      AND entries.space IN (SELECT value FROM json_each(?))
      AND (entries.access = '' OR entries.access IN (SELECT value FROM json_each(?)))
    ORDER BY score DESC, entries.key LIMIT ?
"""


class GramFrequencies:
    """In how many entries a gram is: looked up once for each generation of the index."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generation = -1
        self._known: dict[str, int] = {}

    def of(self, connection: sqlite3.Connection, generation: int, wanted: Sequence[str]) -> dict[str, int]:
        """Gram to the number of entries that have it."""
        with self._lock:
            known = dict(self._known) if generation == self._generation else {}
        for gram in wanted:
            if gram not in known:
                row = connection.execute("SELECT doc FROM grams_terms WHERE term = ?", (gram,)).fetchone()
                known[gram] = row[0] if row else 0
        with self._lock:
            self._generation, self._known = generation, known
        return {gram: known[gram] for gram in wanted}


def search(
    connection: sqlite3.Connection, frequencies: GramFrequencies, question: str, reach: AccessFilter, limit: int
) -> LexicalHits:
    """Both rankings; none for a question without a word, a reach without a space or a limit of 0."""
    asked = content_words(question)[:MAX_WORDS]
    if not asked or not reach.spaces or limit <= 0:
        return LexicalHits([], [])
    words = _hits(connection, WORDS, asked, reach, limit)
    wanted = list(dict.fromkeys(grams(" ".join(asked))))
    generation, entries = connection.execute("SELECT generation, entries FROM state").fetchone()
    counts = frequencies.of(connection, generation, wanted)
    found = [gram for gram in sorted(wanted, key=lambda gram: (counts[gram], gram)) if counts[gram]]
    rare = [gram for gram in found if counts[gram] <= entries * FREQUENT][:MAX_GRAMS]
    hits = _hits(connection, GRAMS, rare, reach, limit)
    if len(hits) < limit and len(rare) < len(found):
        hits = _hits(connection, GRAMS, found, reach, limit)
    return LexicalHits(words, hits)


def _hits(
    connection: sqlite3.Connection, query: str, terms: Sequence[str], reach: AccessFilter, limit: int
) -> list[Hit]:
    if not terms:
        return []
    match = " OR ".join(f'"{term}"' for term in terms)
    parameters = (match, json.dumps(reach.spaces), json.dumps(sorted(reach.access)), limit)
    return [Hit(key, score) for key, score in connection.execute(query, parameters)]
