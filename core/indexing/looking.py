"""One page brought up to date, on a hint that something happened to it.

A hint is never data: what the page is now, where, and who may read it, the wiki is asked. Readers are inherited, and
who may not see a page sees nothing below it. Which pages are below one is known only from a listing of their space, so
a page that went, moved to another space or changed its readers is followed up with a sync of the spaces concerned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Literal, Protocol

from core.indexing.indexer import Indexer
from core.indexing.reading import Reading, read_page, with_these_readers
from core.indexing.synchroniser import SharedBySyncs, SyncSettings, page_digest, same_version
from core.model import Page
from core.ports import ListedPage, PageFailure, PageStore, SpaceStore, Wiki

Outcome = Literal["added", "updated", "removed", "unchanged", "failed", "ignored"]


@dataclass(frozen=True, slots=True)
class Hint:
    """Something may have happened to a page. ``space``: where the hint says it is, "" if it does not say."""

    space: str
    page_id: str


class HintListener(Protocol):
    """Takes hints, to be followed later."""

    async def heard(self, hint: Hint) -> None:
        """Notes a hint. Returns at once, and never fails because of what the hint says."""
        ...


@dataclass(frozen=True, slots=True)
class Look:
    """What looking at a page led to. ``spaces``: keys of those that need a sync now; ``error``: why it "failed"."""

    outcome: Outcome
    spaces: frozenset[str] = frozenset()
    embedded: int = 0
    error: PageFailure | None = None


IGNORED = Look("ignored")

HoldSpaces = Callable[[Collection[str]], AbstractAsyncContextManager[None]]
"""Holds the locks of spaces; waits until nobody else does."""


def _hold_nothing(spaces: Collection[str]) -> AbstractAsyncContextManager[None]:
    return nullcontext()


class Looker:
    """Looks at pages one at a time.

    ``hold``: holds spaces, so that nobody else syncs them meanwhile.
    """

    def __init__(
        self,
        indexer: Indexer,
        pages: PageStore,
        spaces: SpaceStore,
        settings: SyncSettings,
        shared: SharedBySyncs | None = None,
        hold: HoldSpaces = _hold_nothing,
    ) -> None:
        self._indexer = indexer
        self._pages = pages
        self._spaces = spaces
        self._settings = settings
        shared = shared or SharedBySyncs()
        self._claims = shared.claims
        self._reading = Reading(settings.extraction, settings.context, settings.clock, shared.over_budget)
        self._hold = hold

    async def look(self, wiki: Wiki, hint: Hint) -> Look:
        """Makes the page what it is in the wiki now; of pages that are in no space synced from it, nothing is asked.

        Raises :class:`core.errors.WikiUnavailable`; then nothing was changed. What it takes out of use leaves the
        indexes with the next :meth:`Indexer.clean`, and the answers at once.
        """
        ours = {summary.key for summary in await self._spaces.summaries() if summary.source == wiki.source}
        spaces = {hint.space}
        while True:
            stored = await self._pages.page(hint.page_id)
            known = stored.space if stored else hint.space
            if known not in ours:
                return IGNORED
            spaces = spaces & ours | {known}
            async with self._hold(spaces):
                look, missing = await self._look(wiki, hint, ours, spaces)
            if look is not None:
                return look
            spaces = {known, *missing}  # and the wiki is asked again: while we waited it may have changed

    async def _look(self, wiki: Wiki, hint: Hint, ours: set[str], held: set[str]) -> tuple[Look | None, frozenset[str]]:
        """The look; None, and the spaces that have to be held too, where it concerns others than are held."""
        with self._claims.looking("") as claim:
            stored = await self._pages.page(hint.page_id)
            listed = await wiki.listed(hint.page_id)
            concerned = {page.space for page in (stored, listed) if page and page.space in ours}
            if not concerned <= held:
                return None, frozenset(concerned)
            if listed and listed.space in ours:
                claim.space = listed.space
                self._claims.claim(claim, [hint.page_id])
                return await self._update(wiki, listed, stored), frozenset()
            if stored is None:
                return IGNORED, frozenset()
            return await self._remove(wiki, stored, listed), frozenset()

    async def _update(self, wiki: Wiki, listed: ListedPage, stored: Page | None) -> Look:
        digest = page_digest(listed, self._settings.fingerprint)
        known = await self._digest(stored)
        if known == digest:
            return Look("unchanged")
        same = stored if same_version(known, digest) else None
        read = await read_page(wiki, listed, digest, self._reading, same)
        spaces = _concerned(stored, listed)
        if read.page is None:
            # Who may not read it any more must not go on reading the version before.
            if stored and (kept := await with_these_readers(stored, listed, self._reading)):
                await self._indexer.put([kept], lambda _: None)
            return Look("failed", spaces, error=read.error)
        embedded = await self._indexer.put([read.page], lambda _: None)
        return Look("updated" if stored else "added", spaces, embedded)

    async def _remove(self, wiki: Wiki, stored: Page, listed: ListedPage | None) -> Look:
        space = frozenset({stored.space})
        # Without the space nothing of it can be seen: then its sync says why, and what to do. Nothing is lost by it.
        if listed is None and stored.space not in await wiki.spaces():
            return Look("ignored", space)
        await self._pages.remove([stored.page_id], stored.space)
        return Look("removed", space)

    async def _digest(self, stored: Page | None) -> str:
        return (await self._pages.digests(stored.space)).get(stored.page_id, "") if stored else ""


def _concerned(stored: Page | None, listed: ListedPage) -> frozenset[str]:
    """The spaces in which pages below this one may have moved, or changed their readers, along with it."""
    if stored is None or (stored.space, set(stored.read_restrictions)) == (
        listed.space,
        set(listed.read_restrictions),
    ):
        return frozenset()
    return frozenset({stored.space, listed.space})
