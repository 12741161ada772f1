"""Syncs of Confluence's spaces that the server starts by itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing

from bot.server.metrics import Metrics
from bot.syncing import sync_spaces
from bot.wikis import confluence_for
from bot.wiring import Application
from core.errors import WikiWhyError

logger = logging.getLogger(__name__)

Sync = Callable[[Sequence[str], str], Awaitable[None]]
"""Syncs spaces for a reason (one word, as ``schedule``). It says in the log what came of it, and raises nothing."""


def sync_now(application: Application, metrics: Metrics, settled: Callable[[], Awaitable[None]]) -> Sync:
    """A :data:`Sync` in this process: where the server stops meanwhile, the next one goes on where it was.

    ``settled``: see :class:`bot.work.local.LocalWork`.
    """

    async def sync(keys: Sequence[str], reason: str) -> None:
        async with application.syncing:
            try:
                with metrics.syncing():
                    await _synced(application, metrics, keys, reason)
            except asyncio.CancelledError:
                await settled()
                raise

    return sync


async def _synced(application: Application, metrics: Metrics, keys: Sequence[str], reason: str) -> None:
    """Together, so that pages that moved between spaces keep their place in past answers; else each by itself."""
    try:
        with closing(confluence_for(application.settings)) as wiki:
            reports = await sync_spaces(application, wiki, application.synchroniser(), keys, lambda progress: None)
    except Exception as error:  # of whatever kind: one space must not keep the others from being synced
        if len(keys) > 1:
            for key in keys:
                await _synced(application, metrics, [key], reason)
            return
        metrics.syncs.labels(reason, "failed").inc()
        unexpected = None if isinstance(error, WikiWhyError) else error
        logger.error("Space %s could not be synced (%s): %s", keys[0], reason, error, exc_info=unexpected)
        return
    for report in reports:
        metrics.synced(reason, report.refusal)
        fields = {"space": report.key, "reason": reason, "embedded": report.embedded, "seconds": report.seconds}
        if report.refusal:
            logger.error("Space %s was not synced (%s): %s", report.key, reason, report.refusal, extra=fields)
        else:
            counts = f"{report.pages.seen} pages, {report.pages.failed} of them not read, {report.embedded} embedded"
            logger.info("Space %s was synced (%s): %s.", report.key, reason, counts, extra=fields)
