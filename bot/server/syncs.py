"""Syncs that the server does for chats and schedules: one at a time, counted, and told in the log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from bot.audit import outcome_of, recorded
from bot.server.metrics import Metrics
from bot.syncing import sync_from_anywhere
from bot.wiring import Application
from core.errors import WikiWhyError
from core.indexing.report import SpaceReport
from core.ports import ProgressListener

logger = logging.getLogger(__name__)

Sync = Callable[[Sequence[str], str, ProgressListener], Awaitable[list[SpaceReport]]]
"""Syncs spaces for a reason (one word, as ``schedule``) and says in the log what came of it. Raises what it raises."""


def sync_now(application: Application, metrics: Metrics, settled: Callable[[], Awaitable[None]]) -> Sync:
    """A :data:`Sync` in this process: where the server stops meanwhile, the next one goes on where it was.

    ``settled``: see :class:`bot.work.local.LocalWork`.
    """

    async def sync(keys: Sequence[str], reason: str, on_progress: ProgressListener) -> list[SpaceReport]:
        async with application.syncing:
            try:
                with metrics.syncing():
                    async with recorded(application.audit, "sync", ", ".join(keys)) as entry:
                        reports = await _synced(application, metrics, keys, reason, on_progress)
                        entry.outcome = outcome_of(reports)
                        return reports
            except asyncio.CancelledError:
                await settled()
                raise

    return sync


async def _synced(
    application: Application, metrics: Metrics, keys: Sequence[str], reason: str, on_progress: ProgressListener
) -> list[SpaceReport]:
    """Together, so that pages that moved between spaces keep their place in past answers; else each by itself."""
    try:
        reports = await sync_from_anywhere(application, keys, on_progress)
    except Exception as error:  # of whatever kind: one space must not keep the others from being synced
        if len(keys) > 1:
            return [
                report for key in keys for report in await _synced_if(application, metrics, key, reason, on_progress)
            ]
        metrics.syncs.labels(reason, "failed").inc()
        unexpected = None if isinstance(error, WikiWhyError) else error
        logger.error("Space %s could not be synced (%s): %s", keys[0], reason, error, exc_info=unexpected)
        raise
    for report in reports:
        _tell(report, metrics, reason)
    return reports


async def _synced_if(
    application: Application, metrics: Metrics, key: str, reason: str, on_progress: ProgressListener
) -> list[SpaceReport]:
    try:
        return await _synced(application, metrics, [key], reason, on_progress)
    except Exception as error:  # which the log has
        return [SpaceReport(key, unlisted=str(error))]


def _tell(report: SpaceReport, metrics: Metrics, reason: str) -> None:
    metrics.synced(reason, report.refusal)
    fields = {"space": report.key, "reason": reason, "embedded": report.embedded, "seconds": report.seconds}
    if report.refusal:
        logger.error("Space %s was not synced (%s): %s", report.key, reason, report.refusal, extra=fields)
    else:
        counts = f"{report.pages.seen} pages, {report.pages.failed} of them not read, {report.embedded} embedded"
        logger.info("Space %s was synced (%s): %s.", report.key, reason, counts, extra=fields)
