"""Upkeep: what erased text leaves in the files is taken out while nobody waits for it."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime
from functools import partial

from bot.server.service import BackgroundService
from bot.wiring import Application

_PAUSE_SECONDS = 60.0
_STEPS = 200  # of merging between two pauses
_NIGHT = range(2, 5)  # hours of local time in which large files are rewritten: writers wait meanwhile

logger = logging.getLogger(__name__)


def upkeep_service(application: Application) -> BackgroundService:
    """Looks after the files of the database and the full-text index."""
    return BackgroundService("upkeep", partial(_keep_files, application))


async def _keep_files(application: Application) -> None:
    while True:
        await asyncio.sleep(_PAUSE_SECONDS)
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
