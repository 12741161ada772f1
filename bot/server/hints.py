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
from core.errors import DatabaseUnavailable, DataDirectoryUnusable, WikiUnavailable, WikiWhyError
from core.indexing.page_refresh import Hint
from core.ports.wiki import Wiki

_MOST_HINTS = 1000  # with more, one sync of the space is cheaper than a refresh of each page
_SETTLING_SECONDS = 2.0  # one action of a person often causes several deliveries
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0  # seconds until the store is tried again after an error, doubled each time
_STORE_ERRORS = (DatabaseUnavailable, DataDirectoryUnusable)  # they pass, and say nothing about the hints
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
            if len(self._waiting) < self._most or not hint.space:
                self._waiting.setdefault(hint.page_id, hint)
            elif hint.page_id not in self._waiting:  # otherwise the queue would grow during a long outage
                self._spaces.add(hint.space)
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


@dataclass(slots=True)
class _RemainingHints:
    """What is still to do for a batch: after an error of the store it is continued, and nothing found is lost.

    ``space``: the space of the pages in the store. ``spaces``: need a sync.
    """

    space: str
    hints: list[Hint]
    spaces: set[str]
    has_changed: bool = False

    @classmethod
    def of(cls, batch: HintBatch, space: str = "") -> _RemainingHints:
        return cls(space, list(batch.hints), set(batch.spaces))


@dataclass(slots=True)
class _GrowingPauses:
    """The pauses after errors of the store. Each is twice as long as the one before."""

    _next: float = 0.0

    async def wait(self, error: WikiWhyError) -> None:
        """Log the error, and wait."""
        pause = self._next or _FIRST_PAUSE
        self._next = min(2 * pause, _LONGEST_PAUSE)
        logger.warning("Hints cannot be followed yet: %s Trying again in %g seconds.", error, pause)
        await asyncio.sleep(pause)

    def end(self) -> None:
        """Note that the store works: the pause after its next error is short again."""
        self._next = 0.0


async def follow(application: Application, wiki: Wiki, batch: HintBatch) -> None:
    """Refresh each page, then sync the spaces in which more may have changed.

    If a refresh fails, its space is synced, which tries again and stores the error with the space.
    """
    await _follow_remaining(application, wiki, _RemainingHints.of(batch))


async def _follow_remaining(application: Application, wiki: Wiki, remaining: _RemainingHints) -> None:
    """Do what is left. After an error of the store, it can be called again."""
    synced = {summary.key for summary in await application.spaces.load_summaries() if summary.wiki_name == wiki.name}
    refresher = application.make_page_refresher()
    while remaining.hints:
        hint = remaining.hints[0]
        try:
            result = await refresher.refresh(wiki, hint)
        except WikiUnavailable as error:
            logger.warning("Page %s cannot be refreshed: %s", hint.page_id, error)
            remaining.spaces |= await _find_spaces(application, remaining.hints)
            remaining.hints.clear()  # the wiki is unavailable for the other pages too
            break
        except _STORE_ERRORS:
            # The refresh may have stored a part of the change, which the next one then takes for no change.
            remaining.spaces |= {remaining.space, hint.space}
            remaining.has_changed = True
            raise
        remaining.hints.pop(0)
        remaining.has_changed |= result.outcome in _CHANGING
        remaining.spaces |= result.spaces
        if result.error:
            logger.warning(
                "Page %s of space %s cannot be read: %s", hint.page_id, result.error.space, result.error.cause
            )
    if remaining.has_changed:
        await application.indexer.clean()
        await application.vectors.prune()
        await application.database.scrub()
        remaining.has_changed = False
    await _sync(application, wiki, sorted(remaining.spaces & synced))


async def follow_all(queue: HintQueue, application: Application, wiki: Wiki) -> None:
    """Follow hints as they arrive, until cancelled. Errors are logged; after one of the store, hints are kept.

    Each space has its own task, so that a slow sync of one space delays only the hints at that space.
    """
    tasks: dict[str, asyncio.Task[None]] = {}
    pauses = _GrowingPauses()
    async with asyncio.TaskGroup() as group:
        while True:
            batch = await queue.take_all()
            try:
                parts = await _split_by_space(application, batch)
            except _STORE_ERRORS as error:  # it must not cancel the other tasks of the group
                await queue.put_back(batch)
                await pauses.wait(error)
                continue
            except Exception:
                _log_loss()
                continue
            pauses.end()
            for space, part in parts.items():
                if (busy := tasks.get(space)) and not busy.done():
                    await queue.put_back(part)
                else:
                    tasks[space] = group.create_task(_follow_safely(application, wiki, space, part))


async def _follow_safely(application: Application, wiki: Wiki, space: str, batch: HintBatch) -> None:
    """Follow hints at a space, and continue after errors of the store. Newer hints at the space wait meanwhile."""
    remaining, pauses = _RemainingHints.of(batch, space), _GrowingPauses()
    while True:
        try:
            with act_as(WEBHOOK):
                async with record_action(application.audit, "sync", _describe_batch(batch)):
                    await _follow_remaining(application, wiki, remaining)
        except _STORE_ERRORS as error:
            await pauses.wait(error)
        except Exception:  # so that one hint does not stop all later ones
            _log_loss()
            return
        else:
            return


def _log_loss() -> None:
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
    """Sync spaces together, so that pages moved between them stay in past answers; if that fails, one by one.

    Raises errors of the store, because the sync can be repeated when they have passed.
    """
    if not spaces:
        return
    try:
        async with application.syncing.hold(spaces):
            reports = await sync_spaces(application, wiki, application.make_synchroniser(), spaces, lambda _: None)
    except _STORE_ERRORS:
        raise
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
