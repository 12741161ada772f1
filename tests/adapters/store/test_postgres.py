"""The stores on a real PostgreSQL; skipped where it or its driver is not installed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from adapters.store import schema
from adapters.store.database import Database
from core.ports.chat import ThreadMessage
from tests.adapters.store.opened import stores_of
from tests.contracts.all_stores import StoreContracts
from tests.contracts.chat_stores import PLACE, said
from tests.contracts.stores import Stores
from tests.servers import postgres

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    pytest.importorskip("psycopg")
    folder = postgres.programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed")
    with postgres.running(folder) as found:
        yield found


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    opened = Database.open(postgres.emptied(url))
    yield opened
    opened.close()


@pytest.fixture
def stores(database: Database) -> Stores:
    return stores_of(database)


class TestPostgresStores(StoreContracts):
    pass


def test_the_migrations_make_the_tables_of_the_schema_there_too(database: Database) -> None:
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema.metadata) == []


async def test_writers_of_the_same_rows_wait_for_each_other(stores: Stores) -> None:
    await asyncio.gather(
        *(stores.tokens.add("2026-11-22", 1) for _ in range(60)),
        *(stores.threads.mark_read(PLACE.conversation_id) for _ in range(20)),
        *(stores.threads.add(PLACE.conversation_id, [said(at % 3)]) for at in range(30)),
    )
    assert await stores.tokens.of("2026-11-22") == 60
    messages: list[ThreadMessage] = await stores.threads.messages(PLACE.conversation_id)
    assert messages == [said(0), said(1), said(2)]
