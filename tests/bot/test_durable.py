"""Durable work on a real file: what is done once, what is done again, and what is left of it."""

from __future__ import annotations

import asyncio
import base64
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.durable import Durable, Step, Workflow
from bot.server.threads import Threads
from core.errors import ChatRefused, ChatUnavailable
from tests.bot import durable_child

ROOT = Path(__file__).parents[2]
Json = dict[str, Any]


@dataclass
class Ledger:
    """What steps did, in order; ``failing`` raises as often as it has errors left for a step."""

    done: list[str] = field(default_factory=list)
    seen: list[Json] = field(default_factory=list)
    failing: dict[str, list[Exception]] = field(default_factory=dict)
    causes: list[Exception] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    def step(self, name: str, attempts: int = 6, gated: bool = False) -> Step:
        async def run(payload: Json, outcomes: Mapping[str, Json]) -> Json:
            self.done.append(name)
            self.seen.append({"payload": payload, "outcomes": dict(outcomes)})
            if gated:
                await self.gate.wait()
            if self.failing.get(name):
                raise self.failing[name].pop(0)
            return {"from": name}

        return Step(name, run, attempts)

    async def failed(self, payload: Json, error: Exception) -> None:
        self.done.append("failed")
        if self.failing.get("failed"):
            raise self.failing["failed"].pop(0)
        self.causes.append(error)

    def work(self, *steps: Step) -> Workflow:
        return Workflow("work", steps or (self.step("a"), self.step("b")), self.failed)


@pytest.fixture
def books(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'workflows.db'}"


@asynccontextmanager
async def running(books: str, *workflows: Workflow, patience: float = 0.0) -> AsyncIterator[Durable]:
    durable = Durable(books, first_pause=0.001)
    for workflow in workflows:
        durable.add(workflow)
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
    """Starts the work, if it has not begun, and waits until all has ended: sooner than ``done``, which looks seldom."""
    for key in keys:
        await durable.start("work", key, {"text": "nightingaleword"})
    async with asyncio.timeout(20):
        while await durable.count_unfinished():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def fragments(word: str) -> list[bytes]:
    """How a word may stand in the books: as it is, or in Base64, where it depends on what stands before it."""
    encoded = (base64.b64encode(b"x" * before + word.encode())[before + 1 : -4] for before in range(3))
    return [word.encode(), *encoded]


async def test_work_of_one_key_is_done_once_however_often_it_is_started(books: str) -> None:
    ledger = Ledger()
    async with running(books, ledger.work()) as durable:
        await asyncio.gather(*(durable.start("work", "k", {}) for _ in range(5)))
        await ended(durable, "k", "other")
    assert sorted(ledger.done) == ["a", "a", "b", "b"]
    async with running(books, ledger.work()) as durable:
        await ended(durable, "k")
    assert len(ledger.done) == 4


async def test_each_step_gets_the_payload_with_its_key_and_what_the_steps_before_it_gave(books: str) -> None:
    ledger = Ledger()
    async with running(books, ledger.work()) as durable:
        await durable.start("work", "k", {"text": "hello"})
        await ended(durable)
    payload = {"text": "hello", "key": "k"}
    assert ledger.seen == [
        {"payload": payload, "outcomes": {}},
        {"payload": payload, "outcomes": {"a": {"from": "a"}}},
    ]


async def test_done_returns_when_the_work_has_ended_and_start_before(books: str) -> None:
    ledger = Ledger()
    async with running(books, ledger.work(ledger.step("a", gated=True))) as durable:
        await durable.start("work", "k", {})
        waiting = asyncio.create_task(durable.run_to_end("work", "k", {}))
        await until(lambda: ledger.done)
        assert not waiting.done()
        assert await durable.count_unfinished() == 1
        ledger.gate.set()
        await waiting
        assert await durable.count_unfinished() == 0


async def test_who_is_cancelled_waiting_does_not_end_the_work(books: str) -> None:
    ledger = Ledger()
    async with running(books, ledger.work(ledger.step("a", gated=True), ledger.step("b"))) as durable:
        waiting = asyncio.create_task(durable.run_to_end("work", "k", {}))
        await until(lambda: ledger.done)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        ledger.gate.set()
        await ended(durable, "k")
    assert ledger.done == ["a", "b"]


async def test_a_step_that_fails_is_tried_again_until_it_works_and_those_before_it_are_not(books: str) -> None:
    ledger = Ledger(failing={"b": [ChatUnavailable("down"), RuntimeError("odd")]})
    async with running(books, ledger.work()) as durable:
        await ended(durable, "k")
    assert ledger.done == ["a", "b", "b", "b"]
    assert ledger.causes == []


async def test_what_never_works_ends_and_who_waits_hears_the_last_cause(books: str) -> None:
    ledger = Ledger(failing={"a": [RuntimeError(f"odd {at}") for at in range(9)]})
    async with running(books, ledger.work(ledger.step("a", attempts=3), ledger.step("b"))) as durable:
        await ended(durable, "k")
    assert ledger.done == ["a", "a", "a", "failed"]
    assert [str(cause) for cause in ledger.causes] == ["odd 2"]


async def test_a_platform_that_is_away_is_waited_for_however_often_it_takes(books: str) -> None:
    ledger = Ledger(failing={"a": [ChatUnavailable("down")] * 9})
    async with running(books, ledger.work(ledger.step("a", attempts=3), ledger.step("b"))) as durable:
        await ended(durable, "k")
    assert ledger.done == ["a"] * 10 + ["b"]
    assert ledger.causes == []


@pytest.mark.parametrize(("attempts", "error"), [(6, ChatRefused("gone")), (1, RuntimeError("odd"))])
async def test_a_refusal_and_a_step_of_one_attempt_are_not_tried_again(
    books: str, attempts: int, error: Exception
) -> None:
    ledger = Ledger(failing={"a": [error] * 3})
    async with running(books, ledger.work(ledger.step("a", attempts))) as durable:
        await ended(durable, "k")
    assert ledger.done == ["a", "failed"]
    assert [type(cause) for cause in ledger.causes] == [type(error)]


async def test_that_work_failed_is_told_again_where_telling_it_failed(books: str) -> None:
    ledger = Ledger(failing={"a": [ChatRefused("gone")], "failed": [ChatUnavailable("down")] * 4})
    async with running(books, ledger.work()) as durable:
        await ended(durable, "k")
    assert ledger.done == ["a"] + ["failed"] * 5
    assert [str(cause) for cause in ledger.causes] == ["gone"]


async def test_sweeping_takes_what_ended_out_of_the_file_and_leaves_what_has_not(books: str, tmp_path: Path) -> None:
    ledger = Ledger(failing={"b": [ChatRefused("kingfisherword")]})
    slow = Workflow("slow", [ledger.step("c", gated=True)], ledger.failed)

    def kept(word: str) -> bool:
        return any(each in path.read_bytes() for path in tmp_path.iterdir() for each in fragments(word))

    async with running(books, ledger.work(), slow) as durable:
        await ended(durable, "k", "l")
        await durable.start("slow", "m", {"text": "goldfinchword"})
        assert kept("nightingaleword")
        await durable.sweep()
        assert await durable.count_unfinished() == 1
        ledger.gate.set()
        await ended(durable)
    assert not kept("nightingaleword")
    assert not kept("kingfisherword")
    assert kept("goldfinchword")
    async with running(books, ledger.work(), slow) as durable:
        await durable.sweep()
    assert not kept("goldfinchword")


async def test_what_was_swept_is_done_again_where_it_is_started_again(books: str) -> None:
    ledger = Ledger()
    async with running(books, ledger.work()) as durable:
        await ended(durable, "k")
        await durable.sweep()
        assert not durable.is_fresh("k")
        await ended(durable, "k")
    assert ledger.done == ["a", "b", "a", "b"]


async def test_what_has_ended_is_done_again_where_that_is_wanted_and_what_has_not_is_not(books: str) -> None:
    ledger = Ledger()
    async with running(books, ledger.work(ledger.step("a", gated=True))) as durable:
        await asyncio.gather(*(durable.again("work", "k", {}) for _ in range(3)))
        await until(lambda: ledger.done)
        await asyncio.gather(*(durable.again("work", "k", {}) for _ in range(3)))
        ledger.gate.set()
        await ended(durable)
        assert ledger.done == ["a"]
        ledger.gate.clear()
        await asyncio.gather(*(durable.again("work", "k", {}) for _ in range(3)))
        ledger.gate.set()
        await ended(durable)
    assert ledger.done == ["a", "a"]


async def test_what_did_not_end_before_the_close_goes_on_at_the_next_launch(books: str) -> None:
    ledger = Ledger()
    work = ledger.work(ledger.step("a"), ledger.step("b", gated=True), ledger.step("c"))
    async with running(books, work, patience=0) as durable:
        await durable.start("work", "k", {})
        await until(lambda: ledger.done == ["a", "b"])
    ledger.gate.set()
    async with running(books, work) as durable:
        await until(lambda: "c" in ledger.done)
        await ended(durable, "k")
    assert ledger.done == ["a", "b", "b", "c"]


async def test_a_start_that_comes_before_the_launch_waits_for_it(books: str) -> None:
    ledger = Ledger()
    durable = Durable(books)
    durable.add(ledger.work())
    early = asyncio.create_task(durable.start("work", "k", {}))
    await asyncio.sleep(0)
    await durable.launch()
    await early
    await ended(durable, "k")
    await durable.close()
    assert ledger.done == ["a", "b"]


async def test_only_what_this_process_started_first_is_fresh(books: str) -> None:
    """Slack sends a message again that was cut off: its work was posted for, perhaps, before the restart."""
    ledger = Ledger()
    work = ledger.work(ledger.step("a", gated=True))
    async with running(books, work, patience=0) as durable:
        await durable.start("work", "cut off", {})
        assert durable.is_fresh("cut off")
        await until(lambda: ledger.done)
    async with running(books, work) as durable:
        for key in ("cut off", "new"):
            await durable.start("work", key, {})
        assert durable.is_fresh("new")
        assert not durable.is_fresh("cut off")
        assert not durable.is_fresh("never started")
        ledger.gate.set()


async def test_the_event_loop_keeps_its_own_threads_also_after_the_close(books: str) -> None:
    ledger, threads = Ledger(), Threads()
    asyncio.get_running_loop().set_default_executor(threads)
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait(20)

    async with running(books, ledger.work()) as durable:
        await ended(durable, "k")
        work = asyncio.create_task(asyncio.to_thread(slow))
        await until(begun.is_set)
        waiting = asyncio.create_task(threads.wait_until_idle())
        await asyncio.sleep(0.01)
        assert not waiting.done()
        go_on.set()
        await asyncio.gather(waiting, work)
    assert await asyncio.to_thread(lambda: "done") == "done"


async def test_a_failing_statement_is_told_without_the_words_in_it(books: str) -> None:
    ledger = Ledger()
    async with running(books, ledger.work()) as durable:
        assert durable._engine.hide_parameters


async def test_what_fails_is_in_the_log_with_its_key(books: str, caplog: pytest.LogCaptureFixture) -> None:
    ledger = Ledger(failing={"a": [ChatRefused("The channel is gone.")]})
    with caplog.at_level(logging.INFO):
        async with running(books, ledger.work()) as durable:
            await ended(durable, "ask:slack:T:C:1")
    assert "ask:slack:T:C:1 failed: The channel is gone." in caplog.text
    assert "nightingaleword" not in caplog.text


@pytest.mark.parametrize("crash", ["between", "in b"])
def test_after_a_kill_work_goes_on_at_the_step_that_had_not_ended(tmp_path: Path, crash: str) -> None:
    def child(*arguments: str) -> int:
        command = [sys.executable, "-m", durable_child.__name__, str(tmp_path), *arguments]
        return subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60).returncode

    assert child(crash) == -signal.SIGKILL
    assert child("nowhere") == 0
    ran = (tmp_path / "ran").read_text().split()
    assert ran == {"between": ["a", "b", "c"], "in b": ["a", "b", "b", "c"]}[crash]
