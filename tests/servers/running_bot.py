"""The bot in this process, in a thread of its own, listening on a free port: as ``wikiwhy serve`` has it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import ExitStack
from types import TracebackType
from typing import Any, TypeVar

from chromadb.api.shared_system_client import SharedSystemClient

from adapters.embedding.e5 import E5Embedder
from bot.platforms import platforms
from bot.server.metrics import metrics
from bot.server.readiness import Readiness
from bot.server.service import Service
from bot.server.web import web_application
from bot.settings import Settings
from bot.wiring import Application, opened
from bot.work.local import LocalWork
from tests.servers.threaded import ThreadedApplication

Result = TypeVar("Result")


class RunningBot:
    """Over a data directory with an index, while the ``with`` block lasts. One at a time in a process (DBOS).

    ``url`` is where it listens. Whoever touches ``application`` does it by :meth:`run`.
    """

    def __init__(self, settings: Settings, embedder: E5Embedder) -> None:
        self._settings, self._embedder = settings, embedder
        self._stack, self._server = ExitStack(), ThreadedApplication()
        self._services: list[Service] = []
        self.application: Application

    def __enter__(self) -> RunningBot:
        SharedSystemClient.clear_system_cache()  # chromadb remembers what it opened
        self.application = self._stack.enter_context(opened(self._settings))
        self.application.__dict__["embedder"] = self._embedder  # the cached property: loaded once a session
        chat = self._stack.enter_context(platforms(self.application, LocalWork(self.application)))
        assert not chat.missing, chat.missing
        started = asyncio.Event()
        started.set()
        readiness = Readiness(self.application, chat.services)
        self._server.start(web_application(chat.services, readiness, metrics(), "", started))
        self._services = [*chat.services]
        for service in self._services:
            self.run(service.start())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for service in reversed(self._services):
            self.run(service.stop())
        self._server.stop()
        self._stack.close()

    @property
    def url(self) -> str:
        return self._server.url

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """In the bot's event loop."""
        return self._server.run(work)
