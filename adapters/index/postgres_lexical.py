"""Full-text search in PostgreSQL: a ranking by words and one by character 4-grams.

PostgreSQL's own ranking functions ignore how rare a word is, and read each text again. Here each entry has the weights
of its terms (:mod:`adapters.index.bm25`) as a sparse vector of pgvector. Its product with the question's vector is
BM25.

A search among few entries scores all of them. A search among many scores those with one of the question's rarest terms,
which a GIN index finds: frequent terms would make most entries candidates and add least to a score. If all terms are
frequent, it scores those with two of them.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations

from sqlalchemy import Connection, text

from adapters.index.bm25 import (
    DIMENSIONS,
    FREQUENT,
    MAX_GRAMS,
    MAX_WORDS,
    Weights,
    Words,
    compute_rarity,
    find_gram_terms,
    weigh_grams,
)
from adapters.index.postgres import (
    IN_SCOPE,
    SCHEMA,
    IndexDatabase,
    change_counts,
    count_entries,
    count_in_scope,
    lock_tables,
    make_scope_parameters,
    make_table,
)
from core.languages import find_stopwords
from core.model import IndexEntry
from core.ports.indexes import AccessFilter, Hit, LexicalHits

_INDEX = "full-text"
_MOST_TERMS = 16_000
"""Limit of a sparse vector. Longer entries keep the terms with the largest weights."""

_WEIGHED = 5000
"""Up to this number of entries, scoring all of them is as fast as the GIN index."""

_CANDIDATES = 1000
"""Number of entries in scope that the rarest terms should find."""

_MOST_PAIRED = 5
"""Number of terms of which pairs are made."""

_SEARCH = """
SELECT key, score FROM (
    SELECT key, -(weights <#> CAST(:question AS sparsevec)) AS score FROM {candidates} WHERE {scope}
) AS weighed WHERE score > 0 ORDER BY score DESC, key LIMIT :limit
"""

# OFFSET prevents the planner from also listing all entries in scope, which takes much longer than checking the spaces
# of the few that are found. CAST, because psycopg sends small numbers as smallint[], which has no operator &&.
_WITH_TERMS = """
(SELECT key, space, access, weights FROM {table} WHERE {conditions} OFFSET 0) AS found
"""


@dataclass(frozen=True)
class _Ranking:
    """One of the two rankings. ``weigh``: computes the weights of entries. ``most``: most terms of a question."""

    table: str
    weigh: Callable[[Sequence[IndexEntry]], list[Weights]]
    most: int
    leaves_out_frequent: bool


class PostgresLexicalIndex:
    """A lexical index in a PostgreSQL database."""

    def __init__(self, database: IndexDatabase, weighed: int = _WEIGHED, candidates: int = _CANDIDATES) -> None:
        """``weighed``: up to this number of entries in scope are all scored. Else about ``candidates`` are scored."""
        self._database = database
        self._least_weighed = weighed
        self._candidates = candidates
        self._words = Words()
        self._by_words = _Ranking(f"{SCHEMA}.words", self._words.weigh, MAX_WORDS, leaves_out_frequent=False)
        self._by_grams = _Ranking(f"{SCHEMA}.grams", weigh_grams, MAX_GRAMS, leaves_out_frequent=True)

    @classmethod
    def open(cls, database: IndexDatabase) -> PostgresLexicalIndex:
        """Open the index, and create it if it does not exist."""
        index = cls(database)
        database.run(index._make)
        return index

    async def add(self, entries: Sequence[IndexEntry]) -> None:
        if not entries:
            return
        rankings = (self._by_words, self._by_grams)
        weights = await asyncio.to_thread(lambda: [ranking.weigh(entries) for ranking in rankings])

        def add(connection: Connection) -> None:
            _lock_counts(connection)
            for ranking, weighed in zip(rankings, weights, strict=True):
                _add(connection, ranking.table, entries, weighed)

        await self._database.change_in_thread(add, _INDEX)

    async def remove(self, space: str, keys: Collection[str]) -> None:
        """Remove keys of a space. Unknown keys are ignored."""

        def remove(connection: Connection) -> None:
            _lock_counts(connection)
            for ranking in (self._by_words, self._by_grams):
                _remove(connection, ranking.table, space, list(keys))

        await self._database.change_in_thread(remove, _INDEX)

    async def search(self, question: str, access_filter: AccessFilter, limit: int) -> LexicalHits:
        """Return the best admitted entries by words and by 4-grams. Scores are BM25, ties ordered by key."""
        stopwords = find_stopwords(question)
        words = self._words.find_terms(question, stopwords, MAX_WORDS)
        found = find_gram_terms(question, stopwords, MAX_WORDS)
        if not access_filter.spaces or limit <= 0:
            return LexicalHits([], [])
        return LexicalHits(
            *await asyncio.gather(
                self._rank(self._by_words, words, access_filter, limit),
                self._rank(self._by_grams, found, access_filter, limit),
            )
        )

    async def load_keys(self, space: str) -> set[str]:
        query = text(f"SELECT key FROM {self._by_words.table} WHERE space = :space")  # noqa: S608 - ours
        return await self._database.run_in_thread(
            lambda connection: set(connection.scalars(query, {"space": space})), _INDEX
        )

    async def count(self, space: str) -> int:
        table = self._by_words.table
        return await self._database.run_in_thread(lambda connection: count_entries(connection, table, space), _INDEX)

    async def tidy(self, steps: int) -> bool:
        """Do nothing: PostgreSQL's VACUUM removes deleted rows."""
        return True

    async def needs_compaction(self) -> bool:
        return False

    async def compact(self) -> bool:
        return False

    def _make(self, connection: Connection) -> None:
        if _has_tables(connection, self._by_words.table):
            return
        lock_tables(connection)
        if _has_tables(connection, self._by_words.table):
            return
        for table in (self._by_words.table, self._by_grams.table):
            make_table(connection, table, "terms integer[] NOT NULL, weights sparsevec NOT NULL")
            connection.execute(text(f"CREATE INDEX ON {table} USING gin (terms) WITH (fastupdate = off)"))
            connection.execute(text(f"CREATE TABLE {table}_terms (term integer PRIMARY KEY, entries integer NOT NULL)"))

    async def _rank(
        self, ranking: _Ranking, terms: Sequence[int], access_filter: AccessFilter, limit: int
    ) -> list[Hit]:
        if not terms:
            return []
        return await self._database.run_in_thread(
            lambda connection: self._search(connection, ranking, terms, access_filter, limit), _INDEX
        )

    def _search(
        self, connection: Connection, ranking: _Ranking, asked: Sequence[int], access_filter: AccessFilter, limit: int
    ) -> list[Hit]:
        admitted, total = count_in_scope(connection, ranking.table, access_filter)
        counts = _count_terms(connection, ranking.table, asked)
        rarest = sorted(counts, key=lambda term: (counts[term], term))
        chosen = rarest[: ranking.most]
        if ranking.leaves_out_frequent:
            chosen = [term for term in rarest if counts[term] <= total * FREQUENT][: ranking.most]
        hits = self._weigh_candidates(
            connection, ranking.table, chosen, counts, (admitted, total), access_filter, limit
        )
        if len(hits) < limit and len(chosen) < len(rarest):
            hits = self._weigh_candidates(
                connection, ranking.table, rarest, counts, (admitted, total), access_filter, limit
            )
        return hits

    def _weigh_candidates(
        self,
        connection: Connection,
        table: str,
        chosen: Sequence[int],
        counts: Mapping[int, int],
        numbers: tuple[int, int],
        access_filter: AccessFilter,
        limit: int,
    ) -> list[Hit]:
        """Return the best entries by these terms, rarest first. ``numbers``: of entries in scope, and in all."""
        admitted, total = numbers
        if not chosen or not admitted:
            return []
        weights = {term: compute_rarity(counts[term], total) for term in chosen}
        given = {"question": format_sparse(weights), "limit": limit, **make_scope_parameters(access_filter)}
        if admitted <= max(self._least_weighed, math.isqrt(self._candidates * total)):
            return _find_hits(connection, table, given)
        least, most = (max(number * total // admitted, 1) for number in (limit, self._candidates))
        hits: list[Hit] = []
        for sets in _choose_sets(chosen, counts, least, most, total):
            conditions = " OR ".join(f"terms @> CAST(:terms{at} AS integer[])" for at in range(len(sets)))
            candidates = _WITH_TERMS.format(table=table, conditions=conditions)
            hits = _find_hits(
                connection, candidates, {**given, **{f"terms{at}": list(each) for at, each in enumerate(sets)}}
            )
            if len(hits) >= limit:
                break
        return hits


def _choose_sets(
    chosen: Sequence[int], counts: Mapping[int, int], least: int, most: int, total: int
) -> Iterator[list[tuple[int, ...]]]:
    """Yield sets of terms, each time for more candidates: the entries that have all terms of one set.

    ``chosen``: rarest first. ``least``, ``most``: numbers of candidates, of all ``total`` entries, that are wanted. If
    the rarest terms have too few entries and the next one has too many, pairs of terms are added: an entry with two
    of the question's terms usually has a higher score than one with a single term.
    """
    number = found = 0
    while number < len(chosen) and found + counts[chosen[number]] <= most:
        found += counts[chosen[number]]
        number += 1
    singles: list[tuple[int, ...]] = [(term,) for term in chosen]
    frequent = chosen[number : number + _MOST_PAIRED] if found < least else ()
    pairs = _choose_pairs(frequent, counts, most - found, total)
    if number or pairs:
        yield [*singles[:number], *pairs]
    while number < len(chosen):
        least = max(least, 4 * found)
        while number < len(chosen) and found < least:
            found += counts[chosen[number]]
            number += 1
        yield singles[:number]


def _choose_pairs(terms: Sequence[int], counts: Mapping[int, int], most: int, total: int) -> list[tuple[int, int]]:
    """Return the pairs that the fewest entries have, at least one, as if terms were independent of each other."""
    expected = {pair: counts[pair[0]] * counts[pair[1]] // total for pair in combinations(terms, 2)}
    pairs = sorted(expected, key=lambda pair: (expected[pair], pair))
    found = list(accumulate(expected[pair] for pair in pairs))
    return [pair for at, pair in enumerate(pairs) if at == 0 or found[at] <= most]


def _find_hits(connection: Connection, candidates: str, given: Mapping[str, object]) -> list[Hit]:
    query = text(_SEARCH.format(candidates=candidates, scope=IN_SCOPE))
    return [Hit(row.key, float(row.score)) for row in connection.execute(query, given)]


def _count_terms(connection: Connection, table: str, terms: Sequence[int]) -> dict[int, int]:
    """Return term to the number of entries with it, for terms that any entry has."""
    query = text(f"SELECT term, entries FROM {table}_terms WHERE term = ANY(:terms) AND entries > 0")  # noqa: S608 - ours
    return {row.term: row.entries for row in connection.execute(query, {"terms": list(terms)})}


def _add(connection: Connection, table: str, entries: Sequence[IndexEntry], weighed: Sequence[Weights]) -> None:
    statement = text(f"""
        WITH added AS (
            INSERT INTO {table} (key, space, access, terms, weights)
            SELECT key, space, access, CAST(terms AS integer[]), CAST(weights AS sparsevec)
            FROM unnest(CAST(:keys AS text[]), CAST(:spaces AS text[]), CAST(:accesses AS text[]),
                CAST(:terms AS text[]), CAST(:weights AS text[])) AS given (key, space, access, terms, weights)
            ON CONFLICT (key) DO NOTHING RETURNING space, access, terms
        ), counted AS (
            INSERT INTO {table}_terms AS known (term, entries)
            SELECT term, count(*) FROM added, unnest(terms) AS term GROUP BY term
            ON CONFLICT (term) DO UPDATE SET entries = known.entries + excluded.entries
        )
        SELECT space, access <> '' AS restricted FROM added
    """)  # noqa: S608 - a table of ours
    weighed = [_keep_largest(weights) for weights in weighed]
    given = {
        "keys": [entry.key for entry in entries],
        "spaces": [entry.space for entry in entries],
        "accesses": [entry.access for entry in entries],
        "terms": ["{" + ",".join(map(str, weights)) + "}" for weights in weighed],
        "weights": [format_sparse(weights) for weights in weighed],
    }
    change_counts(
        connection, table, Counter((row.space, row.restricted) for row in connection.execute(statement, given))
    )


def _remove(connection: Connection, table: str, space: str, keys: Sequence[str]) -> None:
    """Remove entries, and the counts of terms that no other entry has.

    A remaining count would show anyone who guesses the word that it had been there.
    """
    statement = text(f"""
        WITH gone AS (
            DELETE FROM {table} WHERE space = :space AND key = ANY(:keys) RETURNING access, terms
        ), counted AS (
            SELECT term, count(*) AS entries FROM gone, unnest(terms) AS term GROUP BY term
        ), changed AS (
            UPDATE {table}_terms AS known SET entries = known.entries - counted.entries
            FROM counted WHERE known.term = counted.term AND known.entries > counted.entries
        ), unused AS (
            DELETE FROM {table}_terms AS known
            USING counted WHERE known.term = counted.term AND known.entries <= counted.entries
        )
        SELECT access <> '' AS restricted FROM gone
    """)  # noqa: S608 - a table of ours
    gone = Counter(connection.scalars(statement, {"space": space, "keys": keys}))
    change_counts(connection, table, {(space, restricted): -number for restricted, number in gone.items()})


def _lock_counts(connection: Connection) -> None:
    """Wait until no other transaction changes the counts of terms, against deadlocks."""
    connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": f"{SCHEMA}.terms"})


def _has_tables(connection: Connection, table: str) -> bool:
    return bool(connection.scalar(text("SELECT to_regclass(:table) IS NOT NULL"), {"table": table}))


def _keep_largest(weights: Weights) -> Weights:
    if len(weights) <= _MOST_TERMS:
        return weights
    return dict(sorted(weights.items(), key=lambda item: -item[1])[:_MOST_TERMS])


def format_sparse(weights: Mapping[int, float]) -> str:
    """Return weights in pgvector's text format."""
    return f"{{{','.join(f'{term}:{weight:.5g}' for term, weight in weights.items())}}}/{DIMENSIONS}"
