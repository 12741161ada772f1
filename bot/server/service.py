"""The parts of the server: services, background tasks, and the readiness checks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol

from aiohttp import web

from bot.coordination.several_bots import OneOfSeveral
from bot.wiring import Application
from core.attribution.steps import load_clustering
from core.errors import BotReplaced, DataDirectoryInUse, WikiWhyError

_STARTING = "starting"
_CHECK_SECONDS = 10.0
# As long as requests and workflows get. All together must end before the service manager kills the process, which is
# 30 s after the signal in deploy/ and docs/operations.md.
_STOP_SECONDS = 5.0

logger = logging.getLogger(__name__)


class Service(Protocol):
    """A part of the server, such as a chat platform, webhooks or schedules.

    Its routes exist as soon as the server listens, and answer 503 until the service is started. It is stopped after
    the last request was answered.
    """

    @property
    def early(self) -> bool:
        """Whether it starts before the models are loaded. It then accepts requests, whose work waits for the models."""
        ...

    @property
    def name(self) -> str:
        """Its name in ``/readyz`` and in the log."""
        ...

    def list_routes(self) -> Sequence[web.RouteDef]:
        """Return its routes. Each of them must authenticate the sender first."""
        ...

    async def start(self) -> None:
        """Start its work. An exception ends the server."""
        ...

    async def stop(self) -> None:
        """End its work, after storing what a restart needs to continue it."""
        ...

    def find_problem(self) -> str:
        """Return why it does not work, "" if it does, at once and without secrets: anybody may read it."""
        ...


class BackgroundService:
    """A :class:`Service` whose work runs as long as the server. If it ends earlier, :meth:`find_problem` says so."""

    early = False

    def __init__(
        self, name: str, work: Callable[[], Coroutine[Any, Any, None]], routes: Sequence[web.RouteDef] = ()
    ) -> None:
        self.name = name
        self._work = work
        self._routes = routes
        self._task: asyncio.Task[None] | None = None

    def list_routes(self) -> Sequence[web.RouteDef]:
        return self._routes

    async def start(self) -> None:
        self._task = asyncio.create_task(self._work(), name=self.name)
        self._task.add_done_callback(self._log_end)

    async def stop(self) -> None:
        """Cancel the work. A thread that it waits for still finishes its step."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def find_problem(self) -> str:
        if self._task is None:
            return "not started"
        return "ended, see the log" if self._task.done() else ""

    def _log_end(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()):
            logger.error("%s ended: %s", self.name, error, exc_info=error)


class Heartbeat:
    """The heartbeat of one of several bots, as a :class:`Service`: it starts first and stops last."""

    name = "bots"
    early = True

    def __init__(self, bots: OneOfSeveral) -> None:
        self._bots = bots
        self._task: asyncio.Task[None] | None = None

    def list_routes(self) -> Sequence[web.RouteDef]:
        return []

    async def start(self) -> None:
        self._task = asyncio.create_task(self._bots.run(), name=self.name)

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def find_problem(self) -> str:
        return "not started" if self._task is None else self._bots.find_problem()


class BackgroundTasks:
    """Tasks without a waiter that need not survive a crash. Their errors are logged."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Awaitable[None]) -> None:
        task = asyncio.create_task(_log_errors(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def wait_until_idle(self, patience: float = _STOP_SECONDS) -> None:
        """Wait until all tasks have ended. Those that have not after ``patience`` seconds are cancelled."""
        try:
            async with asyncio.timeout(patience):
                while self._tasks:  # a task may start another one
                    await asyncio.wait(self._tasks)
        except TimeoutError:
            logger.warning("%d actions of persons were cancelled after %g s.", len(self._tasks), patience)
        while self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)


async def _log_errors(work: Awaitable[None]) -> None:
    try:
        await work
    except WikiWhyError as error:
        logger.warning("The result of a person's action could not be shown: %s", error)
    except Exception:  # logged here, because nothing waits for this task
        logger.exception("The result of a person's action could not be shown.")


class Readiness:
    """Loads what the first question needs, then checks regularly that it still works.

    The checks run in the background, so that ``/readyz`` answers at once.
    """

    def __init__(
        self, application: Application, services: Sequence[Service], tried: asyncio.Event | None = None
    ) -> None:
        self._application = application
        self._services = services
        self._parts = {"database": _STARTING, "indexes": _STARTING, "models": _STARTING}
        self.tried = tried or asyncio.Event()
        """Set after the first attempt to load, successful or not. Operations then stop waiting."""

    def report(self) -> Mapping[str, str]:
        """Return the problem of each part, "" if there is none."""
        return {**self._parts, **{service.name: service.find_problem() for service in self._services}}

    async def load(self) -> None:
        """Load models and indexes, and answer a test question. Raises nothing; :meth:`report` has the errors."""
        await self._check("models", self._load)
        await self.check()
        self.tried.set()

    async def check(self) -> None:
        """Check each part now."""
        await self._check("database", self._check_database)
        await self._check("indexes", self._check_indexes)

    async def keep_checking(self) -> None:
        """Check each part regularly until cancelled, and retry loading if it failed.

        Raises DataDirectoryInUse if another process has taken the database after a connection loss, and BotReplaced if
        another bot has taken over this bot's work.
        """
        while True:
            await self._application.bots.wait(_CHECK_SECONDS)
            if self._parts["models"]:
                await self._check("models", self._load)
            await self.check()

    async def _check(self, part: str, work: Callable[[], Awaitable[str]]) -> None:
        """Check a part. Details are logged once, and not reported, because anybody may read the report."""
        try:
            problem, cause = await work(), ""
        except (DataDirectoryInUse, BotReplaced):
            raise  # two processes would undo each other's work
        except WikiWhyError as error:
            problem, cause = "not working, see the log", str(error)
        except Exception as error:  # the server continues, but is not ready
            problem, cause = "not working, see the log", f"{type(error).__name__}: {error}"
        if problem and problem != self._parts[part]:
            logger.error("Not ready: %s: %s. %s", part, problem, cause)
        elif not problem and self._parts[part] not in {"", _STARTING}:
            logger.info("Ready again: %s.", part)
        self._parts[part] = problem

    async def _load(self) -> str:
        await asyncio.to_thread(load_clustering)
        await self._application.load_models()
        return ""

    async def _check_database(self) -> str:
        await self._application.database.keep_owning()
        await self._application.spaces.load_keys()
        return ""

    async def _check_indexes(self) -> str:
        lacking = await self._application.indexer.find_incomplete_spaces(self._application.spaces)
        if not lacking:
            return ""
        return f"lack evidences of {len(lacking)} spaces: stop the server, and run wikiwhy db rebuild-index"
