"""Reads pages again whose references to a space the store cannot explain.

Confluence rewrites the references to a renamed page without a new version of the pages that have them. The store knows
the former names of pages. It cannot explain a name that a page had before the first sync of its space, in this space
or another one. Nor can it tell whether a title means the page that has it now or the one that had it before.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from core.indexing.inclusions import find_shown
from core.indexing.indexer import Indexer
from core.indexing.page_reader import Lookups, PageRead, SyncSettings, load_known_page, put_pages, read_page
from core.indexing.renaming import refresh_pages
from core.model import Page, PageReference
from core.ports.wiki import ListedPage, PageFailure
from core.timing import Clock

_MOST_KEPT = 20
"""The number of pages that are read in vain for one name. The wiki does not find that name either, such as the name of
a page that was deleted or is hidden from the account that syncs, and thousands of pages may have it."""


@dataclass(slots=True)
class Result:
    """What reading pages again gave. ``kept``: missing names to the number of pages that still had them."""

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
) -> Result:
    """Read the pages again with unclear references to this space.

    ``is_first``: this is the first sync of the space, so names that no page has or had are unclear too. A page that has
    such a name only by a page that it includes is not read, but extracted again.
    """
    source, pages, result = lookups.names.wiki.source, lookups.pages, Result()

    async def read(listed: ListedPage) -> PageRead:
        known = await load_known_page(pages, listed.page_id)
        return await read_page(listed, known, settings, lookups, has_changed=True)

    async def find_unclear() -> list[str]:
        return sorted({*reused, *(await pages.find_unresolved(source, space) if is_first else ())})

    reused = await pages.find_reused(source, space)
    unclear = await find_unclear()
    for page_id in unclear:
        listed = await _find_to_read(page_id, page_id in reused, space, lookups, settings.clock, result)
        if listed is None:
            continue
        found = await read(listed)
        result.errors += [found.error] if found.error else []
        result.warnings += [found.warning] if found.warning else []
        if found.page:
            await put_pages(indexer, [(listed, found.page)], read, on_embedded)
            result.kept.update(
                () if found.error else await _find_missing(found.page.page, space, lookups, settings.clock)
            )
    if unclear:
        # What a page has by a page that it includes may have been extracted before that one was read.
        _, warnings = await refresh_pages(await find_unclear(), lookups, indexer, settings, on_embedded)
        result.warnings += warnings
    if not result.errors:
        await pages.forget_reused(space)
    return result


async def _find_to_read(
    page_id: str, is_reused: bool, space: str, lookups: Lookups, clock: Clock | None, result: Result
) -> ListedPage | None:
    """Return the page if it has to be read again. A page that was removed or moved is left to the sync of its space."""
    stored = await lookups.pages.load_page(page_id)
    if stored is None:
        return None
    missing = await _find_missing(stored, space, lookups, clock)
    if not is_reused and all(result.kept[reference] >= _MOST_KEPT for reference in missing):
        return None
    listed = await lookups.names.wiki.find_page(page_id)
    return listed if listed and listed.space == stored.space else None


async def _find_missing(page: Page, space: str, lookups: Lookups, clock: Clock | None) -> set[PageReference]:
    """Return the names that a page itself has, no stored page has or had, and may mean a page of this space."""
    found = await asyncio.to_thread(find_shown, page, clock)
    roots = [query.tree.root for query in found.queries if query.tree]
    named = {*found.references, *(root for root in roots if isinstance(root, PageReference))}
    missing = named - (await lookups.pages.find_referenced(named)).keys()
    here = {reference: PageReference(space, reference.title) for reference in missing}
    stored = await lookups.pages.find_referenced(here.values())
    return {reference for reference in missing if reference.space == space or here[reference] in stored}
