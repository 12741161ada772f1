"""Terms of entries and questions with their weights by BM25, where no full-text engine weighs them at each search.

A weight is the part of BM25 that does not depend on the other entries, as in SQLite FTS5's bm25(): with the mean length
that entries have in two wikis (ConfQuestions: 138 words and 434 grams, Apache's manual: 133 and 471). So an entry has
the same weights whenever it is added. The other factor, how rare a term is, is put in by the search.

Words are cut and stemmed by FTS5 itself, in memory: the embedded index and this one find the same words.
"""

from __future__ import annotations

import math
import sqlite3
import threading
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from core.ports.indexes import IndexEntry
from core.text import content_words, grams

COLUMN_WEIGHTS = {"title": 4.0, "heading": 2.0, "text": 1.0, "surroundings": 0.5}
"""In the ranking by words."""

MEAN_WORDS, MEAN_GRAMS = 136.0, 450.0
_K1, _B = 1.2, 0.75
_LEAST_RARITY = 1e-6

DIMENSIONS = 1_000_000_000
"""A term's number is below this; of a million terms 500 share one."""

Weights = dict[int, float]
"""By the numbers of terms, from 1."""

_SCHEMA = """
CREATE VIRTUAL TABLE texts USING fts5 (
    title, heading, text, surroundings, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE instances USING fts5vocab ('texts', 'instance');
"""
_INSTANCES = "SELECT doc, col, term, count(*) FROM instances GROUP BY doc, col, term"


class Words:
    """Cuts texts into words and stems them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._connection.executescript(_SCHEMA)

    def weigh(self, entries: Sequence[IndexEntry]) -> list[Weights]:
        """The weights of each entry's words."""
        frequencies: list[dict[str, float]] = [defaultdict(float) for _ in entries]
        lengths = [0] * len(entries)
        for row, column, term, times in self._find([_fields(entry) for entry in entries]):
            frequencies[row][term] += times * COLUMN_WEIGHTS[column]
            lengths[row] += times
        return [_weigh(found, length, MEAN_WORDS) for found, length in zip(frequencies, lengths, strict=True)]

    def terms(self, question: str, stopwords: frozenset[str], most: int) -> list[int]:
        """The numbers of the first content words of a question."""
        asked = content_words(question, stopwords)[:most]
        return list(
            dict.fromkeys(number_of(term) for *_, term, _ in self._find([(word, "", "", "") for word in asked]))
        )

    def _find(self, texts: Sequence[tuple[str, str, str, str]]) -> list[tuple[int, str, str, int]]:
        """Row, column, word and how often it is there."""
        with self._lock:
            self._connection.executemany(
                "INSERT INTO texts (rowid, title, heading, text, surroundings) VALUES (?, ?, ?, ?, ?)",
                ((row, *columns) for row, columns in enumerate(texts)),
            )
            found = self._connection.execute(_INSTANCES).fetchall()
            self._connection.execute("INSERT INTO texts (texts) VALUES ('delete-all')")
        return found


def weigh_grams(entries: Sequence[IndexEntry]) -> list[Weights]:
    """The weights of each entry's character 4-grams."""
    found = [Counter(grams("\n".join(_fields(entry)))) for entry in entries]
    return [_weigh(frequencies, frequencies.total(), MEAN_GRAMS) for frequencies in found]


def gram_terms(question: str, stopwords: frozenset[str], most_words: int) -> list[int]:
    """The numbers of the character 4-grams of a question's first content words."""
    asked = " ".join(content_words(question, stopwords)[:most_words])
    return list(dict.fromkeys(map(number_of, grams(asked))))


def rarity(entries_with_it: int, entries: int) -> float:
    """How much a term tells that so many of the entries have; what most have counts for almost nothing."""
    return max(math.log((entries - entries_with_it + 0.5) / (entries_with_it + 0.5)), _LEAST_RARITY)


def number_of(term: str) -> int:
    """A term's number."""
    return zlib.crc32(term.encode("utf-8", "surrogatepass")) % (DIMENSIONS - 1) + 1


def _fields(entry: IndexEntry) -> tuple[str, str, str, str]:
    return entry.title, entry.heading, entry.text, entry.surroundings


def _weigh(frequencies: Mapping[str, float], length: int, mean: float) -> Weights:
    return weigh_frequencies({number_of(term): times for term, times in frequencies.items()}, length, mean)


def weigh_frequencies(frequencies: Mapping[int, float], length: int, mean: float) -> Weights:
    """The weights of terms that are so often in an entry of ``length`` terms."""
    saturation = _K1 * (1 - _B + _B * length / mean)
    return {term: times * (_K1 + 1) / (times + saturation) for term, times in frequencies.items()}
