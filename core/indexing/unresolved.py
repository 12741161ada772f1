"""Reads pages again that name pages of a space by titles that no stored page of it has or had.

Confluence rewrites the references to a renamed page without a new version of the pages that have them. If a page is
renamed before its space is first synced, the pages that were read before name it by a title that is not known here.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing

from core.indexing.inclusions import find_shown
from core.indexing.indexer import Indexer
from core.indexing.page_reader import Lookups, PageRead, SyncSettings, load_known_page, put_pages, read_page
from core.indexing.pipeline import iterate, run_ahead
from core.indexing.renaming import refresh_pages
from core.model import Page, PageReference
from core.ports.wiki import ListedPage, PageFailure
from core.timing import Clock

_MOST_KEPT = 20
"""The number of pages that are read in vain for one name. The wiki does not find that name either, such as the name of
a page that was deleted or is hidden from the account that syncs, and thousands of pages may have it."""


async def read_unresolved(
    space: str, lookups: Lookups, indexer: Indexer, settings: SyncSettings, on_embedded: Callable[[int], None]
) -> tuple[list[PageFailure], list[PageFailure]]:
    """Read the pages again that name missing pages of this space. Returns errors and warnings.

    A page that names one only because of a page that it includes is not read, but extracted again.
    """
    wiki, pages = lookups.names.wiki, lookups.pages
    errors: list[PageFailure] = []
    warnings: list[PageFailure] = []
    kept = Counter[PageReference]()  # names to the number of pages that still had them

    async def read(listed: ListedPage) -> PageRead:
        known = await load_known_page(pages, listed.page_id)
        return await read_page(listed, known, settings, lookups, has_changed=True)

    async def read_again(page_id: str) -> tuple[ListedPage, PageRead] | None:
        stored = await pages.load_page(page_id)
        missing = await _find_missing(stored, space, lookups, settings.clock)
        is_promising = any(kept[reference] < _MOST_KEPT for reference in missing)
        listed = await wiki.find_page(page_id) if is_promising else None
        if stored is None or listed is None or listed.space != stored.space:
            return None  # a page that was removed or moved is left to the sync of its space
        found = await read(listed)
        if found.page and not found.error:
            kept.update(missing & await _find_missing(found.page.page, space, lookups, settings.clock))
        return listed, found

    unresolved = await pages.find_unresolved(wiki.source, space)
    async with aclosing(run_ahead(iterate(unresolved), read_again, settings.read_at_once)) as results:
        async for _, result in results:
            if result is None:
                continue
            listed, found = result
            errors += [found.error] if found.error else []
            warnings += [found.warning] if found.warning else []
            if found.page:
                await put_pages(indexer, [(listed, found.page)], read, on_embedded)
    including = await pages.find_unresolved(wiki.source, space) if unresolved else []
    _, further = await refresh_pages(including, lookups, indexer, settings, on_embedded)
    return errors, warnings + further


async def _find_missing(page: Page | None, space: str, lookups: Lookups, clock: Clock | None) -> set[PageReference]:
    """Return the pages of this space that a page itself names by a title that no stored page has or had."""
    if page is None:
        return set()
    found = await asyncio.to_thread(find_shown, page, clock)
    roots = [query.tree.root for query in found.queries if query.tree]
    named = {*found.references, *(root for root in roots if isinstance(root, PageReference))}
    wanted = {reference for reference in named if reference.space == space}
    return wanted - (await lookups.pages.find_referenced(wanted)).keys()
