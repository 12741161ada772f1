"""The processes that answer questions beside a server, and what happens when one of them ends."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.folder.wiki import FolderWiki
from bot.operations.sync import sync_spaces
from bot.server.metrics import Metrics
from bot.server.processes import AnswerProcesses, choose_count
from bot.settings import load_settings
from bot.threads import Threads
from bot.tracing import work_on
from bot.wiring import Application, open_application
from core.errors import IndexDamaged
from tests.bot.cli.running import document, write_documents
from tests.bot.server.started_processes import (
    TRAVEL,
    ask,
    check_answers_are_equal,
    forbid_answers_here,
    pids,
    running,
    started,
)
from tests.servers.serving import serving, until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_settings_from_outside")]


@pytest.fixture
def application(data: Path, embedder: E5Embedder) -> Iterator[Application]:
    with open_application(load_settings(data_dir=data)) as opened:
        opened.__dict__["embedder"] = embedder
        opened.use_threads(Threads())
        yield opened


async def test_a_process_answers_as_the_server_would(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    await check_answers_are_equal(application, monkeypatch)


async def test_many_questions_at_once_are_each_answered(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started(application, 2) as processes:
        forbid_answers_here(processes, monkeypatch)
        questions = [TRAVEL, "What is the limit in Berlin?"] * 10
        turns = await asyncio.gather(*(ask(application, question) for question in questions))
    assert [turn.question.as_asked for turn in turns] == questions
    assert len({turn.answer.text for turn in turns}) == 2


async def test_what_a_sync_adds_and_removes_is_seen_at_once(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "Where is the parking garage?"
    folder = write_documents(tmp_path / "more", document("9", "<p>Offices.</p>", "NEW"))

    async def sync() -> None:
        await sync_spaces(application, FolderWiki(folder), application.make_synchroniser(), ["NEW"], lambda _: None)

    async with started(application) as processes:
        forbid_answers_here(processes, monkeypatch)
        await sync()
        assert not (await ask(application, question)).answer.answered
        write_documents(folder, document("9", "<p>The parking garage is in Mill Street.</p>", "NEW"))
        await sync()
        assert "Mill Street" in (await ask(application, question)).answer.text
        write_documents(folder, document("9", "<p>Offices.</p>", "NEW"))
        await sync()
        assert not (await ask(application, question)).answer.answered


async def test_an_error_is_raised_where_the_answer_is_awaited(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*arguments: object) -> None:
        raise IndexDamaged("The dense index is damaged. Rebuild it.")

    async with started(application) as processes:
        application.dense.changes = {"DOC": 1}  # type: ignore[attr-defined]  # so that it is copied again
        monkeypatch.setattr(application.dense, "count", fail)
        with pytest.raises(IndexDamaged, match="Rebuild it"):
            await ask(application, TRAVEL)
        monkeypatch.undo()
        assert (await ask(application, TRAVEL)).answer.answered
        assert processes.count_running() == 1


async def test_the_server_answers_by_itself_if_the_process_ends_while_it_works(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.server.processes._PAUSE", 0.1)
    async with started(application) as processes:
        (pid,) = pids(processes)
        os.kill(pid, signal.SIGSTOP)
        asking = asyncio.create_task(ask(application, TRAVEL))
        waiting = asyncio.create_task(ask(application, "What is the limit in Berlin?"))
        await asyncio.sleep(0.2)
        assert not asking.done()
        os.kill(pid, signal.SIGKILL)
        assert "Ann" in (await asking).answer.text
        assert "140" in (await waiting).answer.text
        await running(processes, 1)
        assert pids(processes) != [pid]
        forbid_answers_here(processes, monkeypatch)
        assert (await ask(application, TRAVEL)).answer.answered


async def test_a_process_that_is_stuck_is_replaced(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    async with started(application) as processes:
        (pid,) = pids(processes)
        os.kill(pid, signal.SIGSTOP)
        monkeypatch.setattr("bot.server.processes._LONGEST_WORK", 0.5)
        assert "Ann" in (await ask(application, TRAVEL)).answer.text
        monkeypatch.setattr("bot.server.processes._LONGEST_WORK", 60)
        await running(processes, 1)
        assert pids(processes) != [pid]


async def test_ended_processes_take_no_work_from_one_that_runs(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.server.processes._PAUSE", 0.1)
    async with started(application) as processes:
        (pid,) = pids(processes)
        os.kill(pid, signal.SIGKILL)
        while pid in pids(processes):  # noqa: ASYNC110 - a thread notes it
            await asyncio.sleep(0.05)
        await running(processes, 1)
        forbid_answers_here(processes, monkeypatch)
        assert (await ask(application, TRAVEL)).answer.answered


async def test_an_unexpected_error_is_logged_in_the_process_with_its_turn(
    application: Application, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async with started(application) as processes:
        forbid_answers_here(processes, monkeypatch)
        application.dense.changes = {"DOC": 1}  # type: ignore[attr-defined]  # so that it is copied again
        monkeypatch.setattr(application.dense, "count", None)
        with work_on("turn-17"), pytest.raises(TypeError):
            await ask(application, TRAVEL)
        assert processes.count_running() == 1
    logged = capfd.readouterr().err
    assert '"turn": "turn-17"' in logged
    assert "Traceback" in logged


async def test_the_server_ends_without_waiting_for_a_process(application: Application) -> None:
    async with started(application) as processes:
        for pid in pids(processes):
            os.kill(pid, signal.SIGSTOP)
        asking = asyncio.create_task(ask(application, TRAVEL))
        await asyncio.sleep(0.2)
        async with asyncio.timeout(10):
            await processes.stop()
            assert "Ann" in (await asking).answer.text


async def test_a_damaged_index_starts_none(application: Application, caplog: pytest.LogCaptureFixture) -> None:
    (application.directory.dense_index / "chroma.sqlite3").unlink()
    processes = AnswerProcesses(application, 1, Metrics())
    await processes.start()
    await processes.stop()
    assert "No processes are started" in caplog.text


async def test_cleared_caches_leave_a_process_working(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started(application) as processes:
        forbid_answers_here(processes, monkeypatch)
        first = await ask(application, TRAVEL)
        application.clear_caches()
        assert (await ask(application, TRAVEL)).answer == first.answer
        assert processes.count_running() == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_server(data: Path, number: signal.Signals) -> None:
    with serving(data, answer_processes="1") as server:
        until(lambda: "wikiwhy_answer_processes 1.0" in server.get("/metrics")[1])
        tasks = Path(f"/proc/{server.process.pid}/task").glob("*/children")  # each thread has its own
        (child,) = [pid for each in tasks for pid in each.read_text().split()]
        assert b"answer_for_server" in Path(f"/proc/{child}/cmdline").read_bytes()
        server.process.send_signal(number)
        server.process.wait()
        until(lambda: not Path(f"/proc/{child}/cmdline").exists() or not Path(f"/proc/{child}/cmdline").read_bytes())
        assert "Traceback" not in server.log.read_text()


GB = 1_000_000_000


@pytest.mark.parametrize(
    ("cores", "memory", "asked", "count"),
    [
        (1, 8 * GB, None, 0),
        (2, 8 * GB, None, 2),
        (64, 64 * GB, None, 4),
        (4, 2 * GB, None, 1),
        (4, GB, None, 0),
        (2, 8 * GB, 0, 0),
        (1, GB, 3, 3),
    ],
)
def test_there_are_as_many_as_cores_and_as_half_of_the_memory_holds(
    application: Application, monkeypatch: pytest.MonkeyPatch, cores: int, memory: int, asked: int | None, count: int
) -> None:
    monkeypatch.setattr("bot.server.processes.count_cores", lambda: cores)
    monkeypatch.setattr("bot.server.processes.measure_memory", lambda: memory)
    change(application, answer_processes=asked)
    assert choose_count(application) == count


@pytest.mark.parametrize("settings", [{"embedder": "openai"}, {"embedder": "bge-m3"}, {"reranker": "bge"}])
def test_other_models_get_processes_only_if_the_settings_say_so(
    application: Application, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]
) -> None:
    monkeypatch.setattr("bot.server.processes.count_cores", lambda: 4)
    change(application, **settings)
    assert choose_count(application) == 0
    change(application, answer_processes=2)
    assert choose_count(application) == 2


@pytest.mark.parametrize("store", ["", "postgresql+psycopg://bot@localhost/wiki"])
def test_there_are_none_with_a_chroma_server(application: Application, store: str) -> None:
    change(application, database_url=store, answer_processes=2)
    assert choose_count(application) == 2
    change(application, chroma_url="http://localhost:8000")
    assert choose_count(application) == 0


def change(application: Application, **settings: object) -> None:
    application.settings = application.settings.model_copy(update=settings)
