"""What the server consists of: services and tasks in the background, and whether each of them works."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol

from aiohttp import web

from bot.wiring import Application, new_id, now
from core.attribution.steps import load_clustering
from core.conversation import Ask
from core.errors import BotReplaced, DataDirectoryInUse, WikiWhyError
from core.languages import load_detector
from core.model import Scope
from core.timing import Stopwatch

_STARTING = "starting"
_CHECK_SECONDS = 10.0

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


class BackgroundService:
    """A :class:`Service` whose work runs as long as the server; if it ends by itself, :meth:`ready` says so."""

    early = False

    def __init__(
        self, name: str, work: Callable[[], Coroutine[Any, Any, None]], routes: Sequence[web.RouteDef] = ()
    ) -> None:
        self.name = name
        self._work = work
        self._routes = routes
        self._task: asyncio.Task[None] | None = None

    def routes(self) -> Sequence[web.RouteDef]:
        return self._routes

    async def start(self) -> None:
        self._task = asyncio.create_task(self._work(), name=self.name)
        self._task.add_done_callback(self._ended)

    async def stop(self) -> None:
        """Cancels the work; a thread that it waits for still finishes its step."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def ready(self) -> str:
        if self._task is None:
            return "not started"
        return "ended, see the log" if self._task.done() else ""

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()):
            logger.error("%s ended: %s", self.name, error, exc_info=error)


class BackgroundTasks:
    """Tasks that nobody waits for and that need not survive a crash. Their errors are logged."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_log_errors(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def wait_until_idle(self) -> None:
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _log_errors(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except WikiWhyError as error:
        logger.warning("What somebody did could not be shown: %s", error)
    except Exception:  # of whatever kind: nobody waits for this task
        logger.exception("What somebody did could not be shown.")


class Readiness:
    """Loads what the first question needs, then checks repeatedly what may stop working.

    The checks run in the background, so that ``/readyz`` costs nothing.
    """

    def __init__(
        self, application: Application, services: Sequence[Service], tried: asyncio.Event | None = None
    ) -> None:
        self._application = application
        self._services = services
        self._parts = {"database": _STARTING, "indexes": _STARTING, "models": _STARTING}
        self.tried = tried or asyncio.Event()
        """Set when loading was tried once, successfully or not: operations need not wait any longer."""

    def report(self) -> Mapping[str, str]:
        """What is wrong with each part, "" if nothing."""
        return {**self._parts, **{service.name: service.ready() for service in self._services}}

    async def load(self) -> None:
        """Loads models and indexes, and answers a question of its own. It raises nothing: see :meth:`report`."""
        await self._check("models", self._load)
        await self.check()
        self.tried.set()

    async def check(self) -> None:
        """Checks each part now."""
        await self._check("database", self._database)
        await self._check("indexes", self._indexes)

    async def keep_checking(self) -> None:
        """Checks each part repeatedly, until cancelled; what could not be loaded is tried again.

        Raises DataDirectoryInUse where another process has taken the database, as after a break of the connection, and
        BotReplaced where another bot has taken over this one's work.
        """
        while True:
            await self._application.bots.wait(_CHECK_SECONDS)
            if self._parts["models"]:
                await self._check("models", self._load)
            await self.check()

    async def _check(self, part: str, work: Callable[[], Awaitable[str]]) -> None:
        """The report has no details, for anybody may read it; they are logged, once."""
        try:
            problem, cause = await work(), ""
        except (DataDirectoryInUse, BotReplaced):
            raise  # two at once would undo each other's work
        except WikiWhyError as error:
            problem, cause = "not working, see the log", str(error)
        except Exception as error:  # of whatever kind: the server goes on, and is not ready
            problem, cause = "not working, see the log", f"{type(error).__name__}: {error}"
        if problem and problem != self._parts[part]:
            logger.error("Not ready: %s: %s. %s", part, problem, cause)
        elif not problem and self._parts[part] not in {"", _STARTING}:
            logger.info("Ready again: %s.", part)
        self._parts[part] = problem

    async def _load(self) -> str:
        application = self._application
        await application.embedder.embed_queries(["Who approves travel?"])
        await asyncio.to_thread(lambda: (application.lexical, application.dense, application.reranker))
        await asyncio.to_thread(load_clustering)
        await asyncio.to_thread(load_detector)
        assistant = application.assistant()
        if application.language_model is None:  # its answers cost money
            ask = Ask(new_id(), "", now(), "Who approves travel?", (), Scope())
            await assistant.ask(ask)
        else:
            await application.retriever.retrieve("Who approves travel?", Scope(), Stopwatch(time.perf_counter))
        return ""

    async def _database(self) -> str:
        await self._application.database.keep_owning()
        await self._application.spaces.keys()
        return ""

    async def _indexes(self) -> str:
        lacking = await self._application.indexer.find_incomplete_spaces(self._application.spaces)
        if not lacking:
            return ""
        return f"lack evidences of {len(lacking)} spaces: stop the server, and run wikiwhy db rebuild-index"
