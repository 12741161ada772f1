from __future__ import annotations

from collections.abc import Iterator

import pytest

from adapters.index.postgres import IndexDatabase
from tests.servers.postgres import PostgresServer


@pytest.fixture(scope="module")
def shared_url(postgres_server: PostgresServer) -> Iterator[str]:
    with postgres_server.new_database() as url:
        yield url


@pytest.fixture
def index_database(shared_url: str) -> Iterator[IndexDatabase]:
    """A database without indexes."""
    database = IndexDatabase.open(shared_url)
    yield database
    database.drop()
    database.close()
