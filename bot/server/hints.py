"""The queue of webhook hints, and the page refreshes that follow them. Repeated hints refresh a page only once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

from bot.audit import WEBHOOK, act_as, record_action
from bot.operations.sync import sync_spaces
from bot.server.metrics import Metrics
from bot.server.service import BackgroundService
from bot.server.webhooks import make_webhook_routes
from bot.wikis import make_confluence
from bot.wiring import Application
from core.errors import WikiUnavailable, WikiWhyError
from core.indexing.page_refresh import Hint
from core.ports.wiki import Wiki

_MOST_HINTS = 1000  # with more, one sync of the space is cheaper than a refresh of each page
_SETTLING_SECONDS = 2.0  # one action of a person often causes several deliveries
_CHANGING = frozenset({"added", "updated", "removed", "failed"})

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HintBatch:
    """Hints at pages, and the spaces with too many changes for refreshing page by page."""

    hints: Sequence[Hint]
    spaces: frozenset[str] = frozenset()


class HintQueue:
    """Hints in memory. The next sync replaces lost ones. ``count`` is called for each hint."""

    def __init__(
        self,
        most: int = _MOST_HINTS,
        settling: float = _SETTLING_SECONDS,
        count: Callable[[], None] = lambda: None,
    ) -> None:
        self._most = most
        self._settling = settling
        self._count = count
        self._waiting: dict[str, Hint] = {}
        self._spaces: set[str] = set()
        self._some = asyncio.Event()

    async def note_hint(self, hint: Hint) -> None:
        """Add a hint. It replaces an earlier hint at the same page."""
        self._count()
        if len(self._waiting) < self._most or hint.page_id in self._waiting:
            self._waiting[hint.page_id] = hint
        elif hint.space:
            self._spaces.add(hint.space)
        else:
            logger.warning("Too many hints: the one at page %s was dropped. Sync its space.", hint.page_id)
        self._some.set()

    def count_waiting(self) -> int:
        """Return the number of waiting pages and spaces."""
        return len(self._waiting) + len(self._spaces)

    async def put_back(self, batch: HintBatch) -> None:
        """Put back hints that could not be followed yet. Newer hints at the same pages are kept."""
        for hint in batch.hints:
            self._waiting.setdefault(hint.page_id, hint)
        self._spaces |= batch.spaces
        self._some.set()

    async def take_all(self) -> HintBatch:
        """Wait for hints and for the settling time, then remove and return all hints."""
        await self._some.wait()
        await asyncio.sleep(self._settling)
        self._some.clear()
        batch = HintBatch(list(self._waiting.values()), frozenset(self._spaces))
        self._waiting.clear()
        self._spaces.clear()
        return batch


async def follow(application: Application, wiki: Wiki, batch: HintBatch) -> None:
    """Refresh each page, then sync the spaces in which more may have changed.

    If a refresh fails, its space is synced, which tries again and stores the error with the space.
    """
    synced = {summary.key for summary in await application.spaces.load_summaries() if summary.source == wiki.source}
    spaces = set(batch.spaces)
    outcomes = set()
    refresher = application.make_page_refresher()
    for at, hint in enumerate(batch.hints):
        try:
            result = await refresher.refresh(wiki, hint)
        except WikiUnavailable as error:
            logger.warning("Page %s cannot be refreshed: %s", hint.page_id, error)
            spaces |= await _find_spaces(application, batch.hints[at:])
            break  # the wiki is unavailable for the other pages too
        outcomes.add(result.outcome)
        spaces |= result.spaces
        if result.error:
            logger.warning(
                "Page %s of space %s cannot be read: %s", hint.page_id, result.error.space, result.error.cause
            )
    if outcomes & _CHANGING:
        await application.indexer.clean()
        await application.vectors.prune()
        await application.database.scrub()
    await _sync(application, wiki, sorted(spaces & synced))


async def follow_all(queue: HintQueue, application: Application, wiki: Wiki) -> None:
    """Follow hints as they arrive, until cancelled. Errors are logged.

    Each space has its own task, so that a slow sync of one space delays only the hints at that space.
    """
    tasks: dict[str, asyncio.Task[None]] = {}
    async with asyncio.TaskGroup() as group:
        while True:
            batch = await queue.take_all()
            for space, part in (await _split_by_space(application, batch)).items():
                if (busy := tasks.get(space)) and not busy.done():
                    await queue.put_back(part)
                else:
                    tasks[space] = group.create_task(_follow_safely(application, wiki, part))


async def _follow_safely(application: Application, wiki: Wiki, batch: HintBatch) -> None:
    try:
        with act_as(WEBHOOK):
            async with record_action(application.audit, "sync", _describe_batch(batch)):
                await follow(application, wiki, batch)
    except Exception:  # so that one hint does not stop all later ones
        logger.exception("Hints could not be followed. The next sync of their spaces reads the changes.")


async def _split_by_space(application: Application, batch: HintBatch) -> dict[str, HintBatch]:
    hints: dict[str, list[Hint]] = {space: [] for space in batch.spaces}
    for hint in batch.hints:
        stored = await application.pages.load_page(hint.page_id)
        hints.setdefault(stored.space if stored else hint.space, []).append(hint)
    return {space: HintBatch(some, batch.spaces & {space}) for space, some in hints.items()}


def _describe_batch(batch: HintBatch) -> str:
    """Return the spaces that the hints name and the number of pages, for the audit log."""
    spaces = sorted({hint.space for hint in batch.hints if hint.space} | batch.spaces)
    return f"{', '.join(spaces)} ({len(batch.hints)} pages)".strip()


async def _sync(application: Application, wiki: Wiki, spaces: Sequence[str]) -> None:
    """Sync spaces together, so that pages moved between them stay in past answers; if that fails, one by one."""
    if not spaces:
        return
    try:
        async with application.syncing.hold(spaces):
            reports = await sync_spaces(application, wiki, application.make_synchroniser(), spaces, lambda _: None)
    except WikiWhyError as error:
        if len(spaces) == 1:
            logger.warning("Space %s could not be synced after a hint: %s", spaces[0], error)
        else:
            for space in spaces:
                await _sync(application, wiki, [space])
        return
    for report in reports:
        if report.stopped:
            logger.warning("The sync of space %s after a hint stopped: %s", report.key, report.stopped)


async def _find_spaces(application: Application, hints: Iterable[Hint]) -> set[str]:
    """Return the spaces of these pages in the store; for unknown pages, the spaces that the hints name."""
    spaces: set[str] = set()
    for hint in hints:
        stored = await application.pages.load_page(hint.page_id)
        spaces |= {stored.space} if stored else {hint.space}
    return spaces - {""}


def make_webhook_service(application: Application, metrics: Metrics) -> BackgroundService:
    """Return the service that receives Confluence's webhooks and follows their hints. Raises SettingsInvalid.

    Hints that are still waiting when the server stops are lost. The next sync reads their changes.
    """
    queue = HintQueue(count=metrics.hints.inc)
    metrics.hints_waiting.set_function(queue.count_waiting)
    wiki = make_confluence(application.settings, files=application.file_texts)

    async def work() -> None:
        with closing(wiki):
            await follow_all(queue, application, wiki)

    return BackgroundService(
        "webhooks", work, make_webhook_routes(application.settings.webhook_secret.get_secret_value(), queue)
    )
