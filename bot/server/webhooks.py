"""Webhooks: hints are noted as they come and followed soon after."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import web

from bot.hints import HintQueue, keep_following
from bot.server.metrics import Metrics
from bot.server.service import Background
from bot.webhooks import webhook_routes
from bot.wikis import confluence_for
from bot.wiring import Application
from core.indexing.page_refresh import Hint, HintListener


class Webhooks:
    """Takes Confluence's webhooks (see :class:`bot.server.service.Service`).

    Hints that are not followed when the server ends are lost; the next sync makes up for them.
    """

    name = "webhooks"
    early = False

    def __init__(self, application: Application, metrics: Metrics) -> None:
        self._application = application
        self._queue = HintQueue()
        self._listener = _Counting(self._queue, metrics)
        self._wiki = confluence_for(application.settings)
        self._background = Background(self.name)

    def routes(self) -> Sequence[web.RouteDef]:
        """Of both kinds of senders."""
        return webhook_routes(self._application.settings.webhook_secret.get_secret_value(), self._listener)

    async def start(self) -> None:
        """Begins to follow hints."""
        self._background.start(keep_following(self._queue, self._application, self._wiki))

    async def stop(self) -> None:
        """Ends, within a step of what is being followed."""
        await self._background.stop()
        self._wiki.close()

    def ready(self) -> str:
        """Nothing while hints are followed, else why not."""
        return self._background.ready()


class _Counting:
    """Counts hints on their way."""

    def __init__(self, listener: HintListener, metrics: Metrics) -> None:
        self._listener = listener
        self._metrics = metrics

    async def note_hint(self, hint: Hint) -> None:
        self._metrics.hints.inc()
        await self._listener.note_hint(hint)
