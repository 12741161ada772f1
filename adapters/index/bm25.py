"""BM25 weights of terms.

A weight is the part of BM25 that does not depend on the other entries, as in SQLite FTS5's bm25(), with a fixed mean
length: that of entries of two wikis (ConfQuestions: 138 words and 434 grams, Apache's manual: 133 and 471). So the
weights of an entry never change. The other factor, the rarity of a term, is computed by the search.

Words are split and stemmed by SQLite FTS5, in memory.
"""

from __future__ import annotations

import math
import sqlite3
import threading
import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from core.model import IndexEntry
from core.text import list_content_words, list_grams, write_scripts_plainly

COLUMN_WEIGHTS = {"title": 4.0, "heading": 2.0, "text": 1.0, "surroundings": 0.5}
"""Weights of the columns in the ranking by words."""

MAX_WORDS = 64
MAX_GRAMS = 32
"""Most 4-grams of a question that are searched for: the rarest ones."""

FREQUENT = 0.25
"""A 4-gram is frequent if more than this share of the entries has it."""

MEAN_WORDS, MEAN_GRAMS = 136.0, 450.0
_K1, _B = 1.2, 0.75
_LEAST_RARITY = 1e-6

DIMENSIONS = 1_000_000_000
"""Upper bound of term numbers. Of a million terms, about 500 share their number with another one."""

Weights = dict[int, float]
"""Term number, from 1, to weight."""

_SCHEMA = """
CREATE VIRTUAL TABLE texts USING fts5 (
    title, heading, text, surroundings, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE instances USING fts5vocab ('texts', 'instance');
"""
_INSTANCES = "SELECT doc, col, term, count(*) FROM instances GROUP BY doc, col, term"


class Words:
    """Splits texts into words and stems them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._connection.executescript(_SCHEMA)

    def weigh(self, entries: Sequence[IndexEntry]) -> list[Weights]:
        """Return the weights of each entry's words."""
        frequencies: list[dict[str, float]] = [defaultdict(float) for _ in entries]
        lengths = [0] * len(entries)
        for row, column, term, times in self._find([_list_fields(entry) for entry in entries]):
            frequencies[row][term] += times * COLUMN_WEIGHTS[column]
            lengths[row] += times
        return [_weigh(found, length, MEAN_WORDS) for found, length in zip(frequencies, lengths, strict=True)]

    def find_terms(self, question: str, stopwords: frozenset[str], most: int) -> list[int]:
        """Return the numbers of the first ``most`` content words of a question."""
        asked = list_content_words(question, stopwords)[:most]
        return list(
            dict.fromkeys(hash_term(term) for *_, term, _ in self._find([(word, "", "", "") for word in asked]))
        )

    def _find(self, texts: Sequence[tuple[str, str, str, str]]) -> list[tuple[int, str, str, int]]:
        """Return (row, column, word, number of occurrences)."""
        with self._lock:
            self._connection.executemany(
                "INSERT INTO texts (rowid, title, heading, text, surroundings) VALUES (?, ?, ?, ?, ?)",
                ((row, *columns) for row, columns in enumerate(texts)),
            )
            found = self._connection.execute(_INSTANCES).fetchall()
            self._connection.execute("INSERT INTO texts (texts) VALUES ('delete-all')")
        return found


def weigh_grams(entries: Sequence[IndexEntry]) -> list[Weights]:
    """Return the weights of each entry's character 4-grams."""
    found = [Counter(list_grams("\n".join(_list_fields(entry)))) for entry in entries]
    return [_weigh(frequencies, frequencies.total(), MEAN_GRAMS) for frequencies in found]


def find_gram_terms(question: str, stopwords: frozenset[str], most_words: int) -> list[int]:
    """Return the numbers of the character 4-grams of a question's first content words."""
    asked = " ".join(list_content_words(question, stopwords)[:most_words])
    return list(dict.fromkeys(map(hash_term, list_grams(asked))))


def compute_rarity(entries_with_it: int, entries: int) -> float:
    """Return the inverse document frequency of a term, almost 0 for a term of most entries."""
    return max(math.log((entries - entries_with_it + 0.5) / (entries_with_it + 0.5)), _LEAST_RARITY)


def hash_term(term: str) -> int:
    """Return a term's number, a hash."""
    return zlib.crc32(term.encode("utf-8", "surrogatepass")) % (DIMENSIONS - 1) + 1


def _list_fields(entry: IndexEntry) -> tuple[str, str, str, str]:
    title, heading, text, surroundings = map(
        write_scripts_plainly, (entry.title, entry.heading, entry.text, entry.surroundings)
    )
    return title, heading, text, surroundings


def _weigh(frequencies: Mapping[str, float], length: int, mean: float) -> Weights:
    return weigh_frequencies({hash_term(term): times for term, times in frequencies.items()}, length, mean)


def weigh_frequencies(frequencies: Mapping[int, float], length: int, mean: float) -> Weights:
    """Return the weights of terms with these frequencies in an entry of ``length`` terms."""
    saturation = _K1 * (1 - _B + _B * length / mean)
    return {term: times * (_K1 + 1) / (times + saturation) for term, times in frequencies.items()}
