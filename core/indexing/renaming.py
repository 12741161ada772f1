"""Gives stored pages the names that people have now, without reading them from the wiki again.

A page is extracted again from its stored content. Evidences without the name come out as they were, so only the others
are indexed and embedded again.
"""

from __future__ import annotations

from collections.abc import Callable

from core.indexing.indexer import Indexer
from core.indexing.page_reader import SyncSettings, extract_again, load_known_page
from core.indexing.people import NameLookup
from core.ports.store import PagesReplaced, PageStore


async def rename_people(
    space: str,
    names: NameLookup,
    pages: PageStore,
    indexer: Indexer,
    settings: SyncSettings,
    on_embedded: Callable[[int], None],
) -> int:
    """Renames in all pages of a space; returns in how many. A page that changes meanwhile is left to the next sync."""
    renamed = 0
    for page_id in await names.store.find_outdated_pages(names.wiki.source, space):
        page = await extract_again(await load_known_page(pages, page_id), settings, names)
        if page is None or page.page.space != space:
            continue
        try:
            await indexer.put([page], on_embedded)
        except PagesReplaced:
            continue
        renamed += 1
    return renamed
