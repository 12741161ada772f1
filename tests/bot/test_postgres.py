"""The application with everything in PostgreSQL: one setting, and the same commands."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.embedding.late_interaction import E5WordMatcher
from adapters.store import database as store_database
from adapters.store.database import Database
from bot.operations.operation import LocalOperations
from bot.operations.spaces import CheckIndexes, ForgetSpace
from bot.operations.sync import SyncSpaces
from bot.settings import Settings
from bot.wiring import Application, open_application
from core.model import Scope
from core.trace import Stopwatch
from tests.bot.cli.running import wikiwhy
from tests.conftest import SAMPLES
from tests.servers import postgres
from tests.servers.postgres import PostgresServer
from tests.servers.sample_data import copy_sample_data
from tests.servers.serving import serving, until


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name in ("travel-and-expenses-policy-2026", "sick-leave"):
        shutil.copy(SAMPLES / "documents" / f"{name}.json", folder)
    return folder


@pytest.fixture
def application(tmp_path: Path, postgres_url: str, embedder: E5Embedder) -> Iterator[Application]:
    settings = Settings(data_dir=tmp_path / "data", database_url=postgres_url)
    with open_application(settings) as opened:
        opened.__dict__["embedder"] = embedder  # the cached property
        yield opened


async def test_what_was_synced_is_found_and_what_was_forgotten_is_not(
    application: Application, documents: Path
) -> None:
    operations, space = LocalOperations(application), "PEO"
    assert [finding.state for finding in await operations.execute(CheckIndexes())] == ["note", "note"]
    result = await operations.execute(SyncSpaces("folder", str(documents)))
    assert [report.errors for report in result.reports] == [[]]
    assert [finding.state for finding in await operations.execute(CheckIndexes())] == ["works", "works"]

    async def find(question: str) -> list[str]:
        found = await application.retriever.retrieve(question, Scope((space,)), Stopwatch(lambda: 0.0))
        return [each.evidence.page_id for each in found]

    assert (await find("What is the hotel limit in the Netherlands?"))[0] == "2097217"
    await operations.execute(ForgetSpace(space))
    assert await find("What is the hotel limit in the Netherlands?") == []
    assert await application.dense.load_keys(space) == await application.lexical.load_keys(space) == set()


async def test_nothing_of_it_is_in_the_data_directory(application: Application, documents: Path) -> None:
    await LocalOperations(application).execute(SyncSpaces("folder", str(documents)))
    assert {path.name for path in application.directory.path.iterdir()} <= {"owner.lock", "owner.json", "erasures.log"}


def test_commands_and_the_server_need_no_other_setting(tmp_path: Path, postgres_url: str, documents: Path) -> None:
    data, question = tmp_path / "data", "What is the hotel limit per night in the Netherlands in 2026?"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WIKIWHY_DATABASE_URL", postgres_url)
        assert wikiwhy("sync", "folder", documents, "--data-dir", data).code == 0
        assert wikiwhy("db", "rebuild-index", "--data-dir", data).says("Both indexes were rebuilt with")
        assert wikiwhy("ask", question, "--data-dir", data).says("€165")
    with serving(data, database_url=postgres_url) as server:
        assert wikiwhy("ask", question, "--data-dir", data).says("€165")
        assert server.end() == 0


def test_the_doctor_says_what_keeps_the_server_from_being_used(
    tmp_path: Path, postgres_server: PostgresServer, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKIWHY_DATABASE_URL", postgres_server.url("nowhere"))
    assert wikiwhy("doctor", "--data-dir", tmp_path).says('"nowhere" does not exist')
    monkeypatch.setenv("WIKIWHY_DATABASE_URL", postgres_url)
    assert wikiwhy("doctor", "--data-dir", tmp_path).says("has no indexes")


def test_a_database_that_another_process_owns_is_not_upgraded(
    tmp_path: Path, empty_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_database, "MOST_OWNING_SECONDS", 0.1)
    monkeypatch.setenv("WIKIWHY_DATABASE_URL", empty_postgres_url)
    server = Database.open_unmigrated(empty_postgres_url)
    server.own()
    upgraded = wikiwhy("db", "upgrade", "--data-dir", tmp_path)
    assert upgraded.code == 1
    assert upgraded.says("in use by another WikiWhy process", "stop it, then run the command again")
    assert server.read_revision() is None
    server.close()
    assert wikiwhy("db", "upgrade", "--data-dir", tmp_path).says("is now at revision")


def test_what_files_have_is_copied_and_nothing_is_embedded_again(
    tmp_path: Path, empty_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, question = (
        copy_sample_data(tmp_path / "data"),
        "What is the hotel limit per night in the Netherlands in 2026?",
    )
    before = wikiwhy("ask", question, "--data-dir", data, "--json").json
    assert wikiwhy("db", "copy", "--data-dir", data).says("No PostgreSQL is configured")
    monkeypatch.setenv("WIKIWHY_DATABASE_URL", empty_postgres_url)
    monkeypatch.setattr(E5Embedder, "embed_passages", None)
    monkeypatch.setattr(E5WordMatcher, "embed", None)
    copied = wikiwhy("db", "copy", "--data-dir", data)
    assert copied.says("rows were copied, and both indexes have", "then delete these files and their backups:")
    assert copied.says(*(str(data / name) for name in ("wikiwhy.db", "lexical.db", "chroma")))
    monkeypatch.undo()
    monkeypatch.setenv("WIKIWHY_DATABASE_URL", empty_postgres_url)
    after = wikiwhy("ask", question, "--data-dir", data, "--json").json
    assert (after["answer"], after["citations"]) == (before["answer"], before["citations"])
    assert wikiwhy("explain", before["turn_id"], "--data-dir", data).code == 0
    assert wikiwhy("db", "copy", "--data-dir", data).says("is not empty")


@pytest.mark.slow
def test_a_server_goes_on_after_postgresql_was_stopped_and_started(tmp_path: Path, documents: Path) -> None:
    data, question = tmp_path / "data", "What is the hotel limit per night in the Netherlands in 2026?"
    programs = postgres.find_programs()
    assert programs
    with postgres.running(programs) as server, serving(data, database_url=server.url("postgres")) as bot:
        assert wikiwhy("sync", "folder", documents, "--data-dir", data).code == 0
        server.stop()
        assert wikiwhy("ask", question, "--data-dir", data).says("cannot be used", "Check that the server runs")
        until(lambda: bot.get("/readyz")[0] == 503)
        server.start()
        until(lambda: bot.get("/readyz")[0] == 200)
        assert wikiwhy("ask", question, "--data-dir", data).says("€165")
        assert bot.end() == 0


@pytest.mark.slow
def test_a_server_ends_where_another_process_has_taken_the_database(tmp_path: Path) -> None:
    programs = postgres.find_programs()
    assert programs
    with (
        postgres.running(programs) as server,
        serving(tmp_path / "data", database_url=server.url("postgres")) as bot,
    ):
        bot.process.send_signal(signal.SIGSTOP)  # it would take the database again
        server.stop()
        server.start()
        other = Database.open_owned(server.url("postgres"))
        bot.process.send_signal(signal.SIGCONT)
        assert bot.process.wait(60) == 1
        other.close()
        assert "a command has taken the database" in bot.log.read_text("utf-8")
