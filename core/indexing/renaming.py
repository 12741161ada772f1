"""Brings stored pages up to date with what they name, without reading them from the wiki again.

People have other names, and pages that others include have other words. A page is extracted again from its stored
content. Evidences that stay as they were are neither indexed nor embedded again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.indexing.indexer import Indexer
from core.indexing.page_reader import Lookups, SyncSettings, extract_again, load_known_page
from core.ports.store import PagesReplaced
from core.ports.wiki import PageFailure


async def rename_people(
    space: str, lookups: Lookups, indexer: Indexer, settings: SyncSettings, on_embedded: Callable[[int], None]
) -> int:
    """Renames in all pages of a space; returns in how many. A page that changes meanwhile is left to the next sync."""
    names = lookups.names
    outdated = await names.store.find_outdated_pages(names.wiki.source, space)
    refreshed, _ = await _refresh(outdated, lookups, indexer, settings, on_embedded)
    return refreshed


async def refresh_inclusions(
    space: str, lookups: Lookups, indexer: Indexer, settings: SyncSettings, on_embedded: Callable[[int], None]
) -> list[PageFailure]:
    """Gives pages what they show of others as these are now; returns what is wrong with them.

    Also those of other spaces from the same wiki: what they show may be on the pages of this space.
    """
    outdated = await lookups.pages.find_outdated_inclusions(lookups.names.wiki.source, space)
    _, warnings = await _refresh(outdated, lookups, indexer, settings, on_embedded)
    return warnings


async def _refresh(
    page_ids: Sequence[str],
    lookups: Lookups,
    indexer: Indexer,
    settings: SyncSettings,
    on_embedded: Callable[[int], None],
) -> tuple[int, list[PageFailure]]:
    """How many pages were extracted again, and what is wrong with them."""
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
