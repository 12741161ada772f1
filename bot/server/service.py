"""What a server consists of."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

from aiohttp import web

logger = logging.getLogger(__name__)


class Service(Protocol):
    """A part of the server: a chat platform, webhooks, schedules.

    Its routes are mounted when the server begins to listen, and refused with 503 until it was started; it is stopped
    when no request is being answered any more.
    """

    @property
    def early(self) -> bool:
        """Whether it is started before the models are loaded: it takes in what comes, and its work waits for them."""
        ...

    @property
    def name(self) -> str:
        """What it is called in ``/readyz`` and in the log."""
        ...

    def routes(self) -> Sequence[web.RouteDef]:
        """Whatever they do, whoever asks has to prove who they are first."""
        ...

    async def start(self) -> None:
        """Begins its work. What it raises ends the server."""
        ...

    async def stop(self) -> None:
        """Ends its work; what a restart is to go on with is kept by then."""
        ...

    def ready(self) -> str:
        """Nothing if it works, else why not: for everybody to read. Returns at once."""
        ...


class Background:
    """Work that goes on until it is stopped. It should never end by itself; if it does, that is known."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._task: asyncio.Task[None] | None = None

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        self._task = asyncio.create_task(work, name=self._name)
        self._task.add_done_callback(self._ended)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def ready(self) -> str:
        """Nothing while it goes on, else why not."""
        if self._task is None:
            return "not started"
        return "ended, see the log" if self._task.done() else ""

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()):
            logger.error("%s ended: %s", self._name, error, exc_info=error)


class BackgroundService:
    """A :class:`Service` without requests: its work begins with the server and goes on until the server stops."""

    early = False

    def __init__(self, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.name = name
        self._work = work
        self._background = Background(name)

    def routes(self) -> Sequence[web.RouteDef]:
        """None."""
        return []

    async def start(self) -> None:
        """Begins the work."""
        self._background.start(self._work())

    async def stop(self) -> None:
        """Cancels the work; a thread that it waits for still ends its step."""
        await self._background.stop()

    def ready(self) -> str:
        """Nothing while the work goes on, else why not."""
        return self._background.ready()
