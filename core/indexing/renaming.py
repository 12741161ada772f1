"""Updates names of people and content of included pages on stored pages, without reading these from the wiki again.

A page is extracted again from its stored content. Unchanged evidences are neither indexed nor embedded again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.indexing.indexer import Indexer
from core.indexing.page_reader import Lookups, SyncSettings, extract_again, load_known_page
from core.ports.pages import PagesReplaced
from core.ports.wiki import PageFailure


async def rename_people(
    space: str, lookups: Lookups, indexer: Indexer, settings: SyncSettings, on_embedded: Callable[[int], None]
) -> int:
    """Update names on all pages of a space. Returns their number. Pages changed meanwhile are left to the next sync."""
    names = lookups.names
    outdated = await names.store.find_outdated_pages(names.wiki.name, space)
    refreshed, _ = await refresh_pages(outdated, lookups, indexer, settings, on_embedded)
    return refreshed


async def refresh_inclusions(
    space: str, lookups: Lookups, indexer: Indexer, settings: SyncSettings, on_embedded: Callable[[int], None]
) -> list[PageFailure]:
    """Update what pages show of other pages. Returns warnings about the updated pages.

    Covers all spaces from the same wiki, because their pages may include pages of this space.
    """
    outdated = await lookups.pages.find_outdated_inclusions(lookups.names.wiki.name, space)
    _, warnings = await refresh_pages(outdated, lookups, indexer, settings, on_embedded)
    return warnings


async def refresh_pages(
    page_ids: Sequence[str],
    lookups: Lookups,
    indexer: Indexer,
    settings: SyncSettings,
    on_embedded: Callable[[int], None],
) -> tuple[int, list[PageFailure]]:
    """Extract stored pages again. Returns their number, and warnings."""
    refreshed, warnings = 0, []
    for page_id in page_ids:
        read = await extract_again(await load_known_page(lookups.pages, page_id), settings, lookups)
        if read.page is None:
            continue
        try:
            await indexer.put([read.page], on_embedded)
        except PagesReplaced:
            continue
        refreshed += 1
        warnings += [read.warning] if read.warning else []
    return refreshed, warnings
