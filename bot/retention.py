"""Removing what is older than the settings keep it: once a day in a server, and with `wikiwhy sync due`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from aiohttp import web

from bot.audit import SCHEDULE, acting_as, recorded
from bot.server.service import Background
from bot.wiring import Application

KEYS_DAYS = 7
"""Days that the keys of our messages are kept at least: a platform repeats an event for a day at most."""

_PAUSE_SECONDS = 24 * 3600.0
_STEP_PAUSE_SECONDS = 0.05  # between two steps: questions come first

logger = logging.getLogger(__name__)

Now = Callable[[], datetime]


async def remove_old(application: Application, now: datetime) -> int:
    """Removes turns, what was said around them and audit entries that are too old at an aware moment.

    Returns how many rows. It goes on where one that was cut off stopped.
    """
    settings = application.settings
    removed = 0
    before, posts_before = _moments(now, settings.retention_days)
    if settings.retention_days and await application.retention.has_some(before, posts_before):
        async with recorded(application.audit, "remove_old_turns", f"before {before}"):
            while some := await application.retention.remove_some(before, posts_before):
                removed += some
                await asyncio.sleep(_STEP_PAUSE_SECONDS)
    if settings.audit_days:
        removed += await application.audit.remove_before(_iso(now - timedelta(days=settings.audit_days)))
    return removed


def _moments(now: datetime, days: int) -> tuple[str, str]:
    return _iso(now - timedelta(days=days)), _iso(now - timedelta(days=max(days, KEYS_DAYS)))


def _iso(moment: datetime) -> str:
    """As the store writes moments, so that they compare as text."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


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
