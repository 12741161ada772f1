"""The daily removal of what is older than the settings keep it."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime
from functools import partial

from bot.audit import SCHEDULE, act_as
from bot.retention import remove_old
from bot.server.service import BackgroundService
from bot.wiring import Application

_PAUSE_SECONDS = 24 * 3600.0

logger = logging.getLogger(__name__)


def retention_service(application: Application) -> BackgroundService:
    """Removes what is too old when the server starts, and once a day."""
    return BackgroundService("retention", partial(_keep_removing, application))


async def _keep_removing(application: Application) -> None:
    while True:
        try:
            with act_as(SCHEDULE):
                removed = await remove_old(application, datetime.now(UTC))
            if removed:
                logger.info("%d entries that are older than the settings keep them were removed.", removed)
        except Exception:  # of whatever kind: the next day takes what this one left
            logger.exception("What is too old could not be removed; that is tried again.")
        await asyncio.sleep(_PAUSE_SECONDS)
