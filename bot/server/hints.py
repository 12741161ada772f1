"""Hints of webhooks, kept until they are followed: each page is read once, however often it was named."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

from bot.audit import WEBHOOK, act_as, record_action
from bot.operations.spaces import sync_spaces
from bot.server.metrics import Metrics
from bot.server.service import BackgroundService
from bot.server.webhooks import webhook_routes
from bot.wikis import confluence_for
from bot.wiring import Application
from core.errors import WikiUnavailable, WikiWhyError
from core.indexing.page_refresh import Hint
from core.ports.wiki import Wiki

_MOST_HINTS = 1000  # for more, one sync of the space costs less than a refresh of each page
_SETTLING_SECONDS = 2.0  # one action of a person often leads to several deliveries
_CHANGING = frozenset({"added", "updated", "removed", "failed"})

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HintBatch:
    """Hints at pages, and the spaces with too many changes for a refresh page by page."""

    hints: Sequence[Hint]
    spaces: frozenset[str] = frozenset()


class HintQueue:
    """Keeps hints in memory; the next sync makes up for lost ones. ``count`` is called for each hint."""

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
        """Adds a hint; of several about one page the last counts."""
        self._count()
        if len(self._waiting) < self._most or hint.page_id in self._waiting:
            self._waiting[hint.page_id] = hint
        elif hint.space:
            self._spaces.add(hint.space)
        else:
            logger.warning("A hint at page %s was dropped, for there are too many: sync its space.", hint.page_id)
        self._some.set()

    def count_waiting(self) -> int:
        """Pages and spaces that wait."""
        return len(self._waiting) + len(self._spaces)

    async def put_back(self, batch: HintBatch) -> None:
        """Returns hints that could not be followed yet; newer hints at their pages are kept."""
        for hint in batch.hints:
            self._waiting.setdefault(hint.page_id, hint)
        self._spaces |= batch.spaces
        self._some.set()

    async def take_all(self) -> HintBatch:
        """Waits for hints, and a moment longer; then returns and removes them all."""
        await self._some.wait()
        await asyncio.sleep(self._settling)
        self._some.clear()
        batch = HintBatch(list(self._waiting.values()), frozenset(self._spaces))
        self._waiting.clear()
        self._spaces.clear()
        return batch


async def follow(application: Application, wiki: Wiki, batch: HintBatch) -> None:
    """Refreshes each page, then syncs the spaces in which more may have changed.

    Where a refresh fails its space is synced: that tries again, and stores the error with the space.
    """
    synced = {summary.key for summary in await application.spaces.summaries() if summary.source == wiki.source}
    spaces = set(batch.spaces)
    outcomes = set()
    refresher = application.page_refresher()
    for at, hint in enumerate(batch.hints):
        try:
            result = await refresher.refresh(wiki, hint)
        except WikiUnavailable as error:
            logger.warning("Page %s cannot be refreshed: %s", hint.page_id, error)
            spaces |= await _spaces_of(application, batch.hints[at:])
            break  # the others would wait as long
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
    """Follows hints as they come, until cancelled; errors are logged.

    Each space has a task of its own: hints at a space that is being synced wait, those at others do not.
    """
    tasks: dict[str, asyncio.Task[None]] = {}
    async with asyncio.TaskGroup() as group:
        while True:
            batch = await queue.take_all()
            for space, part in (await _by_space(application, batch)).items():
                if (busy := tasks.get(space)) and not busy.done():
                    await queue.put_back(part)
                else:
                    tasks[space] = group.create_task(_follow_safely(application, wiki, part))


async def _follow_safely(application: Application, wiki: Wiki, batch: HintBatch) -> None:
    try:
        with act_as(WEBHOOK):
            async with record_action(application.audit, "sync", _audit_object(batch)):
                await follow(application, wiki, batch)
    except Exception:  # of whatever kind: one hint must not keep all later ones from being followed
        logger.exception("Hints could not be followed; the next sync makes up for them.")


async def _by_space(application: Application, batch: HintBatch) -> dict[str, HintBatch]:
    hints: dict[str, list[Hint]] = {space: [] for space in batch.spaces}
    for hint in batch.hints:
        stored = await application.pages.page(hint.page_id)
        hints.setdefault(stored.space if stored else hint.space, []).append(hint)
    return {space: HintBatch(some, batch.spaces & {space}) for space, some in hints.items()}


def _audit_object(batch: HintBatch) -> str:
    """The spaces that the hints name, and the number of pages."""
    spaces = sorted({hint.space for hint in batch.hints if hint.space} | batch.spaces)
    return f"{', '.join(spaces)} ({len(batch.hints)} pages)".strip()


async def _sync(application: Application, wiki: Wiki, spaces: Sequence[str]) -> None:
    """Syncs them together, so that a page that moved between them stays in past answers; if that fails, one by one."""
    if not spaces:
        return
    try:
        async with application.syncing.hold(spaces):
            reports = await sync_spaces(application, wiki, application.synchroniser(), spaces, lambda _: None)
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


async def _spaces_of(application: Application, hints: Iterable[Hint]) -> set[str]:
    """The spaces of these pages in the store; of unknown pages as the hints say."""
    spaces: set[str] = set()
    for hint in hints:
        stored = await application.pages.page(hint.page_id)
        spaces |= {stored.space} if stored else {hint.space}
    return spaces - {""}


def webhook_service(application: Application, metrics: Metrics) -> BackgroundService:
    """Receives Confluence's webhooks, and follows their hints. Raises SettingsInvalid.

    Hints that are not followed when the server stops are lost; the next sync makes up for them.
    """
    queue = HintQueue(count=metrics.hints.inc)
    metrics.hints_waiting.set_function(queue.count_waiting)
    wiki = confluence_for(application.settings, files=application.file_texts)

    async def work() -> None:
        with closing(wiki):
            await follow_all(queue, application, wiki)

    return BackgroundService(
        "webhooks", work, webhook_routes(application.settings.webhook_secret.get_secret_value(), queue)
    )
