"""Whether every part of the server works: checked in the background, so that ``/readyz`` costs nothing."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from bot.server.service import Service
from bot.wiring import Application, new_id, now
from core.attribution.steps import load_clustering
from core.conversation import Ask
from core.errors import WikiWhyError
from core.model import Scope
from core.timing import Stopwatch

_STARTING = "starting"
_CHECK_SECONDS = 10.0

logger = logging.getLogger(__name__)


class Readiness:
    """Loads what the first question needs, then checks repeatedly what may stop working."""

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
        """Checks each part repeatedly, until cancelled; what could not be loaded is tried again."""
        while True:
            await asyncio.sleep(_CHECK_SECONDS)
            if self._parts["models"]:
                await self._check("models", self._load)
            await self.check()

    async def _check(self, part: str, work: Callable[[], Awaitable[str]]) -> None:
        """The report has no details, for anybody may read it; they are logged, once."""
        try:
            problem, cause = await work(), ""
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
        assistant = application.assistant()
        if application.language_model is None:  # its answers cost money
            ask = Ask(new_id(), "", now(), "Who approves travel?", (), Scope())
            await assistant.ask(ask)
        else:
            await application.retriever.retrieve("Who approves travel?", Scope(), Stopwatch(time.perf_counter))
        return ""

    async def _database(self) -> str:
        await self._application.spaces.keys()
        return ""

    async def _indexes(self) -> str:
        lacking = await self._application.indexer.find_incomplete_spaces(self._application.spaces)
        if not lacking:
            return ""
        return f"lack evidences of {len(lacking)} spaces: stop the server, and run wikiwhy db rebuild-index"
