"""Background services that take away what is too old, and erased text out of the files."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime
from functools import partial

from bot.audit import SCHEDULE, act_as
from bot.maintenance import remove_old
from bot.server.service import BackgroundService
from bot.wiring import Application

_UPKEEP_SECONDS = 60.0
_RETENTION_SECONDS = 24 * 3600.0
_STEPS = 200  # of merging between two pauses
_NIGHT = range(2, 5)  # hours of local time in which large files are rewritten: writers wait meanwhile

logger = logging.getLogger(__name__)


def retention_service(application: Application) -> BackgroundService:
    """Removes what is older than the settings keep it, when the server starts and once a day."""
    return BackgroundService("retention", partial(_remove_daily, application))


def upkeep_service(application: Application) -> BackgroundService:
    """Cleans the files of the database and the full-text index."""
    return BackgroundService("upkeep", partial(_clean_files, application))


async def _remove_daily(application: Application) -> None:
    while True:
        try:
            with act_as(SCHEDULE):
                removed = await remove_old(application, datetime.now(UTC))
            if removed:
                logger.info("%d entries that are older than the settings keep them were removed.", removed)
        except Exception:  # of whatever kind: the next day takes what this one left
            logger.exception("What is too old could not be removed; that is tried again.")
        await asyncio.sleep(_RETENTION_SECONDS)


async def _clean_files(application: Application) -> None:
    while True:
        await asyncio.sleep(_UPKEEP_SECONDS)
        try:
            await tend_files(application, datetime.now().astimezone().hour in _NIGHT)
        except Exception:  # of whatever kind, as a full disk: the next turn may succeed
            logger.exception("Erased text could not be taken out of the files; it is tried again.")


async def tend_files(application: Application, may_rewrite: bool) -> None:
    """Merges some of the full-text index and empties logs; where large files may be rewritten, those that need it."""
    await application.lexical.tidy(_STEPS)
    await application.database.empty_log()  # a reader may have kept the last sync from it
    if may_rewrite and await application.lexical.compact():
        logger.info("The full-text index was compacted: nothing of removed pages is left in its file.")
    if may_rewrite and await application.database.compact():
        logger.info("The database was compacted: nothing of removed pages is left in its file.")
