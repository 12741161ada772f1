"""Updates one page after a hint that it changed.

A hint is not trusted as data: content, location and restrictions of the page are read from the wiki. Pages below
inherit restrictions, and only a listing of the space shows which these are. So after a page was removed, was moved to
another space or changed its readers, the spaces concerned need a sync.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Literal, Protocol

from core.indexing.indexer import Indexer
from core.indexing.listing import find_parents
from core.indexing.narrowing import is_narrowed, narrow_readers
from core.indexing.page_reader import (
    Lookups,
    PageReadResult,
    SyncSettings,
    digest_page,
    load_known_page,
    put_pages,
    read_page,
)
from core.indexing.people import NameLookup
from core.indexing.renaming import refresh_inclusions
from core.indexing.unclear_references import note_read
from core.model import Page
from core.ports.pages import PageStore, PeopleStore, SpaceStore
from core.ports.wiki import IssueTracker, ListedPage, PageFailure, Wiki

Outcome = Literal["added", "updated", "removed", "unchanged", "failed", "ignored"]


@dataclass(frozen=True, slots=True)
class Hint:
    """A webhook's notice that a page may have changed."""

    space: str  # of the page according to the hint; "" if it does not say
    page_id: str


class HintListener(Protocol):
    """Accepts hints for later processing."""

    async def note_hint(self, hint: Hint) -> None:
        """Record a hint. Returns at once, and accepts any content."""


@dataclass(frozen=True, slots=True)
class RefreshResult:
    """The result of refreshing a page."""

    outcome: Outcome
    spaces: frozenset[str] = frozenset()  # need a sync now
    error: PageFailure | None = None  # the reason for "failed"


IGNORED = RefreshResult("ignored")


HoldSpaces = Callable[[Collection[str]], AbstractAsyncContextManager[None]]
"""Acquires the locks of spaces."""


def hold_nothing(spaces: Collection[str]) -> AbstractAsyncContextManager[None]:
    """Lock nothing, for a store that nobody else changes."""
    return nullcontext()


@dataclass(frozen=True, slots=True, eq=False)
class PageRefresher:
    """Refreshes single pages. ``hold`` acquires the locks of spaces, so that nobody else syncs them meanwhile."""

    indexer: Indexer
    pages: PageStore
    spaces: SpaceStore
    people: PeopleStore
    settings: SyncSettings
    hold: HoldSpaces = hold_nothing
    tracker: IssueTracker | None = None

    async def refresh(self, wiki: Wiki, hint: Hint) -> RefreshResult:
        """Make the stored page equal to the wiki's, if it is in a space that is synced from this wiki.

        Raises :class:`core.errors.WikiUnavailable` without changing anything. Removed evidences are excluded from
        answers at once, and removed from the indexes by the next :meth:`Indexer.clean`.
        """
        ours = {summary.key for summary in await self.spaces.load_summaries() if summary.wiki_name == wiki.name}
        missing = frozenset({hint.space})
        while True:
            stored = await self.pages.load_page(hint.page_id)
            known = stored.space if stored else hint.space
            if known not in ours:
                return IGNORED
            held = (missing & ours) | {known}
            async with self.hold(held):
                found = await self._refresh(wiki, hint, ours, held)
            if isinstance(found, RefreshResult):
                return found
            missing = found  # ask the wiki again: the page may have changed while we waited for the locks

    async def _refresh(
        self, wiki: Wiki, hint: Hint, ours: Collection[str], held: Collection[str]
    ) -> RefreshResult | frozenset[str]:
        """Return the result, or the spaces that must be held for it if not all of them are ``held``."""
        stored = await self.pages.load_page(hint.page_id)
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
        known = await self.pages.load_digest(listed.page_id)
        if known == digest_page(listed, settings.fingerprint):
            if has_moved:
                await refresh_inclusions(listed.space, lookups, self.indexer, settings, lambda _: None)
            return RefreshResult("unchanged")

        async def read(listed: ListedPage) -> PageReadResult:
            return await read_page(listed, await load_known_page(self.pages, listed.page_id), settings, lookups)

        await narrow_readers([listed], self.pages)  # first, because reading and embedding may take long, or fail
        found = await read(listed)
        spaces = _find_spaces_concerned(stored, listed)
        if stored and is_narrowed(known):  # an earlier refresh or sync did not get to the pages below
            spaces |= {stored.space, listed.space}
        if found.page:
            spaces |= _find_spaces_concerned(stored, found.page.page)
            await put_pages(self.indexer, [(listed, found.page)], read, lambda _: None)
            await note_read(lookups, settings.clock)
            await refresh_inclusions(listed.space, lookups, self.indexer, settings, lambda _: None)
        if found.error:
            return RefreshResult("failed", spaces, error=found.error)
        return RefreshResult("updated" if stored else "added", spaces)

    async def _remove(self, wiki: Wiki, stored: Page, listed: ListedPage | None) -> RefreshResult:
        space = frozenset({stored.space})
        # If the whole space is missing, perhaps for lack of permission, only its sync decides and reports that.
        if listed is None and stored.space not in await wiki.list_spaces():
            return RefreshResult("ignored", space)
        await self.pages.remove([stored.page_id], stored.space)
        return RefreshResult("removed", space)


def _find_spaces_concerned(stored: Page | None, listed: ListedPage | Page) -> frozenset[str]:
    """Return the spaces in which pages below this one may have moved or changed readers together with it."""
    if stored is None or (stored.space, set(stored.read_restrictions)) == (
        listed.space,
        set(listed.read_restrictions),
    ):
        return frozenset()
    return frozenset({stored.space, listed.space})
