"""A process that answers questions from PostgreSQL, by sessions of its own."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.folder.wiki import FolderWiki
from bot.operations.sync import sync_spaces
from bot.server.answer_process import Start, open_for_reading
from bot.settings import load_settings
from bot.wiring import Application, open_bot
from core.errors import DatabaseUnavailable, IndexDamaged
from core.model import Scope
from tests.bot.cli.running import document, wikiwhy, write_documents
from tests.bot.server.started_processes import (
    CONVERSATION,
    TRAVEL,
    ask,
    check_answers_are_equal,
    forbid_answers_here,
    pids,
    running,
    started,
)
from tests.servers import postgres
from tests.servers.postgres import PostgresServer

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_settings_from_outside")]


def copy_to(url: str, pristine: Path) -> None:
    """Copies the synced files into an empty database."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WIKIWHY_DATABASE_URL", url)
        ran = wikiwhy("db", "copy", "--data-dir", pristine / "data")
    assert ran.code == 0, ran.err


@pytest.fixture(scope="module")
def synced_template(postgres_server: PostgresServer, pristine: Path) -> str:
    """The name of a database with the synced documents, to be copied."""
    name = "synced"
    postgres_server.execute("CREATE DATABASE {}", name)
    copy_to(postgres_server.url(name), pristine)
    return name


@pytest.fixture
def url(postgres_server: PostgresServer, synced_template: str) -> Iterator[str]:
    with postgres_server.new_database(synced_template) as created:
        yield created


def open_with(url: str, data: Path) -> AbstractContextManager[Application]:
    return open_bot(load_settings(data_dir=data, database_url=url))


@pytest.fixture
def application(url: str, tmp_path: Path, embedder: E5Embedder) -> Iterator[Application]:
    with open_with(url, tmp_path / "bot") as opened:
        opened.__dict__["embedder"] = embedder
        yield opened


async def test_it_answers_as_the_server_would(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    await check_answers_are_equal(application, monkeypatch)


async def test_what_another_bot_adds_and_removes_is_seen_at_once(
    application: Application, url: str, tmp_path: Path, embedder: E5Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    question, scope = "Where is the parking garage?", Scope(("NEW",))
    folder = write_documents(tmp_path / "more", document("9", "<p>Offices.</p>", "NEW"))
    with open_with(url, tmp_path / "other") as other:
        other.__dict__["embedder"] = embedder

        async def sync() -> None:
            await sync_spaces(other, FolderWiki(folder), other.make_synchroniser(), ["NEW"], lambda _: None)

        async with started(application) as processes:
            forbid_answers_here(processes, monkeypatch)
            assert not (await ask(application, question, scope=scope)).answer.answered
            await sync()
            write_documents(folder, document("9", "<p>The parking garage is in Mill Street.</p>", "NEW"))
            await sync()
            assert "Mill Street" in (await ask(application, question, scope=scope)).answer.text
            write_documents(folder, document("9", "<p>Offices.</p>", "NEW"))
            await sync()
            assert not (await ask(application, question, scope=scope)).answer.answered


async def test_it_cannot_write(application: Application, url: str) -> None:
    start = Start(application.settings, application.directory.path, "one", "INFO")
    reader = open_for_reading(start, call_dense=never)
    reader.__dict__["embedder"] = application.embedder
    assert (await ask(reader, TRAVEL)).answer.answered
    with pytest.raises(DatabaseUnavailable, match="read-only transaction"):
        await reader.spaces.forget("DOC")
    for index in (reader.dense, reader.lexical):
        with pytest.raises(IndexDamaged, match="read-only transaction"):
            await index.remove("DOC", await index.load_keys("DOC"))
    assert (await ask(application, TRAVEL)).answer.answered
    reader.indexes.close()
    reader.database.close()


def never(*arguments: object) -> None:
    raise AssertionError("the server's dense index is not needed")


async def test_it_has_two_sessions_in_the_name_of_its_bot(
    application: Application, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count_sessions() -> int:
        name = f"wikiwhy {application.bots.executor}"
        with postgres_server.connect("postgres") as connection:
            found = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = %s", [name])
            return int(found.fetchall()[0][0])

    await ask(application, TRAVEL)
    before = count_sessions()
    async with started(application, 2) as processes:
        forbid_answers_here(processes, monkeypatch)
        await asyncio.gather(*(ask(application, question, *more) for question, *more in CONVERSATION))
        assert count_sessions() == before + 2 * 2


async def test_its_environment_and_arguments_contain_no_password(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKIWHY_DATABASE_URL", application.settings.database_url)
    async with started(application) as processes:
        (pid,) = pids(processes)
        for shown in (read_process(pid, "environ"), read_process(pid, "cmdline")):
            assert shown
            assert application.settings.database_url not in shown


def read_process(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text()


async def test_the_server_answers_by_itself_if_it_ends_while_it_works(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.server.processes._PAUSE", 0.1)
    async with started(application) as processes:
        (pid,) = pids(processes)
        os.kill(pid, signal.SIGSTOP)
        asking = asyncio.create_task(ask(application, TRAVEL))
        await asyncio.sleep(0.2)
        assert not asking.done()
        os.kill(pid, signal.SIGKILL)
        assert "Ann" in (await asking).answer.text
        await running(processes, 1)
        assert pids(processes) != [pid]
        forbid_answers_here(processes, monkeypatch)
        assert (await ask(application, TRAVEL)).answer.answered


async def test_it_goes_on_after_postgresql_was_stopped_and_started(
    pristine: Path, tmp_path: Path, embedder: E5Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = postgres.find_programs()
    assert programs
    monkeypatch.setattr("bot.server.processes._PAUSE", 0.1)
    monkeypatch.setattr("bot.server.processes._LONGEST_PAUSE", 0.5)
    with postgres.running(programs) as server:
        await asyncio.to_thread(copy_to, server.url("postgres"), pristine)
        with open_with(server.url("postgres"), tmp_path / "bot") as application:
            application.__dict__["embedder"] = embedder
            async with started(application, 2) as processes:
                forbid_answers_here(processes, monkeypatch)
                first, second = pids(processes)
                server.stop()
                for _ in range(2):  # the first question of a process meets a broken connection, the second one none
                    with pytest.raises(DatabaseUnavailable, match="Check that the server runs"):
                        await ask(application, TRAVEL)
                os.kill(second, signal.SIGKILL)
                await running(processes, 1)
                assert pids(processes) == [first]
                server.start()
                assert (await ask(application, TRAVEL)).answer.answered
                await running(processes, 2)
                assert first in pids(processes)
