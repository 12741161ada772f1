"""The daily removal of what is older than the settings keep it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from aiohttp import web

from bot.audit import SCHEDULE, acting_as
from bot.retention import remove_old
from bot.server.service import Background
from bot.wiring import Application

_PAUSE_SECONDS = 24 * 3600.0

Now = Callable[[], datetime]

logger = logging.getLogger(__name__)


class Retention:
    """Removes what is too old when the server starts and once a day (see :class:`bot.server.service.Service`)."""

    name = "retention"
    early = False

    def __init__(self, application: Application, now: Now = lambda: datetime.now(UTC)) -> None:
        self._application = application
        self._now = now
        self._background = Background(self.name)

    def routes(self) -> Sequence[web.RouteDef]:
        """None."""
        return []

    async def start(self) -> None:
        """Begins to remove."""
        self._background.start(self._keep_removing())

    async def stop(self) -> None:
        """Ends after a step."""
        await self._background.stop()

    def ready(self) -> str:
        """Nothing while it goes on, else why not."""
        return self._background.ready()

    async def _keep_removing(self) -> None:
        while True:
            try:
                with acting_as(SCHEDULE):
                    removed = await remove_old(self._application, self._now())
                if removed:
                    logger.info("%d entries that are older than the settings keep them were removed.", removed)
            except Exception:  # of whatever kind: the next day takes what this one left
                logger.exception("What is too old could not be removed; that is tried again.")
            await asyncio.sleep(_PAUSE_SECONDS)
