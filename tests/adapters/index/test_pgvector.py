from __future__ import annotations

import asyncio
from functools import partial

import numpy as np
import pytest
from sqlalchemy import make_url

from adapters.index.pgvector import PgvectorDenseIndex
from adapters.index.postgres import IndexDatabase
from core.errors import DatabaseUnavailable
from core.ports.indexes import AccessFilter
from tests.contracts.examples import entry, unit_vectors
from tests.contracts.indexes import DOC, DenseIndexContract, MakeIndex, keys
from tests.servers.postgres import PostgresServer


def make_graph_index(database: IndexDatabase, embedder: str) -> PgvectorDenseIndex:
    """An index that uses its graph for every search."""
    index = PgvectorDenseIndex(database, embedder)
    index._is_exact_search_faster = lambda admitted, total, limit: False  # type: ignore[method-assign]
    return index


class TestPgvectorDenseIndex(DenseIndexContract):
    @pytest.fixture(params=[PgvectorDenseIndex, make_graph_index])
    def make_index(self, request: pytest.FixtureRequest, index_database: IndexDatabase) -> MakeIndex:
        return partial(request.param, index_database)


async def test_vectors_that_no_graph_can_have_are_found(index_database: IndexDatabase) -> None:
    index = PgvectorDenseIndex(index_database, "long", compared_with_all=0)
    vectors = unit_vectors(3, 5000)
    await index.add([entry(f"k{i}") for i in range(3)], vectors)
    assert keys(await index.search(vectors[1], DOC, 1)) == ["k1"]


async def test_nearly_all_of_the_nearest_are_found_by_the_graph_in_any_part_of_the_spaces(
    index_database: IndexDatabase,
) -> None:
    index = make_graph_index(index_database, "hash")
    number, spaces = 2000, 50
    vectors = unit_vectors(number, 32)
    await index.add([entry(f"k{i}", space=f"S{i % spaces}") for i in range(number)], vectors)
    for admitted in (1, 25, 50):
        access_filter = AccessFilter(tuple(f"S{i}" for i in range(admitted)))
        rows = np.array([i for i in range(number) if i % spaces < admitted])
        found = 0
        for query in unit_vectors(10, 32, seed=1):
            nearest = {f"k{i}" for i in rows[np.argsort(-(vectors[rows] @ query))[:20]]}
            found += len(nearest & set(keys(await index.search(query, access_filter, 20))))
        assert found >= 195


async def test_two_processes_may_make_the_index_and_add_at_once(empty_postgres_url: str) -> None:
    databases = await asyncio.gather(*(asyncio.to_thread(IndexDatabase.open, empty_postgres_url) for _ in range(4)))
    indexes = [PgvectorDenseIndex(database, "hash") for database in databases]
    vectors = unit_vectors(8)
    await asyncio.gather(
        *(index.add([entry(f"k{at}"), entry("same")], vectors[[at, 7]]) for at, index in enumerate(indexes))
    )
    assert await indexes[0].load_keys("DOC") == {"k0", "k1", "k2", "k3", "same"}
    assert await indexes[1].count("DOC") == 5
    for database in databases:
        database.close()


def test_who_may_not_make_the_extension_is_told_so(postgres_server: PostgresServer, empty_postgres_url: str) -> None:
    name = make_url(empty_postgres_url).database or ""
    postgres_server.execute("CREATE ROLE {} LOGIN", "plain")
    try:
        with pytest.raises(DatabaseUnavailable, match=r"plain may not make the extension.*CREATE EXTENSION vector"):
            IndexDatabase.open(postgres_server.url(name, "plain"))
    finally:
        postgres_server.execute("DROP ROLE {}", "plain")


def test_a_server_that_is_not_there_is_reported() -> None:
    with pytest.raises(DatabaseUnavailable, match=r"127\.0\.0\.1:9.*WIKIWHY_DATABASE_URL"):
        IndexDatabase.open("postgresql+psycopg://wikiwhy@127.0.0.1:9/wikiwhy")
