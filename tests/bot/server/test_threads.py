from __future__ import annotations

import asyncio
import threading

import pytest

from bot.server.serving import Threads


async def test_what_a_cancelled_task_left_running_is_waited_for() -> None:
    threads = Threads()
    asyncio.get_running_loop().set_default_executor(threads)
    running, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        running.set()
        go_on.wait(30)
        ended.set()

    task = asyncio.create_task(asyncio.to_thread(work))
    while not running.is_set():  # noqa: ASYNC110 - a thread sets it
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
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
    assert "1 threads of cancelled work have not ended" in caplog.text
    go_on.set()
    threads.shutdown()
