"""What the server consists of: services, and tasks that run in the background."""

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
        """Whether it starts before the models are loaded: it accepts requests, and their work waits for the models."""
        ...

    @property
    def name(self) -> str:
        """Its name in ``/readyz`` and in the log."""
        ...

    def routes(self) -> Sequence[web.RouteDef]:
        """Its routes; each of them authenticates the sender first."""
        ...

    async def start(self) -> None:
        """Starts its work. An exception ends the server."""
        ...

    async def stop(self) -> None:
        """Ends its work, after storing what a restart needs to continue it."""
        ...

    def ready(self) -> str:
        """Why it does not work, "" if it does; without secrets, for anybody may read it. Returns at once."""
        ...


class Background:
    """A task that runs until it is stopped; if it ends by itself, that is logged and :meth:`ready` says so."""

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
        """Why it does not run, "" while it does."""
        if self._task is None:
            return "not started"
        return "ended, see the log" if self._task.done() else ""

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()):
            logger.error("%s ended: %s", self._name, error, exc_info=error)


class BackgroundService:
    """A :class:`Service` without routes: its work runs as long as the server."""

    early = False

    def __init__(self, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self.name = name
        self._work = work
        self._background = Background(name)

    def routes(self) -> Sequence[web.RouteDef]:
        return []

    async def start(self) -> None:
        self._background.start(self._work())

    async def stop(self) -> None:
        """Cancels the work; a thread that it waits for still finishes its step."""
        await self._background.stop()

    def ready(self) -> str:
        return self._background.ready()
