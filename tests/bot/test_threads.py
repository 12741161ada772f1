from __future__ import annotations

import asyncio
import threading

import pytest

from bot.threads import Threads


async def cancel_once(task: asyncio.Task[None], begun: threading.Event) -> None:
    while not begun.is_set():  # noqa: ASYNC110 - a thread sets it
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_what_a_cancelled_task_left_running_is_waited_for() -> None:
    threads = Threads()
    asyncio.get_running_loop().set_default_executor(threads)
    running, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        running.set()
        go_on.wait(30)
        ended.set()

    task = asyncio.create_task(asyncio.to_thread(work))
    await cancel_once(task, running)
    settled = asyncio.create_task(threads.wait_until_idle())
    await asyncio.sleep(0.05)
    assert not settled.done()
    go_on.set()
    await settled
    assert ended.is_set()
    await threads.wait_until_idle()


async def test_what_never_ends_is_not_waited_for_longer(caplog: pytest.LogCaptureFixture) -> None:
    threads = Threads()
    go_on = threading.Event()
    threads.submit(go_on.wait, 30)
    await threads.wait_until_idle(patience=0.05)
    assert "1 threads have not ended" in caplog.text
    go_on.set()
    threads.shutdown()


async def test_a_coroutine_and_its_blocking_calls_run_in_one_thread() -> None:
    seen: list[int] = []

    async def work() -> str:
        seen.append(threading.get_ident())
        for _ in range(2):
            seen.append(await asyncio.to_thread(threading.get_ident))
        await asyncio.gather(*(asyncio.to_thread(seen.append, threading.get_ident()) for _ in range(2)))
        return "done"

    assert await Threads().run_in_one_thread(work) == "done"
    assert len(seen) == 5
    assert len(set(seen)) == 1
    assert seen[0] != threading.get_ident()


async def test_the_error_of_a_blocking_call_is_raised_where_it_is_awaited() -> None:
    def fail() -> None:
        raise OSError("it failed")

    async def work() -> str:
        try:
            await asyncio.to_thread(fail)
        except OSError as error:
            return str(error)
        return ""

    assert await Threads().run_in_one_thread(work) == "it failed"


async def test_work_in_one_thread_is_waited_for_when_its_task_was_cancelled() -> None:
    threads, begun, go_on, ended = Threads(), threading.Event(), threading.Event(), threading.Event()

    async def work() -> None:
        begun.set()
        await asyncio.to_thread(go_on.wait, 30)
        ended.set()

    task = asyncio.create_task(threads.run_in_one_thread(work))
    await cancel_once(task, begun)
    go_on.set()
    await threads.wait_until_idle()
    assert ended.is_set()
