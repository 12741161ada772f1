"""Background tasks: closing waits for all of them and for those that they start, but not forever."""

from __future__ import annotations

import asyncio

import pytest

from bot.server.service import BackgroundTasks


async def test_closing_waits_for_tasks_that_tasks_start() -> None:
    tasks, ended = BackgroundTasks(), []

    async def notify() -> None:
        await asyncio.sleep(0.01)
        ended.append("notified")

    async def handle() -> None:
        await asyncio.sleep(0.01)
        tasks.start(notify())

    tasks.start(handle())
    await tasks.wait_until_idle()
    assert ended == ["notified"]


async def test_tasks_that_do_not_end_are_cancelled(caplog: pytest.LogCaptureFixture) -> None:
    tasks, ended = BackgroundTasks(), []

    async def wait_for_ever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async def end_soon() -> None:
        await asyncio.sleep(0.01)
        ended.append("done")

    tasks.start(wait_for_ever())
    tasks.start(asyncio.create_task(wait_for_ever()))
    tasks.start(end_soon())
    async with asyncio.timeout(20):
        await tasks.wait_until_idle(patience=0.1)
    assert ended == ["done", "cancelled", "cancelled"]
    assert "2 actions of persons were cancelled" in caplog.text
