"""The connected parts of the chat, with a real workspace, real files and a real workflow database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from adapters.slack.platform import SlackPlatform
from bot.chat.connect import Chat, open_chat
from bot.server.metrics import Metrics
from bot.wiring import Application
from core.indexing.report import PageCounts, SpaceReport
from core.timing import Progress, ProgressListener


@dataclass
class Syncs:
    """A sync with scripted results, which records its calls."""

    asked: list[tuple[list[str], str]] = field(default_factory=list)
    raises: list[Exception] = field(default_factory=list)

    async def __call__(self, keys: Sequence[str], reason: str, on_progress: ProgressListener) -> list[SpaceReport]:
        self.asked.append((list(keys), reason))
        on_progress(Progress("read", 1, 4))
        await asyncio.sleep(0.05)
        if self.raises:
            raise self.raises.pop(0)
        return [SpaceReport(key, PageCounts(seen=7)) for key in keys]


@asynccontextmanager
async def chatting(
    application: Application, platform: SlackPlatform, syncs: Syncs | None = None
) -> AsyncIterator[Chat]:
    loaded = asyncio.Event()
    loaded.set()
    with open_chat(
        application,
        {"slack": platform},
        sync=syncs or Syncs(),
        metrics=Metrics(),
        loaded=loaded,
    ) as chat:
        chat.durable._first_pause = 0.001
        await chat.durable.launch()
        try:
            yield chat
        finally:
            await chat.durable.close(patience=0)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def wait_until_idle(chat: Chat) -> None:
    """Wait until no workflow is running."""
    async with asyncio.timeout(60):
        while await chat.durable.list_unfinished():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
