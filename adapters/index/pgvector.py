"""Nearest neighbours with PostgreSQL's extension pgvector (https://github.com/pgvector/pgvector).

Each embedder has its own table. Vectors are stored in half precision: the graph takes a third of the memory, and
cosines are accurate to three digits.

A search among few entries compares with all of them. A search among many uses an HNSW graph, and scans it until it has
enough entries that the scope admits (``hnsw.iterative_scan``). The smaller the scope, the longer the scan.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence

from sqlalchemy import Connection, text

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
from core.model import IndexEntry
from core.ports.indexes import AccessFilter, Hit
from core.ports.models import Vectors

_INDEX = "dense"
_MOST_DIMENSIONS = 4000
"""Limit of an HNSW graph of half-precision vectors. Longer vectors are always compared with all entries."""

_COMPARED_WITH_ALL = 5000
"""Up to this number of entries, comparing with all of them is faster than the graph."""

_COMPARED_PER_STEP = 40
"""Number of comparisons that take as long as one step in the graph, measured with 200,000 entries."""

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
        """``compared_with_all``: a search among up to this number of entries in scope compares with all of them."""
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
        """Remove keys of a space from the tables of all embedders. Unknown keys are ignored."""
        await self._database.change_in_thread(lambda connection: _remove(connection, space, list(keys)), _INDEX)

    async def search(self, vector: Vectors, access_filter: AccessFilter, limit: int) -> list[Hit]:
        """Return the nearest admitted entries, best first, ties by key. ``vector``: shape (dimension,)."""
        if not access_filter.spaces or limit <= 0:
            return []
        return await self._database.run_in_thread(
            lambda connection: self._search(connection, vector, access_filter, limit), _INDEX
        )

    async def load_keys(self, space: str) -> set[str]:
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
            self._dimension = _read_dimension(connection, self.table)
        return bool(self._dimension)

    def make(self, connection: Connection, dimension: int) -> None:
        """Create the table for vectors of this dimension if it does not exist."""
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
            "vectors": [_format_vector(vector) for vector in vectors],
        }
        added = Counter((row.space, row.restricted) for row in connection.execute(statement, given))
        change_counts(connection, self.table, added)

    def _search(self, connection: Connection, vector: Vectors, access_filter: AccessFilter, limit: int) -> list[Hit]:
        if not self._has_table(connection):
            return []
        given = {"vector": _format_vector(vector), "limit": limit, **make_scope_parameters(access_filter)}
        admitted, total = count_in_scope(connection, self.table, access_filter)
        exact = text(_EXACT.format(table=self.table, scope=IN_SCOPE))
        if self._dimension > _MOST_DIMENSIONS or self._is_exact_search_faster(admitted, total, limit):
            return _find_hits(connection, exact, given)
        for name, value in _SEARCH.items():
            connection.execute(text("SELECT set_config(:name, :value, true)"), {"name": name, "value": value})
        query = text(_BY_GRAPH.format(table=self.table, scope=IN_SCOPE, dimension=self._dimension))
        hits = _find_hits(connection, query, given)
        return hits if len(hits) >= limit else _find_hits(connection, exact, given)

    def _is_exact_search_faster(self, admitted: int, total: int, limit: int) -> bool:
        """Whether comparing with all admitted entries is faster than the graph.

        The graph has to step through ``limit`` admitted entries and the entries between them that are not admitted.
        """
        steps = limit * total // max(admitted, 1)
        return admitted <= max(self._compared_with_all, _COMPARED_PER_STEP * steps)


def _read_dimension(connection: Connection, table: str) -> int:
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


def _find_hits(connection: Connection, query: object, given: dict[str, object]) -> list[Hit]:
    return [Hit(row.key, float(row.score)) for row in connection.execute(query, given)]  # type: ignore[call-overload]


def _format_vector(vector: Vectors) -> str:
    return f"[{','.join(map(str, vector.tolist()))}]"
