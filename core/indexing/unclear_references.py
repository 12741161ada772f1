"""Reads pages again whose references to a space the store cannot explain.

Confluence rewrites the references to a renamed page without a new version of the pages that have them. The store knows
the former titles of pages, and which of these are unclear (:meth:`core.ports.pages.PageStore.find_unclear`). It does
not know what titles pages had before the first sync of their space, in this space or another one. So that sync reads
the pages again that name pages of the space.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from core.indexing.inclusions import find_shown
from core.indexing.indexer import Indexer
from core.indexing.page_reader import Lookups, PageReadResult, SyncSettings, load_known_page, put_pages, read_page
from core.model import Page, PageReference
from core.ports.wiki import ListedPage, PageFailure
from core.timing import Clock

_MOST_KEPT = 20
"""The number of pages that a first sync reads in vain for one name. Thousands of pages may have a name that did not
change, or that the wiki does not find either, such as that of a page that is hidden from the account that syncs."""


@dataclass(slots=True)
class RereadResult:
    """What reading pages again gave. ``kept``: names to the number of pages that still had them."""

    errors: list[PageFailure] = field(default_factory=list)
    warnings: list[PageFailure] = field(default_factory=list)
    kept: Counter[PageReference] = field(default_factory=Counter)


async def read_unclear(
    space: str,
    lookups: Lookups,
    indexer: Indexer,
    settings: SyncSettings,
    on_embedded: Callable[[int], None],
    is_first: bool,
) -> RereadResult:
    """Read the pages again with unclear references to this space.

    ``is_first``: this is the first sync of the space. Pages that include the read ones are then out of date.
    """
    wiki_name, pages, result = lookups.names.wiki.name, lookups.pages, RereadResult()

    async def read(listed: ListedPage) -> PageReadResult:
        known = await load_known_page(pages, listed.page_id)
        return await read_page(listed, known, settings, lookups, has_changed=True)

    await note_read(lookups, settings.clock)
    unclear = await pages.find_unclear(wiki_name, space)
    naming = {*await pages.find_naming(wiki_name, space)} - lookups.read if is_first else set[str]()
    for page_id in sorted({*unclear.page_ids, *naming}):
        listed = await _find_to_read(page_id, page_id in unclear.page_ids, space, lookups, settings.clock, result)
        if listed is None:
            continue
        found = await read(listed)
        result.errors += [found.error] if found.error else []
        result.warnings += [found.warning] if found.warning else []
        if found.page:
            await put_pages(indexer, [(listed, found.page)], read, on_embedded)
            result.kept.update(
                () if found.error else await _find_names(found.page.page, space, lookups, settings.clock)
            )
    if not result.errors:
        await pages.forget_unclear(space, unclear.titles)
    return result


async def note_read(lookups: Lookups, clock: Clock | None) -> None:
    """Note the former titles that pages just read from the wiki name: there, these are no names of renamed pages."""
    for page_id in await lookups.pages.find_naming_former(lookups.read):
        if page := await lookups.pages.load_page(page_id):
            await lookups.pages.note_unclear(await _find_own_names(page, clock))


async def _find_to_read(
    page_id: str, is_unclear: bool, space: str, lookups: Lookups, clock: Clock | None, result: RereadResult
) -> ListedPage | None:
    """Return the page if it has to be read again. A page that was removed or moved is left to the sync of its space."""
    stored = await lookups.pages.load_page(page_id)
    if stored is None:
        return None
    names = await _find_names(stored, space, lookups, clock)
    if not is_unclear and all(result.kept[reference] >= _MOST_KEPT for reference in names):
        return None
    listed = await lookups.names.wiki.find_page(page_id)
    return listed if listed and listed.space == stored.space else None


async def _find_names(page: Page, space: str, lookups: Lookups, clock: Clock | None) -> set[PageReference]:
    """Return the names that a page itself has and that may mean a page of this space.

    They are names of this space, and those elsewhere that no stored page has or had, with a title of this space.
    """
    named = await _find_own_names(page, clock)
    missing = named - (await lookups.pages.find_referenced(named)).keys()
    here = {reference: PageReference(space, reference.title) for reference in missing}
    stored = await lookups.pages.find_referenced(here.values())
    return {each for each in named if each.space == space or (each in missing and here[each] in stored)}


async def _find_own_names(page: Page, clock: Clock | None) -> set[PageReference]:
    found = await asyncio.to_thread(find_shown, page, clock)
    roots = [query.tree.root for query in found.queries if query.tree]
    return {*found.references, *(root for root in roots if isinstance(root, PageReference))}
