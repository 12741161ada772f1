"""Durable workflows, with real SQLite and PostgreSQL databases."""

from __future__ import annotations

import asyncio
import base64
import gc
import resource
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest
from dbos._utils import retriable_postgres_exception
from sqlalchemy.exc import OperationalError

from bot.durable import Durable
from bot.storage.workflow_database import open_workflow_database
from bot.threads import Threads
from bot.workflow import RunStep
from core.errors import ChatRefused, ChatUnavailable, DatabaseUnavailable, DataDirectoryUnusable, ServerUnavailable

Json = dict[str, Any]


@dataclass(frozen=True)
class Work:
    """A request for tests."""

    workflow: ClassVar[str] = "work"
    key: str
    text: str = ""

    def to_json(self) -> Json:
        return {"key": self.key, "text": self.text}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**stored)


class SlowWork(Work):
    """A request of another workflow."""

    workflow = "slow"


@dataclass
class Ledger:
    """A workflow whose steps record that they ran, in order.

    ``steps``: their names. ``gated``: the step that waits for the gate. ``failing``: errors that a step raises first.
    """

    steps: Sequence[str] = ("a", "b")
    gated: str = ""
    failing: dict[str, list[Exception]] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    requests: list[Work] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, request: Work, step: RunStep) -> None:
        self.requests.append(request)
        for name in self.steps:
            self.outcomes.append(await step(name, partial(self._run_step, name)))

    async def _run_step(self, name: str) -> str:
        self.done.append(name)
        if name == self.gated:
            await self.gate.wait()
        if self.failing.get(name):
            raise self.failing[name].pop(0)
        return f"from {name}"

    async def report_failure(self, request: Work) -> None:
        self.done.append("failed")
        if self.failing.get("failed"):
            raise self.failing["failed"].pop(0)


@pytest.fixture(params=["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.slow)])
def database(request: pytest.FixtureRequest) -> str:
    """Return the URL of a workflow database."""
    url: str = request.getfixturevalue("file" if request.param == "SQLite" else "empty_postgres_url")
    return url


@pytest.fixture
def file(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'workflows.db'}"


@asynccontextmanager
async def running(
    database: str, ledger: Ledger, slow: Ledger | None = None, patience: float = 0.0
) -> AsyncIterator[Durable]:
    durable = Durable(database, first_pause=0.001)
    durable.add(Work, ledger)
    durable.add(SlowWork, slow or Ledger())
    await durable.launch()
    try:
        yield durable
    finally:
        await durable.close(patience)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110  # nothing there tells of it
            await asyncio.sleep(0.01)


async def ended(durable: Durable, *keys: str) -> None:
    """Start workflows, and wait until all have ended; polls more often than DBOS."""
    for key in keys:
        await durable.start(Work(key, "nightingaleword"))
    async with asyncio.timeout(20):
        while await durable.list_unfinished():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def fragments(word: str) -> list[bytes]:
    """Return the forms in which a word may be stored: as it is, or in Base64 at each offset."""
    encoded = (base64.b64encode(b"x" * before + word.encode())[before + 1 : -4] for before in range(3))
    return [word.encode(), *encoded]


async def test_a_workflow_runs_once_per_key(database: str) -> None:
    ledger = Ledger()
    async with running(database, ledger) as durable:
        await asyncio.gather(*(durable.start(Work("k")) for _ in range(5)))
        await ended(durable, "k", "other")
    assert sorted(ledger.done) == ["a", "a", "b", "b"]
    async with running(database, ledger) as durable:
        await ended(durable, "k")
    assert len(ledger.done) == 4


async def test_a_workflow_gets_its_request_and_the_outcomes_of_its_steps(database: str) -> None:
    ledger = Ledger()
    async with running(database, ledger) as durable:
        await durable.start(Work("k", "hello"))
        await ended(durable)
    assert ledger.requests == [Work("k", "hello")]
    assert ledger.outcomes == ["from a", "from b"]


async def test_run_to_end_waits_for_the_workflow_and_start_does_not(database: str) -> None:
    ledger = Ledger(["a"], gated="a")
    async with running(database, ledger) as durable:
        await durable.start(Work("k"))
        waiting = asyncio.create_task(durable.run_to_end(Work("k")))
        await until(lambda: ledger.done)
        assert not waiting.done()
        assert len(await durable.list_unfinished()) == 1
        ledger.gate.set()
        await waiting
        assert await durable.list_unfinished() == []


async def test_cancelling_the_waiter_does_not_cancel_the_workflow(database: str) -> None:
    ledger = Ledger(gated="a")
    async with running(database, ledger) as durable:
        waiting = asyncio.create_task(durable.run_to_end(Work("k")))
        await until(lambda: ledger.done)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        ledger.gate.set()
        await ended(durable, "k")
    assert ledger.done == ["a", "b"]


async def test_only_the_failing_step_is_retried(database: str) -> None:
    ledger = Ledger(failing={"b": [ChatUnavailable("down"), RuntimeError("odd")]})
    async with running(database, ledger) as durable:
        await ended(durable, "k")
    assert ledger.done == ["a", "b", "b", "b"]


async def test_the_last_cause_of_a_failed_workflow_is_logged(database: str, caplog: pytest.LogCaptureFixture) -> None:
    ledger = Ledger(failing={"a": [RuntimeError(f"odd {at}") for at in range(9)]})
    async with running(database, ledger) as durable:
        await ended(durable, "k")
    assert ledger.done == ["a", "a", "a", "failed"]
    assert "k failed: odd 2" in caplog.text
    assert "nightingaleword" not in caplog.text


@pytest.mark.parametrize("error", [ChatUnavailable("down"), DatabaseUnavailable("down"), DataDirectoryUnusable("full")])
async def test_an_outage_is_waited_for_without_counting_attempts(database: str, error: Exception) -> None:
    ledger = Ledger(failing={"a": [error] * 9})
    async with running(database, ledger) as durable:
        await ended(durable, "k")
    assert ledger.done == ["a"] * 10 + ["b"]


async def test_refusals_are_not_retried(database: str) -> None:
    ledger = Ledger(failing={"a": [ChatRefused("gone")] * 3})
    async with running(database, ledger) as durable:
        await ended(durable, "k")
    assert ledger.done == ["a", "failed"]


async def test_reporting_a_failure_is_retried(database: str) -> None:
    ledger = Ledger(failing={"a": [ChatRefused("gone")], "failed": [ChatUnavailable("down")] * 4})
    async with running(database, ledger) as durable:
        await ended(durable, "k")
    assert ledger.done == ["a"] + ["failed"] * 5


@contextmanager
def full_disk(database: Path) -> Iterator[None]:
    """Nothing can be added to the log of a SQLite file, as if its disk was full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (Path(f"{database}-wal").stat().st_size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("at", ["a", "b", "failed", "end"])
async def test_a_workflow_goes_on_without_a_restart_when_a_full_disk_has_space_again(
    file: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, at: str
) -> None:
    with ExitStack() as disk:

        class Filling(Ledger):
            """The disk is full as soon as a step has run, before its outcome is stored."""

            def fill(self, moment: str) -> None:
                if moment == at and not self.filled:
                    self.filled = True
                    disk.enter_context(full_disk(tmp_path / "workflows.db"))

            filled = False

            async def run(self, request: Work, step: RunStep) -> None:
                await super().run(request, step)
                self.fill("end")

            async def _run_step(self, name: str) -> str:
                outcome = await super()._run_step(name)
                self.fill(name)
                return outcome

            async def report_failure(self, request: Work) -> None:
                await super().report_failure(request)
                self.fill("failed")

        ledger = Filling(failing={"b": [ChatRefused("gone")]} if at == "failed" else {})
        async with running(file, ledger) as durable:
            await durable.start(Work("k"))
            await until(lambda: ledger.filled)
            await asyncio.sleep(0.2)  # several attempts
            assert await durable.list_unfinished()
            disk.close()
            await durable.start(Work("k"))  # delivered again
            await ended(durable)
    assert ledger.done == (["a", "b", "failed"] if at == "failed" else ["a", "b"])
    assert ("cannot be used" in caplog.text) == (at != "end")


async def test_a_start_while_the_disk_is_full_fails_and_can_be_repeated(file: str, tmp_path: Path) -> None:
    ledger = Ledger()
    async with running(file, ledger) as durable:
        with full_disk(tmp_path / "workflows.db"), pytest.raises(DataDirectoryUnusable):
            await durable.start(Work("k"))
        await ended(durable, "k")
    assert ledger.done == ["a", "b"]


async def test_a_sweep_deletes_finished_workflows_only(file: str, tmp_path: Path) -> None:
    ledger = Ledger(failing={"b": [ChatRefused("kingfisherword")]})
    slow = Ledger(["c"], gated="c")

    def kept(word: str) -> bool:
        return any(each in path.read_bytes() for path in tmp_path.iterdir() for each in fragments(word))

    async with running(file, ledger, slow) as durable:
        await ended(durable, "k", "l")
        await durable.start(SlowWork("m", "goldfinchword"))
        assert kept("nightingaleword")
        await durable.sweep()
        assert len(await durable.list_unfinished()) == 1
        slow.gate.set()
        await ended(durable)
    assert not kept("nightingaleword")
    assert not kept("kingfisherword")
    assert kept("goldfinchword")
    async with running(file, ledger, slow) as durable:
        await durable.sweep()
    assert not kept("goldfinchword")


async def test_a_swept_workflow_can_be_started_again(database: str) -> None:
    ledger = Ledger()
    async with running(database, ledger) as durable:
        await ended(durable, "k")
        await durable.sweep()
        assert not durable.is_fresh("k")
        await ended(durable, "k")
    assert ledger.done == ["a", "b", "a", "b"]


async def test_restart_runs_finished_workflows_again_but_not_running_ones(database: str) -> None:
    ledger = Ledger(["a"], gated="a")
    async with running(database, ledger) as durable:
        await asyncio.gather(*(durable.restart(Work("k")) for _ in range(3)))
        await until(lambda: ledger.done)
        await asyncio.gather(*(durable.restart(Work("k")) for _ in range(3)))
        ledger.gate.set()
        await ended(durable)
        assert ledger.done == ["a"]
        ledger.gate.clear()
        await asyncio.gather(*(durable.restart(Work("k")) for _ in range(3)))
        ledger.gate.set()
        await ended(durable)
    assert ledger.done == ["a", "a"]


async def test_an_unfinished_workflow_continues_at_the_next_launch(database: str) -> None:
    ledger = Ledger(["a", "b", "c"], gated="b")
    async with running(database, ledger, patience=0) as durable:
        await durable.start(Work("k"))
        await until(lambda: ledger.done == ["a", "b"])
    ledger.gate.set()
    async with running(database, ledger) as durable:
        await until(lambda: "c" in ledger.done)
        await ended(durable, "k")
    assert ledger.done == ["a", "b", "b", "c"]


async def test_a_start_before_the_launch_waits_for_it(database: str) -> None:
    ledger = Ledger()
    durable = Durable(database)
    durable.add(Work, ledger)
    early = asyncio.create_task(durable.start(Work("k")))
    await asyncio.sleep(0)
    await durable.launch()
    await early
    await ended(durable, "k")
    await durable.close()
    assert ledger.done == ["a", "b"]


@pytest.mark.parametrize("launches", [True, False])
async def test_after_the_close_nothing_is_started_nor_waited_for(file: str, launches: bool) -> None:
    ledger = Ledger()
    durable = Durable(file)
    durable.add(Work, ledger)
    if launches:
        await durable.launch()
    early = [] if launches else [asyncio.create_task(durable.start(Work("early")))]
    await asyncio.sleep(0)
    await durable.close()
    work = Work("k")
    late: list[Coroutine[Any, Any, Any]] = [
        durable.start(work),
        durable.restart(work),
        durable.run_to_end(work),
        durable.is_under_way("k"),
        durable.remove(["k"]),
        durable.load_requests(),
    ]
    async with asyncio.timeout(20):
        errors = await asyncio.gather(*early, *late, return_exceptions=True)
    assert {type(error) for error in errors} == {ServerUnavailable}
    assert await durable.list_unfinished() == []
    assert ledger.done == []


async def test_a_workflow_that_asks_about_another_one_during_the_close_continues_at_the_next_launch(
    database: str,
) -> None:
    """The close is no failure of the workflow: nobody is told of one."""
    closing = asyncio.Event()

    class Asking(Ledger):
        durable: Durable

        async def _run_step(self, name: str) -> str:
            self.done.append(name)
            if name == self.gated:
                await closing.wait()
                await self.durable.is_under_way("other")
            return f"from {name}"

    asking = Asking({"a": 6, "b": 6, "c": 6}, gated="b")
    async with running(database, asking, patience=1.0) as asking.durable:
        await asking.durable.start(Work("k"))
        await until(lambda: asking.done == ["a", "b"])
        asyncio.get_running_loop().call_later(0.1, closing.set)  # while the close waits for running workflows
    assert asking.done == ["a", "b"]
    async with running(database, asking) as asking.durable:
        gc.collect()  # nothing refers to the first one any more
        await until(lambda: "c" in asking.done)
        await ended(asking.durable, "k")
    assert asking.done == ["a", "b", "b", "c"]


async def test_only_workflows_begun_by_this_process_are_fresh(database: str) -> None:
    """A repeated delivery after a restart: the interrupted workflow may have posted before."""
    ledger = Ledger(["a"], gated="a")
    async with running(database, ledger, patience=0) as durable:
        await durable.start(Work("cut off"))
        assert durable.is_fresh("cut off")
        await until(lambda: ledger.done)
    async with running(database, ledger) as durable:
        for key in ("cut off", "new"):
            await durable.start(Work(key))
        assert durable.is_fresh("new")
        assert not durable.is_fresh("cut off")
        assert not durable.is_fresh("never started")
        ledger.gate.set()


async def test_the_event_loop_keeps_its_executor_after_the_close(database: str) -> None:
    ledger, threads = Ledger(), Threads()
    asyncio.get_running_loop().set_default_executor(threads)
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait(20)

    async with running(database, ledger) as durable:
        await ended(durable, "k")
        work = asyncio.create_task(asyncio.to_thread(slow))
        await until(begun.is_set)
        waiting = asyncio.create_task(threads.wait_until_idle())
        await asyncio.sleep(0.01)
        assert not waiting.done()
        go_on.set()
        await asyncio.gather(waiting, work)
    assert await asyncio.to_thread(lambda: "done") == "done"


@pytest.mark.parametrize("host", ["/nowhere", "127.0.0.1&port=1"])
def test_dbos_waits_for_a_server_that_cannot_be_reached(host: str) -> None:
    engine = open_workflow_database(f"postgresql+psycopg://me@/wiki?host={host}")
    with pytest.raises(OperationalError) as caught:
        engine.connect()
    assert retriable_postgres_exception(caught.value)


async def test_a_failing_statement_is_logged_without_its_values(database: str) -> None:
    ledger = Ledger()
    async with running(database, ledger) as durable:
        assert durable._engine.hide_parameters
