"""The bot in this process, in a thread of its own, listening on a free port: as ``wikiwhy serve`` has it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import Any, TypeVar
from unittest import mock

from chromadb.api.shared_system_client import SharedSystemClient
from dbos import DBOS

from adapters.embedding.e5 import E5Embedder
from bot.durable import Durable
from bot.server.metrics import Metrics
from bot.server.service import Readiness, Service
from bot.server.syncs import make_sync
from bot.server.web import StartEvents, make_web_application
from bot.settings import Settings
from bot.startup import open_platforms
from bot.threads import Threads
from bot.wiring import Application, open_application
from tests.servers.threaded import ThreadedApplication

Result = TypeVar("Result")

_PAUSE = 0.02  # seconds before what failed is tried again


class RunningBot:
    """Over a data directory with an index, while the ``with`` block lasts. One at a time in a process (DBOS).

    ``url`` is where it listens. Whoever touches ``application`` does it by :meth:`run`.
    """

    def __init__(self, settings: Settings, embedder: E5Embedder) -> None:
        self._settings, self._embedder = settings, embedder
        self._stack, self._server = ExitStack(), ThreadedApplication()
        self._services: list[Service] = []
        self._durable: Durable
        self.application: Application

    def __enter__(self) -> RunningBot:
        SharedSystemClient.clear_system_cache()  # chromadb remembers what it opened
        self.application = application = self._stack.enter_context(open_application(self._settings))
        application.__dict__["embedder"] = self._embedder  # the cached property: loaded once a session
        threads, loaded, counted = Threads(), asyncio.Event(), Metrics()
        application.use_threads(threads)
        loaded.set()
        sync = make_sync(application, counted)
        with mock.patch("bot.chat.connect.Durable", partial(Durable, first_pause=_PAUSE)):
            chat = self._stack.enter_context(open_platforms(application, sync=sync, metrics=counted, loaded=loaded))
        assert not chat.missing, chat.missing
        self._durable = chat.durable
        started = StartEvents()
        started.early.set()
        started.all.set()
        readiness = Readiness(application, chat.services)
        self._server.start(make_web_application(chat.services, readiness, counted, "", started))
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

    @property
    def idle(self) -> bool:
        """Whether no durable work is under way. The database, which takes milliseconds, is asked only in the end."""
        if self._durable._running or self._durable._starting:
            return False
        waiting = DBOS.list_workflows_async(status=["PENDING", "ENQUEUED"], load_input=False, load_output=False)
        return not self.run(waiting)

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """In the bot's event loop."""
        return self._server.run(work)
