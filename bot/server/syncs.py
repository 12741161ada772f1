"""Syncs that the server runs for chats and by schedule."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from bot.operations.sync import hold_spaces, sync_from_its_wiki
from bot.schedules import Schedule, find_due, find_last_syncs, find_next_due
from bot.server.metrics import Metrics, name_space
from bot.tracing import describe
from bot.wiring import Application
from core.errors import WikiWhyError
from core.indexing.report import SpaceReport
from core.ports.pages import SpaceStore
from core.timing import ProgressListener

_MOST_AT_ONCE = 8  # spaces; each may wait for the wiki, the embedder or a thread
_LONGEST_PAUSE = 60.0  # seconds; in the meantime a space may be synced or forgotten, or the clock may be set
_FOLLOWER_PAUSE = 5.0  # seconds between two checks whether this bot leads
_RETRY_AFTER = timedelta(minutes=30)  # for a space that is still due after its sync

logger = logging.getLogger(__name__)

Sync = Callable[[Sequence[str], str, ProgressListener], Awaitable[list[SpaceReport]]]
"""Syncs spaces for a reason (a word such as ``schedule``); logs and counts the results. Raises what a sync raises."""

ScheduledSync = Callable[[Sequence[str]], Coroutine[None, None, None]]
"""Syncs spaces that are due, and returns when they are synced. A restart of the server continues it."""


def make_sync(application: Application, metrics: Metrics) -> Sync:
    """Return a :data:`Sync` in this process. Several spaces are synced separately; their reports have the errors."""
    at_once = asyncio.Semaphore(_MOST_AT_ONCE)

    async def sync_one(key: str, reason: str, on_progress: ProgressListener) -> list[SpaceReport]:
        async with hold_spaces(application, [key]), at_once:
            with metrics.measure_sync():
                return await _sync_and_log(application, metrics, key, reason, on_progress)

    async def sync_safely(key: str, reason: str, on_progress: ProgressListener) -> list[SpaceReport]:
        try:
            return await sync_one(key, reason, on_progress)
        except Exception as error:  # it is in the log, and the other spaces are still synced
            return [SpaceReport(key, unlisted=str(error))]

    async def sync(keys: Sequence[str], reason: str, on_progress: ProgressListener) -> list[SpaceReport]:
        if len(keys) == 1:
            return await sync_one(keys[0], reason, on_progress)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(sync_safely(key, reason, on_progress)) for key in keys]
        return [report for task in tasks for report in task.result()]

    return sync


async def _sync_and_log(
    application: Application, metrics: Metrics, key: str, reason: str, on_progress: ProgressListener
) -> list[SpaceReport]:
    try:
        reports = await sync_from_its_wiki(application, key, on_progress)
    except Exception as error:
        metrics.syncs.labels(reason, "failed").inc()
        unexpected = None if isinstance(error, WikiWhyError) else error
        logger.error("Space %s could not be synced (%s): %s", key, reason, error, exc_info=unexpected)
        raise
    for report in reports:
        metrics.count_sync(reason, report.refusal)
        describe(
            space=name_space(report.key), pages=report.pages.seen, unread=report.pages.failed, embedded=report.embedded
        )
        fields = {"space": report.key, "reason": reason, "embedded": report.embedded, "seconds": report.seconds}
        if report.refusal:
            logger.error("Space %s was not synced (%s): %s", report.key, reason, report.refusal, extra=fields)
        else:
            counts = f"{report.pages.seen} pages, {report.pages.failed} of them not read, {report.embedded} embedded"
            logger.info("Space %s was synced (%s): %s.", report.key, reason, counts, extra=fields)
    return reports


class ScheduledSyncs:
    """Syncs each space when it is due, while this bot ``leads``: only one of several bots follows the schedules."""

    def __init__(
        self,
        schedules: Mapping[str, Schedule],
        spaces: SpaceStore,
        sync: ScheduledSync,
        leads: Callable[[], bool] = lambda: True,
    ) -> None:
        self._schedules = schedules
        self._spaces = spaces
        self._sync = sync
        self._leads = leads
        self._tried: dict[str, datetime] = {}
        self._running: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Sync until cancelled, then cancel running syncs, which end after their current step."""
        try:
            while True:
                try:
                    pause = await self.sync_due(datetime.now(UTC)) if self._leads() else _FOLLOWER_PAUSE
                except Exception:  # for example a locked database; the next attempt may succeed
                    logger.exception("Scheduled syncs could not be started. They are tried again in a minute.")
                    pause = _LONGEST_PAUSE
                await asyncio.sleep(pause)
        finally:
            for task in self._running.values():
                task.cancel()
            await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def sync_due(self, now: datetime) -> float:
        """Sync the spaces that are due now. Return the seconds until a space may be due again."""
        last = find_last_syncs(await self._spaces.load_summaries())
        self._running = {key: task for key, task in self._running.items() if not task.done()}
        keys = [key for key in find_due(self._schedules, last, now) if self._may_try(key, now)]
        if keys:
            self._tried |= dict.fromkeys(keys, now)
            started = {key: asyncio.create_task(self._sync([key])) for key in keys}
            self._running |= started
            # The timeout prevents a long sync from delaying other spaces that become due.
            ended, _ = await asyncio.wait(started.values(), timeout=_LONGEST_PAUSE)
            for task in ended:
                task.result()
            return 0.0
        coming = [at for at in find_next_due(self._schedules, last, now).values() if at > now]
        return min([_LONGEST_PAUSE, *((at - now).total_seconds() for at in coming)])

    def _may_try(self, key: str, now: datetime) -> bool:
        if key in self._running:
            return False
        return key not in self._tried or abs(now - self._tried[key]) >= _RETRY_AFTER
