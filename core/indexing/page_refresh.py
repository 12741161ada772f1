"""Updates one page after a hint that something happened to it.

A hint is not data: the content, the place and the readers of the page are read from the wiki. Restrictions are
inherited by the pages below, and only a listing of a space shows which pages are below one. So after a page was
removed, moved to another space or changed its readers, the spaces concerned need a sync.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Literal, Protocol

from core.indexing.indexer import Indexer
from core.indexing.listing import find_parents
from core.indexing.page_reader import (
    Lookups,
    PageRead,
    SyncSettings,
    load_known_page,
    page_digest,
    put_pages,
    read_page,
)
from core.indexing.people import NameLookup
from core.indexing.renaming import refresh_inclusions
from core.model import Page
from core.ports.store import PageStore, PeopleStore, SpaceStore
from core.ports.wiki import IssueTracker, ListedPage, PageFailure, Wiki

Outcome = Literal["added", "updated", "removed", "unchanged", "failed", "ignored"]


@dataclass(frozen=True, slots=True)
class Hint:
    """Something may have happened to a page. ``space``: of the page according to the hint, "" if it does not say."""

    space: str
    page_id: str


class HintListener(Protocol):
    """Takes hints, to be processed later."""

    async def note_hint(self, hint: Hint) -> None:
        """Notes a hint. Returns at once, and never fails because of the hint's content."""
        ...


@dataclass(frozen=True, slots=True)
class RefreshResult:
    """The result of refreshing a page. ``spaces``: those that need a sync now; ``error``: why it "failed"."""

    outcome: Outcome
    spaces: frozenset[str] = frozenset()
    embedded: int = 0
    error: PageFailure | None = None


IGNORED = RefreshResult("ignored")


HoldSpaces = Callable[[Collection[str]], AbstractAsyncContextManager[None]]
"""Acquires the locks of spaces."""


def hold_nothing(spaces: Collection[str]) -> AbstractAsyncContextManager[None]:
    """For a store that nobody else changes."""
    return nullcontext()


@dataclass(frozen=True, slots=True, eq=False)
class PageRefresher:
    """Refreshes single pages. ``hold``: acquires the locks of spaces, so that nobody else syncs them meanwhile."""

    indexer: Indexer
    pages: PageStore
    spaces: SpaceStore
    people: PeopleStore
    settings: SyncSettings
    hold: HoldSpaces = hold_nothing
    tracker: IssueTracker | None = None

    async def refresh(self, wiki: Wiki, hint: Hint) -> RefreshResult:
        """Makes the stored page equal to that of the wiki, if it is in a space that was synced from this wiki.

        Raises :class:`core.errors.WikiUnavailable`; then nothing was changed. Removed evidences are out of the answers
        at once, and out of the indexes after the next :meth:`Indexer.clean`.
        """
        ours = {summary.key for summary in await self.spaces.summaries() if summary.source == wiki.source}
        missing = frozenset({hint.space})
        while True:
            stored = await self.pages.page(hint.page_id)
            known = stored.space if stored else hint.space
            if known not in ours:
                return IGNORED
            held = (missing & ours) | {known}
            async with self.hold(held):
                found = await self._refresh(wiki, hint, ours, held)
            if isinstance(found, RefreshResult):
                return found
            missing = found  # then ask the wiki again: it may have changed while we waited for the locks

    async def _refresh(
        self, wiki: Wiki, hint: Hint, ours: Collection[str], held: Collection[str]
    ) -> RefreshResult | frozenset[str]:
        """The result, or the spaces that have to be held for it, if not all are ``held``."""
        stored = await self.pages.page(hint.page_id)
        listed = await wiki.find_page(hint.page_id)
        concerned = frozenset(page.space for page in (stored, listed) if page and page.space in ours)
        if not concerned <= frozenset(held):
            return concerned
        if listed and listed.space in ours:
            return await self._update(wiki, listed, stored)
        if stored is None:
            return IGNORED
        return await self._remove(wiki, stored, listed)

    async def _update(self, wiki: Wiki, listed: ListedPage, stored: Page | None) -> RefreshResult:
        settings, lookups = self.settings, Lookups(NameLookup(wiki, self.people, tracker=self.tracker), self.pages)
        has_moved = await self.pages.save_parents(listed.space, find_parents([listed]), is_all=False)
        if await self.pages.digest(listed.page_id) == page_digest(listed, settings.fingerprint):
            if has_moved:
                await refresh_inclusions(listed.space, lookups, self.indexer, settings, lambda _: None)
            return RefreshResult("unchanged")

        async def read(listed: ListedPage) -> PageRead:
            return await read_page(listed, await load_known_page(self.pages, listed.page_id), settings, lookups)

        found = await read(listed)
        spaces, embedded = _spaces_concerned(stored, listed), 0
        if found.page:
            spaces |= _spaces_concerned(stored, found.page.page)
            embedded = await put_pages(self.indexer, [(listed, found.page)], read, lambda _: None)
            await refresh_inclusions(listed.space, lookups, self.indexer, settings, lambda _: None)
        if found.error:
            return RefreshResult("failed", spaces, error=found.error)
        return RefreshResult("updated" if stored else "added", spaces, embedded)

    async def _remove(self, wiki: Wiki, stored: Page, listed: ListedPage | None) -> RefreshResult:
        space = frozenset({stored.space})
        # If the whole space is gone, perhaps for lack of permission, its sync reports why; nothing is removed here.
        if listed is None and stored.space not in await wiki.spaces():
            return RefreshResult("ignored", space)
        await self.pages.remove([stored.page_id], stored.space)
        return RefreshResult("removed", space)


def _spaces_concerned(stored: Page | None, listed: ListedPage | Page) -> frozenset[str]:
    """The spaces in which pages below this one may have moved or changed their readers with it."""
    if stored is None or (stored.space, set(stored.read_restrictions)) == (
        listed.space,
        set(listed.read_restrictions),
    ):
        return frozenset()
    return frozenset({stored.space, listed.space})
