"""Search in a large wiki in PostgreSQL: both indexes, one question at a time, in a part of the spaces.

Entries have words with the frequencies of a language (Zipf) and vectors in clusters. A question has words of one entry
and a vector near the entry's. Entries are copied into the tables, since adding them one by one would take an hour.
Without ``--url`` it starts its own server in a folder of TMPDIR, where 200,000 entries need 6 GB.

``python -m benchmarks.postgres``
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, text

from adapters.index.bm25 import MEAN_GRAMS, MEAN_WORDS, Weights, hash_term, weigh_frequencies
from adapters.index.pgvector import PgvectorDenseIndex
from adapters.index.postgres import SCHEMA, IndexDatabase
from adapters.index.postgres_lexical import PostgresLexicalIndex, format_sparse
from core.ports.indexes import AccessFilter
from core.ports.models import Vectors
from core.text import list_grams
from tests.servers import postgres

TARGET_MS = 60.0
_DIMENSION = 384
_CLUSTERS = 3000
_VOCABULARY = 40_000
_LENGTHS = (40, 230)
_QUESTION_WORDS = 6
_STOP_WORDS = 100  # the most frequent ones
_AT_ONCE = 5000
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu zen ler mar tos vin dal kor".split()
SERVER = (
    "shared_buffers=1GB",
    "maintenance_work_mem=1GB",
    "max_wal_size=8GB",
    "wal_level=minimal",
    "max_wal_senders=0",
)
_INDEXES = """
SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
WHERE relnamespace = to_regnamespace(:schema) AND NOT indisprimary
"""


@dataclass(frozen=True)
class SyntheticWiki:
    """``evidences`` entries in ``spaces`` spaces; one in twenty is restricted to one of a hundred groups."""

    evidences: int
    spaces: int
    seed: int = 1

    @cached_property
    def vocabulary(self) -> list[str]:
        """Words from frequent to rare. Frequent ones are short, so that an entry has three 4-grams per word."""
        rng = np.random.default_rng(self.seed)
        parts = rng.integers(0, len(_SYLLABLES), (_VOCABULARY, 4))
        syllables = [1 + (at > 60) + (at > 6000) + (at > 30_000) for at in range(_VOCABULARY)]
        return [
            "".join(_SYLLABLES[part] for part in row[:number]) for row, number in zip(parts, syllables, strict=True)
        ]

    @cached_property
    def word_numbers(self) -> NDArray[np.int64]:
        return np.array([hash_term(word) for word in self.vocabulary])

    @cached_property
    def gram_numbers(self) -> list[NDArray[np.int64]]:
        return [np.array([hash_term(gram) for gram in list_grams(word)]) for word in self.vocabulary]

    @cached_property
    def _frequencies(self) -> NDArray[np.float64]:
        weights = 1 / (np.arange(_VOCABULARY) + 2.7)
        cumulated: NDArray[np.float64] = np.cumsum(weights / weights.sum())
        return cumulated

    @cached_property
    def centres(self) -> Vectors:
        rng = np.random.default_rng(self.seed + 1)
        return rng.standard_normal((_CLUSTERS, _DIMENSION)).astype(np.float32)

    def words_of(self, entry: int) -> NDArray[np.int64]:
        """Return the indices of an entry's words in the vocabulary."""
        rng = np.random.default_rng((self.seed, entry))
        found: NDArray[np.int64] = np.searchsorted(self._frequencies, rng.random(rng.integers(*_LENGTHS)))
        return np.minimum(found, _VOCABULARY - 1)

    def vector_of(self, entry: int, noise: float = 0.6) -> Vectors:
        rng = np.random.default_rng((self.seed, entry, round(noise * 100)))
        centre = self.centres[np.random.default_rng((self.seed, entry)).integers(_CLUSTERS)]
        vector = centre + noise * rng.standard_normal(_DIMENSION).astype(np.float32)
        unit: Vectors = vector / np.linalg.norm(vector)
        return unit

    def space_of(self, entry: int) -> str:
        return f"S{entry % self.spaces:03}"

    def access_of(self, entry: int) -> str:
        place = entry // self.spaces  # in its space
        return f"group{place // 20 % 100}" if place % 20 == 0 else ""

    def question(self, number: int) -> tuple[str, Vectors]:
        """Return frequent and rare words of an entry, without stop words, and a vector near the entry's."""
        rng = np.random.default_rng((self.seed, 7, number))
        entry = int(rng.integers(self.evidences))
        found = self.words_of(entry)
        words = rng.choice(found[found >= _STOP_WORDS], _QUESTION_WORDS)
        return " ".join(self.vocabulary[word] for word in words), self.vector_of(entry, 0.4)


def fill(database: IndexDatabase, wiki: SyntheticWiki) -> None:
    """Copy the wiki into empty indexes, then build their trees and graphs."""
    dense = PgvectorDenseIndex(database, "synthetic")
    PostgresLexicalIndex.open(database)
    database.run(lambda connection: dense.make(connection, _DIMENSION))
    indexes = database.run(lambda connection: connection.execute(text(_INDEXES), {"schema": SCHEMA}).all())
    for index in indexes:
        database.run(lambda connection, name=index.name: connection.execute(text(f"DROP INDEX {name}")))  # type: ignore[misc]
    counts: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for start in range(0, wiki.evidences, _AT_ONCE):
        some = range(start, min(start + _AT_ONCE, wiki.evidences))
        database.run(lambda connection, some=some: _copy(connection, dense.table, wiki, some, counts))  # type: ignore[misc]
        print(f"\r{some.stop:,} entries", end="", flush=True)
    print()
    for table, counted in zip(("words", "grams"), counts, strict=True):
        rows = sorted(counted.items())
        database.run(lambda connection, table=table, rows=rows: _copy_rows(connection, f"{table}_terms", rows))  # type: ignore[misc]
    for table in ("words", "grams", dense.table.partition(".")[2]):
        database.run(lambda connection, table=table: _count(connection, table))  # type: ignore[misc]
    for index in indexes:
        began = time.perf_counter()
        database.run(lambda connection, made=index.definition: _make_index(connection, made))  # type: ignore[misc]
        print(f"{index.name}: {time.perf_counter() - began:.0f} s")


def _copy(
    connection: Connection, dense: str, wiki: SyntheticWiki, some: range, counts: tuple[dict[int, int], dict[int, int]]
) -> None:
    words: list[tuple[str, ...]] = []
    by_grams: list[tuple[str, ...]] = []
    vectors: list[tuple[str, ...]] = []
    for entry in some:
        common = (f"k{entry:07}", wiki.space_of(entry), wiki.access_of(entry))
        found = wiki.words_of(entry)
        of_words = _weigh(wiki.word_numbers[found], MEAN_WORDS)
        of_grams = _weigh(np.concatenate([wiki.gram_numbers[word] for word in found]), MEAN_GRAMS)
        for rows, weights, counted in ((words, of_words, counts[0]), (by_grams, of_grams, counts[1])):
            for term in weights:
                counted[term] = counted.get(term, 0) + 1
            rows.append((*common, "{" + ",".join(map(str, weights)) + "}", format_sparse(weights)))
        vectors.append((*common, str(wiki.vector_of(entry).astype(np.float16).tolist())))
    _copy_rows(connection, "words", words)
    _copy_rows(connection, "grams", by_grams)
    _copy_rows(connection, dense.partition(".")[2], vectors)


def _weigh(terms: NDArray[np.int64], mean: float) -> Weights:
    numbers, times = np.unique(terms, return_counts=True)
    return weigh_frequencies(dict(zip(numbers.tolist(), times.astype(float).tolist(), strict=True)), len(terms), mean)


def _copy_rows(connection: Connection, table: str, rows: Sequence[Sequence[object]]) -> None:
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY {SCHEMA}.{table} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _count(connection: Connection, table: str) -> None:
    counted = f"SELECT space, access <> '', count(*) FROM {SCHEMA}.{table} GROUP BY 1, 2"  # noqa: S608 - ours
    connection.execute(text(f"INSERT INTO {SCHEMA}.{table}_counts {counted}"))


def _make_index(connection: Connection, definition: str) -> None:
    connection.execute(text("SET LOCAL maintenance_work_mem = '1GB'"))
    connection.execute(text(definition))


async def measure(
    database: IndexDatabase, wiki: SyntheticWiki, share: float, questions: int
) -> list[tuple[float, ...]]:
    """Return the milliseconds per question of the lexical rankings, of the dense one, and of all together."""
    lexical, dense = PostgresLexicalIndex.open(database), PgvectorDenseIndex(database, "synthetic")
    admitted = max(1, round(wiki.spaces * share))
    access_filter = AccessFilter(tuple(f"S{number:03}" for number in range(admitted)), frozenset({"group1", "group2"}))
    spent = []
    for number in range(-10, questions):
        question, vector = wiki.question(number + 1000)
        times = []
        for searches in (
            [lexical.search(question, access_filter, 100)],
            [dense.search(vector, access_filter, 100)],
            [lexical.search(question, access_filter, 100), dense.search(vector, access_filter, 100)],
        ):
            began = time.perf_counter()
            await asyncio.gather(*searches)
            times.append(1000 * (time.perf_counter() - began))
        if number >= 0:
            spent.append(tuple(times))
    return spent


async def recall(database: IndexDatabase, wiki: SyntheticWiki, share: float, questions: int) -> tuple[float, float]:
    """Return the recall of the first ten by words and of the hundred nearest, compared with an exhaustive search."""
    some = (PostgresLexicalIndex.open(database), PgvectorDenseIndex(database, "synthetic"))
    everything = wiki.evidences
    all_weighed = (
        PostgresLexicalIndex(database, everything),
        PgvectorDenseIndex(database, "synthetic", compared_with_all=everything),
    )
    access_filter = AccessFilter(tuple(f"S{number:03}" for number in range(max(1, round(wiki.spaces * share)))))
    words, nearest = [], []
    for number in range(questions):
        question, vector = wiki.question(number)
        found, wanted = [
            (await lexical.search(question, access_filter, 10)).words for lexical in (some[0], all_weighed[0])
        ]
        words.append(len({hit.key for hit in found} & {hit.key for hit in wanted}) / max(1, len(wanted)))
        near, wanted = [await dense.search(vector, access_filter, 100) for dense in (some[1], all_weighed[1])]
        nearest.append(len({hit.key for hit in near} & {hit.key for hit in wanted}) / max(1, len(wanted)))
    return float(np.mean(words)), float(np.mean(nearest))


@contextmanager
def _database(url: str) -> Iterator[str]:
    programs = postgres.find_programs()
    if url:
        yield url
    elif programs is None:
        raise SystemExit("There is no PostgreSQL for this machine: name one by --url.")
    else:
        with postgres.running(programs, *SERVER) as server, server.new_database() as own:
            yield own


def main() -> int:
    """Print medians and 95th percentiles. Return 1 if a search in half of the spaces takes longer than the target."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.postgres")
    parser.add_argument("--evidences", type=int, default=200_000)
    parser.add_argument("--spaces", type=int, default=100)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--url", default="", help="of a database whose indexes are filled, or were by this command")
    options = parser.parse_args()
    wiki = SyntheticWiki(options.evidences, options.spaces)
    late = False
    with _database(options.url) as url:
        database = IndexDatabase.open(url)
        if asyncio.run(PostgresLexicalIndex.open(database).count("S000")) == 0:
            fill(database, wiki)
        print(f"{'spaces in scope':16} {'words, grams':>20} {'vectors':>20} {'all at once':>20}   found of 10, of 100")
        for share in (1.0, 0.5, 0.1, 0.01):
            spent = np.array(asyncio.run(measure(database, wiki, share, options.questions)))
            shown = [f"{np.median(part):6.1f} p95 {np.percentile(part, 95):6.1f}" for part in spent.T]
            words, nearest = asyncio.run(recall(database, wiki, share, 10))
            print(f"{share:16.0%} {' '.join(f'{each:>20}' for each in shown)}   {words:.3f} {nearest:.3f}")
            late |= share == 0.5 and float(np.percentile(spent[:, 2], 95)) > TARGET_MS
        database.close()
    return int(late)


if __name__ == "__main__":
    raise SystemExit(main())
