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
from core.indexing.page_reader import PageRead, load_known_page, put_pages, read_page
from core.indexing.synchroniser import SyncSettings
from core.indexing.versions import page_digest
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

    async def note_hint(self, hint: Hint) -> None:
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


def hold_nothing(spaces: Collection[str]) -> AbstractAsyncContextManager[None]:
    """Where nobody else changes the store."""
    return nullcontext()


class PageRefresher:
    """Looks at pages one at a time. ``hold``: holds spaces, so that nobody else syncs them meanwhile."""

    def __init__(
        self,
        indexer: Indexer,
        pages: PageStore,
        spaces: SpaceStore,
        settings: SyncSettings,
        hold: HoldSpaces = hold_nothing,
    ) -> None:
        self._indexer = indexer
        self._pages = pages
        self._spaces = spaces
        self._settings = settings
        self._hold = hold

    async def look(self, wiki: Wiki, hint: Hint) -> Look:
        """Makes the page what it is in the wiki now; of pages that are in no space synced from it, nothing is asked.

        Raises :class:`core.errors.WikiUnavailable`; then nothing was changed. What it takes out of use leaves the
        indexes with the next :meth:`Indexer.clean`, and the answers at once.
        """
        ours = {summary.key for summary in await self._spaces.summaries() if summary.source == wiki.source}
        missing = frozenset({hint.space})
        while True:
            stored = await self._pages.page(hint.page_id)
            known = stored.space if stored else hint.space
            if known not in ours:
                return IGNORED
            held = (missing & ours) | {known}
            async with self._hold(held):
                found = await self._look(wiki, hint, ours, held)
            if isinstance(found, Look):
                return found
            missing = found  # and the wiki is asked again: while we wait for these it may change

    async def _look(
        self, wiki: Wiki, hint: Hint, ours: Collection[str], held: Collection[str]
    ) -> Look | frozenset[str]:
        """The look, or the spaces that have to be held for it, where these are not all ``held``."""
        stored = await self._pages.page(hint.page_id)
        listed = await wiki.find_page(hint.page_id)
        concerned = frozenset(page.space for page in (stored, listed) if page and page.space in ours)
        if not concerned <= frozenset(held):
            return concerned
        if listed and listed.space in ours:
            return await self._update(wiki, listed, stored)
        if stored is None:
            return IGNORED
        return await self._remove(wiki, stored, listed)

    async def _update(self, wiki: Wiki, listed: ListedPage, stored: Page | None) -> Look:
        settings = self._settings
        if await self._pages.digest(listed.page_id) == page_digest(listed, settings.fingerprint):
            return Look("unchanged")

        async def read(listed: ListedPage) -> PageRead:
            return await read_page(wiki, listed, await load_known_page(self._pages, listed.page_id), settings)

        found = await read(listed)
        spaces, embedded = _concerned(stored, listed), 0
        if found.page:
            spaces |= _concerned(stored, found.page.page)
            embedded = await put_pages(self._indexer, [(listed, found.page)], read, lambda _: None)
        if found.error:
            return Look("failed", spaces, error=found.error)
        return Look("updated" if stored else "added", spaces, embedded)

    async def _remove(self, wiki: Wiki, stored: Page, listed: ListedPage | None) -> Look:
        space = frozenset({stored.space})
        # Without the space nothing of it can be seen: then its sync says why, and what to do. Nothing is lost by it.
        if listed is None and stored.space not in await wiki.spaces():
            return Look("ignored", space)
        await self._pages.remove([stored.page_id], stored.space)
        return Look("removed", space)


def _concerned(stored: Page | None, listed: ListedPage | Page) -> frozenset[str]:
    """The spaces in which pages below this one may have moved, or changed their readers, along with it."""
    if stored is None or (stored.space, set(stored.read_restrictions)) == (
        listed.space,
        set(listed.read_restrictions),
    ):
        return frozenset()
    return frozenset({stored.space, listed.space})
