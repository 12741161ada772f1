"""Syncs that the server does for chats and schedules: each space by itself, counted, and told in the log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from bot.audit import outcome_of, record_action
from bot.server.metrics import Metrics
from bot.sync import sync_from_anywhere
from bot.wiring import Application
from core.errors import WikiWhyError
from core.indexing.report import SpaceReport
from core.ports import ProgressListener

_AT_ONCE = 8  # spaces; each may wait for the wiki, the embedder or a thread

logger = logging.getLogger(__name__)

Sync = Callable[[Sequence[str], str, ProgressListener], Awaitable[list[SpaceReport]]]
"""Syncs spaces for a reason (one word, as ``schedule``) and says in the log what came of it. Raises what it raises."""


def sync_now(application: Application, metrics: Metrics) -> Sync:
    """A :data:`Sync` in this process: where the server stops meanwhile, the next one goes on where it was."""
    at_once = asyncio.Semaphore(_AT_ONCE)

    async def sync_one(key: str, reason: str, on_progress: ProgressListener) -> list[SpaceReport]:
        async with application.syncing.hold([key]), at_once:
            try:
                with metrics.measure_sync():
                    async with record_action(application.audit, "sync", key) as entry:
                        reports = await _synced(application, metrics, key, reason, on_progress)
                        entry.outcome = outcome_of(reports)
                        return reports
            except asyncio.CancelledError:
                await application.wait_for_threads()
                raise

    async def sync(keys: Sequence[str], reason: str, on_progress: ProgressListener) -> list[SpaceReport]:
        if len(keys) == 1:
            return await sync_one(keys[0], reason, on_progress)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_reported(sync_one(key, reason, on_progress), key)) for key in keys]
        return [report for task in tasks for report in task.result()]

    return sync


async def _synced(
    application: Application, metrics: Metrics, key: str, reason: str, on_progress: ProgressListener
) -> list[SpaceReport]:
    try:
        reports = await sync_from_anywhere(application, [key], on_progress)
    except Exception as error:
        metrics.syncs.labels(reason, "failed").inc()
        unexpected = None if isinstance(error, WikiWhyError) else error
        logger.error("Space %s could not be synced (%s): %s", key, reason, error, exc_info=unexpected)
        raise
    for report in reports:
        _tell(report, metrics, reason)
    return reports


async def _reported(sync: Awaitable[list[SpaceReport]], key: str) -> list[SpaceReport]:
    try:
        return await sync
    except Exception as error:  # of whatever kind, which the log has: the others are synced all the same
        return [SpaceReport(key, unlisted=str(error))]


def _tell(report: SpaceReport, metrics: Metrics, reason: str) -> None:
    metrics.count_sync(reason, report.refusal)
    fields = {"space": report.key, "reason": reason, "embedded": report.embedded, "seconds": report.seconds}
    if report.refusal:
        logger.error("Space %s was not synced (%s): %s", report.key, reason, report.refusal, extra=fields)
    else:
        counts = f"{report.pages.seen} pages, {report.pages.failed} of them not read, {report.embedded} embedded"
        logger.info("Space %s was synced (%s): %s.", report.key, reason, counts, extra=fields)
