"""Upkeep: what erased text leaves in the files is taken out while nobody waits for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime

from aiohttp import web

from bot.server.service import Background
from bot.wiring import Application

_PAUSE_SECONDS = 60.0
_STEPS = 200  # of merging between two pauses
_NIGHT = range(2, 5)  # hours of local time in which large files are rewritten: writers wait meanwhile

logger = logging.getLogger(__name__)


class Upkeep:
    """Looks after the files of the database and the full-text index (see :class:`bot.server.service.Service`)."""

    name = "upkeep"
    early = False

    def __init__(self, application: Application) -> None:
        self._application = application
        self._background = Background(self.name)

    def routes(self) -> Sequence[web.RouteDef]:
        """None."""
        return []

    async def start(self) -> None:
        """Begins to look after the files."""
        self._background.start(self._keep_files())

    async def stop(self) -> None:
        """Ends; a rewrite that is under way is ended by its thread."""
        await self._background.stop()

    def ready(self) -> str:
        """Nothing while the files are looked after, else why not."""
        return self._background.ready()

    async def _keep_files(self) -> None:
        while True:
            await asyncio.sleep(_PAUSE_SECONDS)
            try:
                await tend_files(self._application, datetime.now().astimezone().hour in _NIGHT)
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
