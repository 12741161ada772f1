"""Background tasks: closing waits for all of them, and for those that they start."""

from __future__ import annotations

import asyncio

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
