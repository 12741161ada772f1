"""Nearest neighbours with PostgreSQL's extension pgvector (https://github.com/pgvector/pgvector).

Each embedder has a table, so that vectors of different embedders never meet. Vectors are stored in half precision: a
third of the memory of the graph, and cosines that are right to three digits.

A search in few entries compares with each of them. Among many it follows the graph (HNSW), which goes on until it has
enough entries that the scope admits (``hnsw.iterative_scan``); the smaller the scope is, the longer that takes.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence

from sqlalchemy import Connection, text

from adapters.index.postgres import SCHEMA, IndexDatabase, lock_tables
from adapters.index.postgres_scope import (
    IN_SCOPE,
    change_counts,
    count_entries,
    count_in_scope,
    make_table,
    scope_parameters,
)
from core.ports.indexes import AccessFilter, Hit, IndexEntry
from core.ports.models import Vectors

_INDEX = "dense"
_MOST_DIMENSIONS = 4000
"""That a graph of half-precision vectors can have. Longer ones are compared with each entry."""

_COMPARED_WITH_ALL = 5000
"""So many entries are compared in less time than the graph takes."""

_COMPARED_PER_STEP = 40
"""So many entries are compared in the time that the graph takes from one to the next, measured with 200,000."""

_GRAPH = "m = 16, ef_construction = 100"
_SEARCH = {"hnsw.iterative_scan": "relaxed_order", "hnsw.ef_search": "150", "hnsw.max_scan_tuples": "40000"}

_EXACT = """
SELECT key, 1 - (vector <=> CAST(:vector AS halfvec)) AS score FROM {table} WHERE {scope}
ORDER BY score DESC, key LIMIT :limit
"""
_BY_GRAPH = """
SELECT key, 1 - distance AS score FROM (
    SELECT key, vector <=> CAST(:vector AS halfvec({dimension})) AS distance FROM {table} WHERE {scope}
    ORDER BY distance LIMIT :limit
) AS nearest ORDER BY score DESC, key
"""


class PgvectorDenseIndex:
    """A dense index for the vectors of one embedder."""

    def __init__(self, database: IndexDatabase, embedder: str, compared_with_all: int = _COMPARED_WITH_ALL) -> None:
        """``compared_with_all``: up to how many entries in scope a search compares with each of them."""
        self._database = database
        self._compared_with_all = compared_with_all
        self._name = f"dense_{hashlib.sha256(embedder.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        self.table = f"{SCHEMA}.{self._name}"
        self._dimension = 0  # 0: there is no table yet

    async def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        if len(entries) != len(vectors):
            raise ValueError(f"{len(entries)} entries but {len(vectors)} vectors")
        if entries:
            await self._database.change_in_thread(lambda connection: self._add(connection, entries, vectors), _INDEX)

    async def remove(self, space: str, keys: Collection[str]) -> None:
        """Removes these keys of a space, whichever embedder made their vectors; unknown ones are ignored."""
        await self._database.change_in_thread(lambda connection: _remove(connection, space, list(keys)), _INDEX)

    async def search(self, vector: Vectors, reach: AccessFilter, limit: int) -> list[Hit]:
        """The nearest admitted entries, best first, ties by key. ``vector``: shape (dimension,)."""
        if not reach.spaces or limit <= 0:
            return []
        return await self._database.run_in_thread(
            lambda connection: self._search(connection, vector, reach, limit), _INDEX
        )

    async def keys(self, space: str) -> set[str]:
        def find(connection: Connection) -> set[str]:
            if not self._has_table(connection):
                return set()
            query = text(f"SELECT key FROM {self.table} WHERE space = :space")  # noqa: S608 - made above
            return set(connection.scalars(query, {"space": space}))

        return await self._database.run_in_thread(find, _INDEX)

    async def count(self, space: str) -> int:
        def find(connection: Connection) -> int:
            if not self._has_table(connection):
                return 0
            return count_entries(connection, self.table, space)

        return await self._database.run_in_thread(find, _INDEX)

    def _has_table(self, connection: Connection) -> bool:
        if not self._dimension:
            self._dimension = _dimension_of(connection, self.table)
        return bool(self._dimension)

    def make(self, connection: Connection, dimension: int) -> None:
        """Makes the table for vectors of this dimension where there is none."""
        if not self._has_table(connection):
            lock_tables(connection)
            if not self._has_table(connection):
                _make_table(connection, self.table, self._name, dimension)

    def _add(self, connection: Connection, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        self.make(connection, vectors.shape[1])
        statement = text(f"""
            INSERT INTO {self.table} (key, space, access, vector)
            SELECT key, space, access, CAST(vector AS halfvec)
            FROM unnest(CAST(:keys AS text[]), CAST(:spaces AS text[]), CAST(:accesses AS text[]),
                CAST(:vectors AS text[])) AS given (key, space, access, vector)
            ON CONFLICT (key) DO NOTHING RETURNING space, access <> '' AS restricted
        """)  # noqa: S608 - made above
        given = {
            "keys": [entry.key for entry in entries],
            "spaces": [entry.space for entry in entries],
            "accesses": [entry.access for entry in entries],
            "vectors": [_written(vector) for vector in vectors],
        }
        added = Counter((row.space, row.restricted) for row in connection.execute(statement, given))
        change_counts(connection, self.table, added)

    def _search(self, connection: Connection, vector: Vectors, reach: AccessFilter, limit: int) -> list[Hit]:
        if not self._has_table(connection):
            return []
        given = {"vector": _written(vector), "limit": limit, **scope_parameters(reach)}
        admitted, total = count_in_scope(connection, self.table, reach)
        exact = text(_EXACT.format(table=self.table, scope=IN_SCOPE))
        if self._dimension > _MOST_DIMENSIONS or self._is_compared_with_all(admitted, total, limit):
            return _hits(connection, exact, given)
        for name, value in _SEARCH.items():
            connection.execute(text("SELECT set_config(:name, :value, true)"), {"name": name, "value": value})
        query = text(_BY_GRAPH.format(table=self.table, scope=IN_SCOPE, dimension=self._dimension))
        hits = _hits(connection, query, given)
        return hits if len(hits) >= limit else _hits(connection, exact, given)

    def _is_compared_with_all(self, admitted: int, total: int, limit: int) -> bool:
        """The graph is followed through ``limit`` admitted entries and all that are not admitted between these."""
        steps = limit * total // max(admitted, 1)
        return admitted <= max(self._compared_with_all, _COMPARED_PER_STEP * steps)


def _dimension_of(connection: Connection, table: str) -> int:
    query = text("SELECT atttypmod FROM pg_attribute WHERE attrelid = to_regclass(:table) AND attname = 'vector'")
    return int(connection.scalar(query, {"table": table}) or 0)


def _make_table(connection: Connection, table: str, name: str, dimension: int) -> None:
    make_table(connection, table, f"vector halfvec({dimension}) NOT NULL")
    if dimension <= _MOST_DIMENSIONS:
        by_cosine = f"hnsw (vector halfvec_cosine_ops) WITH ({_GRAPH})"
        connection.execute(text(f"CREATE INDEX {name}_graph ON {table} USING {by_cosine}"))


def _remove(connection: Connection, space: str, keys: list[str]) -> None:
    query = text("SELECT tablename FROM pg_tables WHERE schemaname = :schema AND tablename ~ '^dense_[0-9a-f]{16}$'")
    for name in connection.scalars(query, {"schema": SCHEMA}).all():
        table = f"{SCHEMA}.{name}"
        statement = (
            f"DELETE FROM {table} WHERE space = :space AND key = ANY(:keys) RETURNING access <> '' AS restricted"  # noqa: S608
        )
        rows = connection.execute(text(statement), {"space": space, "keys": keys})
        change_counts(connection, table, {(space, kind): -gone for kind, gone in Counter(rows.scalars()).items()})


def _hits(connection: Connection, query: object, given: dict[str, object]) -> list[Hit]:
    return [Hit(row.key, float(row.score)) for row in connection.execute(query, given)]  # type: ignore[call-overload]


def _written(vector: Vectors) -> str:
    return f"[{','.join(map(str, vector.tolist()))}]"
