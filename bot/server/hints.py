"""Hints of webhooks, kept until they are followed: each page is read once, however often it was named."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from aiohttp import web

from bot.audit import WEBHOOK, act_as, record_action
from bot.server.metrics import Metrics
from bot.server.service import Background
from bot.server.webhooks import webhook_routes
from bot.sync import sync_spaces
from bot.wikis import confluence_for
from bot.wiring import Application
from core.errors import WikiUnavailable, WikiWhyError
from core.indexing.page_refresh import Hint, RefreshResult
from core.ports import Wiki

_MOST_HINTS = 1000  # beyond, one sync of the space costs less than looking at each page
_SETTLING_SECONDS = 2.0  # a person's one action often leads to several deliveries
_CHANGING = frozenset({"added", "updated", "removed", "failed"})

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Heard:
    """What was hinted at: pages, and the spaces in which more happened than can be looked at page by page."""

    hints: Sequence[Hint]
    spaces: frozenset[str] = frozenset()


class HintQueue:
    """A `HintListener` that keeps hints in memory; a schedule makes up for lost ones."""

    def __init__(self, most: int = _MOST_HINTS, settling: float = _SETTLING_SECONDS) -> None:
        self._most = most
        self._settling = settling
        self._waiting: dict[str, Hint] = {}
        self._spaces: set[str] = set()
        self._some = asyncio.Event()

    async def note_hint(self, hint: Hint) -> None:
        """Notes a hint; of several about one page the last counts."""
        if len(self._waiting) < self._most or hint.page_id in self._waiting:
            self._waiting[hint.page_id] = hint
        elif hint.space:
            self._spaces.add(hint.space)
        else:
            logger.warning("A hint at page %s was dropped, for there are too many: sync its space.", hint.page_id)
        self._some.set()

    async def put_back(self, heard: Heard) -> None:
        """Notes again what could not be followed yet; a hint that came meanwhile at one of the pages counts."""
        for hint in heard.hints:
            self._waiting.setdefault(hint.page_id, hint)
        self._spaces |= heard.spaces
        self._some.set()

    async def take_all(self) -> Heard:
        """Everything noted, once there is something and a moment has passed."""
        await self._some.wait()
        await asyncio.sleep(self._settling)
        self._some.clear()
        heard = Heard(list(self._waiting.values()), frozenset(self._spaces))
        self._waiting.clear()
        self._spaces.clear()
        return heard


@dataclass(slots=True)
class Followed:
    """What following hints led to: the looks, and by space why its sync failed or stopped, "" if it did not."""

    looks: list[tuple[Hint, RefreshResult]] = field(default_factory=list)
    synced: dict[str, str] = field(default_factory=dict)


async def follow(application: Application, wiki: Wiki, heard: Heard) -> Followed:
    """Looks at each page, then syncs the spaces in which more may have changed.

    Where a look fails its space is synced: that tries again, and notes with the space why it fails.
    """
    done = Followed()
    synced = {summary.key for summary in await application.spaces.summaries() if summary.source == wiki.source}
    spaces = set(heard.spaces)
    refresher = application.page_refresher()
    for at, hint in enumerate(heard.hints):
        try:
            look = await refresher.refresh(wiki, hint)
        except WikiUnavailable as error:
            logger.warning("Page %s cannot be looked at: %s", hint.page_id, error)
            spaces |= await _spaces_of(application, heard.hints[at:])
            break  # the others would only wait as long
        done.looks.append((hint, look))
        spaces |= look.spaces
        if look.error:
            logger.warning("Page %s of space %s cannot be read: %s", hint.page_id, look.error.space, look.error.cause)
    if any(look.outcome in _CHANGING for _, look in done.looks):
        await application.indexer.clean()
        await application.vectors.prune()
        await application.database.scrub()
    done.synced = await _synced(application, wiki, sorted(spaces & synced))
    return done


async def keep_following(queue: HintQueue, application: Application, wiki: Wiki) -> None:
    """Follows hints as they come, until cancelled. One that fails does not end it.

    Each space has a follower of its own: hints at a space that is being synced wait, those at others do not.
    """
    followers: dict[str, asyncio.Task[None]] = {}
    async with asyncio.TaskGroup() as group:
        while True:
            heard = await queue.take_all()
            for space, part in (await _by_space(application, heard)).items():
                if (busy := followers.get(space)) and not busy.done():
                    await queue.put_back(part)
                else:
                    followers[space] = group.create_task(_follow_safely(application, wiki, part))


async def _follow_safely(application: Application, wiki: Wiki, heard: Heard) -> None:
    try:
        with act_as(WEBHOOK):
            async with record_action(application.audit, "sync", _what(heard)):
                await follow(application, wiki, heard)
    except Exception:  # of whatever kind: one hint must not keep all later ones from being followed
        logger.exception("Hints could not be followed; the next sync makes up for them.")


async def _by_space(application: Application, heard: Heard) -> dict[str, Heard]:
    hints: dict[str, list[Hint]] = {space: [] for space in heard.spaces}
    for hint in heard.hints:
        stored = await application.pages.page(hint.page_id)
        hints.setdefault(stored.space if stored else hint.space, []).append(hint)
    return {space: Heard(some, heard.spaces & {space}) for space, some in hints.items()}


def _what(heard: Heard) -> str:
    """For the audit log: the spaces that the hints name, and how many pages."""
    spaces = sorted({hint.space for hint in heard.hints if hint.space} | heard.spaces)
    return f"{', '.join(spaces)} ({len(heard.hints)} pages)".strip()


async def _synced(application: Application, wiki: Wiki, spaces: Sequence[str]) -> dict[str, str]:
    """Together, so that pages that moved between them keep their place in past answers; else each by itself."""
    if not spaces:
        return {}
    try:
        async with application.syncing.hold(spaces):
            reports = await sync_spaces(application, wiki, application.synchroniser(), spaces, lambda _: None)
    except WikiWhyError as error:
        if len(spaces) == 1:
            logger.warning("Space %s could not be synced after a hint: %s", spaces[0], error)
            return {spaces[0]: str(error)}
        return {key: cause for space in spaces for key, cause in (await _synced(application, wiki, [space])).items()}
    for report in reports:
        if report.stopped:
            logger.warning("The sync of space %s after a hint stopped: %s", report.key, report.stopped)
    return {report.key: report.stopped for report in reports}


async def _spaces_of(application: Application, hints: Iterable[Hint]) -> set[str]:
    """Where these pages are as far as we know, and where the hints say."""
    spaces: set[str] = set()
    for hint in hints:
        stored = await application.pages.page(hint.page_id)
        spaces |= {stored.space} if stored else {hint.space}
    return spaces - {""}


class Webhooks:
    """Takes Confluence's webhooks (see :class:`bot.server.service.Service`).

    Hints that are not followed when the server ends are lost; the next sync makes up for them.
    """

    name = "webhooks"
    early = False

    def __init__(self, application: Application, metrics: Metrics) -> None:
        self._application = application
        self._queue = HintQueue()
        self._metrics = metrics
        self._wiki = confluence_for(application.settings)
        self._background = Background(self.name)

    async def note_hint(self, hint: Hint) -> None:
        """See :class:`core.indexing.page_refresh.HintListener`."""
        self._metrics.hints.inc()
        await self._queue.note_hint(hint)

    def routes(self) -> Sequence[web.RouteDef]:
        """Of both kinds of senders."""
        return webhook_routes(self._application.settings.webhook_secret.get_secret_value(), self)

    async def start(self) -> None:
        """Begins to follow hints."""
        self._background.start(keep_following(self._queue, self._application, self._wiki))

    async def stop(self) -> None:
        """Ends, within a step of what is being followed."""
        await self._background.stop()
        self._wiki.close()

    def ready(self) -> str:
        """Nothing while hints are followed, else why not."""
        return self._background.ready()
