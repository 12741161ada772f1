"""The fixtures that every test may use. The process that only distributes tests does not load them."""

from __future__ import annotations

from collections.abc import Iterator
from unittest import mock

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.embedding.late_interaction import E5WordMatcher
from adapters.store.database import Database
from bot.settings import Settings
from bot.wiring import Application, open_application
from tests.known_vectors import EMBEDDER, embedded_once
from tests.new_databases import made_from_a_template, really_migrated
from tests.servers import postgres
from tests.servers.postgres import PostgresServer
from tests.servers.sample_data import copy_sample_data, vectors_file
from tests.token_vectors import MemoryTokenVectors


@pytest.fixture(scope="session", autouse=True)
def _made_once() -> Iterator[None]:
    # Each start of a server computes twenty slow hashes, which takes a second.
    with made_from_a_template(), embedded_once(vectors_file()), mock.patch("bot.audit._SCRYPT_COST", 2):
        yield


@pytest.fixture
def really_migrates() -> Iterator[None]:
    with really_migrated():
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server of this process of the tests."""
    programs = postgres.find_programs()
    if programs is None:
        pytest.skip("there is no PostgreSQL for this machine")
    with postgres.running(programs) as server:
        yield server


@pytest.fixture(scope="session")
def migrated_template(postgres_server: PostgresServer) -> str:
    """The name of a database with this version's tables, to be copied."""
    name = "migrated"
    postgres_server.execute("CREATE DATABASE {}", name)
    Database.open(postgres_server.url(name)).close()
    return name


@pytest.fixture
def postgres_url(postgres_server: PostgresServer, migrated_template: str) -> Iterator[str]:
    """A new database with this version's tables."""
    with postgres_server.new_database(migrated_template) as url:
        yield url


@pytest.fixture
def empty_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    with postgres_server.new_database() as url:
        yield url


@pytest.fixture(scope="session")
def embedder() -> E5Embedder:
    """The real default embedder; loads at first use, once a session."""
    return EMBEDDER


@pytest.fixture(scope="session")
def matcher(embedder: E5Embedder) -> E5WordMatcher:
    """The real word matcher, with the same loaded model, which computes all that it compares."""
    return E5WordMatcher(embedder, MemoryTokenVectors())


@pytest.fixture(scope="session")
def sample_wiki(tmp_path_factory: pytest.TempPathFactory, embedder: E5Embedder) -> Iterator[Application]:
    """The application over the synced sample wiki; for reading only, since the session shares it."""
    settings = Settings(data_dir=copy_sample_data(tmp_path_factory.mktemp("sample-wiki") / "data"))
    with open_application(settings) as application:
        # Cached properties: one model for the whole session.
        matcher = E5WordMatcher(embedder, application.token_vectors)
        application.__dict__ |= {"embedder": embedder, "matcher": matcher}
        yield application
