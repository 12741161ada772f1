"""The heartbeat of one of several bots, as a part of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from aiohttp import web

from bot.coordination.several_bots import OneOfSeveral


class Heartbeat:
    """Says that this bot is alive (:class:`bot.server.service.Service`): the first that starts, the last that stops."""

    name = "bots"
    early = True

    def __init__(self, bots: OneOfSeveral) -> None:
        self._bots = bots
        self._task: asyncio.Task[None] | None = None

    def routes(self) -> Sequence[web.RouteDef]:
        """None."""
        return []

    async def start(self) -> None:
        self._task = asyncio.create_task(self._bots.run(), name=self.name)

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def ready(self) -> str:
        return "not started" if self._task is None else self._bots.find_problem()
