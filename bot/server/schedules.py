"""Schedules: spaces are synced when their time has come."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from aiohttp import web

from bot.schedules import Schedule, due, last_syncs, next_due
from bot.server.service import Background
from core.ports import SpaceStore

_LONGEST_PAUSE = 60.0  # seconds: somebody may sync or forget a space meanwhile, or set the clock
_TRY_AGAIN = timedelta(minutes=30)  # after a sync that left its space due

ScheduledSync = Callable[[Sequence[str]], Coroutine[None, None, None]]
"""Syncs spaces that are due, and returns when that is done. It goes on even if the server is stopped meanwhile."""

logger = logging.getLogger(__name__)


class ScheduledSyncs:
    """Syncs each space when it is due (see :class:`bot.server.service.Service`)."""

    name = "schedules"
    early = False

    def __init__(self, schedules: Mapping[str, Schedule], spaces: SpaceStore, sync: ScheduledSync) -> None:
        self._schedules = schedules
        self._spaces = spaces
        self._sync = sync
        self._tried: dict[str, datetime] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._background = Background(self.name)

    def routes(self) -> Sequence[web.RouteDef]:
        """None."""
        return []

    async def start(self) -> None:
        """Begins to follow the schedules."""
        self._background.start(self._follow())

    async def stop(self) -> None:
        """Ends, within a step of a sync that is under way."""
        await self._background.stop()
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    def ready(self) -> str:
        """Nothing while the schedules are followed, else why not."""
        return self._background.ready()

    async def _follow(self) -> None:
        while True:
            try:
                pause = await self.turn(datetime.now(UTC))
            except Exception:  # of whatever kind, as a database that is locked: the next turn may succeed
                logger.exception("The schedules could not be followed.")
                pause = _LONGEST_PAUSE
            await asyncio.sleep(pause)

    async def turn(self, now: datetime) -> float:
        """Syncs what is due now. Returns the seconds until it is worth to look again."""
        last = last_syncs(await self._spaces.summaries())
        self._running = {key: task for key, task in self._running.items() if not task.done()}
        keys = [key for key in due(self._schedules, last, now) if self._may_try(key, now)]
        if keys:
            self._tried |= dict.fromkeys(keys, now)
            begun = {key: asyncio.create_task(self._sync([key])) for key in keys}
            self._running |= begun
            # One that takes long keeps no other space from being synced when it is due.
            ended, _ = await asyncio.wait(begun.values(), timeout=_LONGEST_PAUSE)
            for task in ended:
                task.result()
            return 0.0
        coming = [at for at in next_due(self._schedules, last, now).values() if at > now]
        return min([_LONGEST_PAUSE, *((at - now).total_seconds() for at in coming)])

    def _may_try(self, key: str, now: datetime) -> bool:
        if key in self._running:
            return False
        return key not in self._tried or abs(now - self._tried[key]) >= _TRY_AGAIN
