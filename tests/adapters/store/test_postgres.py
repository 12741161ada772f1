"""The stores on a real PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, func, insert, make_url, select, text

from adapters.store import database as module
from adapters.store import schema
from adapters.store.database import HEAD, Database
from core.errors import DatabaseUnavailable, DataDirectoryInUse
from core.ports.chat import ThreadMessage
from tests.contracts.all_stores import StoreContracts
from tests.contracts.chat_stores import PLACE, said
from tests.contracts.stores import Stores
from tests.servers.postgres import NEEDS_PASSWORD, PostgresServer


@pytest.fixture
def database(postgres_url: str) -> Iterator[Database]:
    opened = Database.open(postgres_url)
    yield opened
    opened.close()


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
    assert await stores.tokens.load("2026-11-22") == 60
    messages: list[ThreadMessage] = await stores.threads.load_messages(PLACE.conversation_id)
    assert messages == [said(0), said(1), said(2)]


@pytest.mark.parametrize("name", ["postgres", "postgresql", "postgresql+psycopg"])
def test_the_url_may_be_written_as_elsewhere(postgres_url: str, name: str) -> None:
    database = Database.open(postgres_url.replace("postgresql+psycopg", name))
    assert database.read_revision() == HEAD
    database.close()


def test_what_keeps_a_server_from_being_used_is_said(postgres_server: PostgresServer, tmp_path: Path) -> None:
    postgres_server.execute("CREATE ROLE {} LOGIN PASSWORD 'right'", NEEDS_PASSWORD)
    wrong = postgres_server.url("postgres", f"{NEEDS_PASSWORD}:wrong")
    cases = {
        wrong: f'password authentication failed for user "{NEEDS_PASSWORD}"',
        postgres_server.url("nowhere"): 'database "nowhere" does not exist',
        f"postgresql+psycopg://wikiwhy@/x?host={tmp_path}": "Is the server running",
    }
    for url, cause in cases.items():
        with pytest.raises(DatabaseUnavailable, match=cause) as raised:
            Database.open(url)
        assert "WIKIWHY_DATABASE_URL" in str(raised.value)
        assert "wrong" not in str(raised.value).replace("password authentication failed", "")


def test_a_server_that_stops_is_reported_and_one_that_starts_again_is_used(database: Database) -> None:
    with pytest.raises(DatabaseUnavailable), database.read() as connection:
        connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
    assert database.read_revision() == HEAD


def test_a_connection_that_the_server_closed_while_it_was_unused_is_replaced(
    database: Database, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.postgres._TESTED_SECONDS", 0.0)
    with database.read(), database.read(), database.read():
        pass
    name = make_url(database.place).database
    postgres_server.execute(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{name}'")
    with database.read() as one, database.read() as another:
        assert [one.scalar(text("SELECT 1")), another.scalar(text("SELECT 2"))] == [1, 2]


async def test_connections_that_the_server_closed_just_after_their_use_are_replaced(
    database: Database, postgres_server: PostgresServer
) -> None:
    one = text("SELECT 1")
    name = make_url(database.place).database
    for run in (database.run_read, database.run_single_read, database.run_write):
        with database.read(), database.read(), database.read():
            pass
        postgres_server.execute(
            f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{name}'"
        )
        found = await asyncio.gather(*(run(lambda connection: connection.scalar(one)) for _ in range(3)))
        assert found == [1, 1, 1]


async def test_a_read_of_one_statement_needs_no_transaction(database: Database) -> None:
    begins_with_it = text("SELECT now() = statement_timestamp()")
    assert await database.run_single_read(lambda connection: connection.scalar(begins_with_it))
    assert not await database.run_read(lambda connection: connection.scalar(begins_with_it))


async def test_a_read_of_several_statements_sees_one_snapshot_also_where_one_was_expected(database: Database) -> None:
    counted = select(func.count()).select_from(schema.spaces)

    def count_before_and_after_a_write(connection: Connection) -> tuple[object, object]:
        before = connection.scalar(counted)
        with database.write() as other:
            key = f"S{other.scalar(counted)}"
            other.execute(insert(schema.spaces).values(key=key, source="folder", synced_at="", last_error=""))
        return before, connection.scalar(counted)

    before, after = await database.run_single_read(count_before_and_after_a_write)
    assert before == after
    assert await database.load_scalar(counted) == 2


def test_one_process_at_a_time_owns_a_database(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_OWNING_SECONDS", 0.1)
    first = Database.open_owned(postgres_url)
    with pytest.raises(DataDirectoryInUse, match="in use by another WikiWhy process"):
        Database.open_owned(postgres_url)
    first.close()
    Database.open_owned(postgres_url).close()
