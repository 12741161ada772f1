"""The pages that a page shows something of: looked up in the store, never asked of the wiki."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.errors import PageOverBudget
from core.evidence.budget import Budget
from core.evidence.inclusions import find_references
from core.evidence.reports import MOST_PAGES, find_queries
from core.evidence.shown import ReportedPages, ShownPages
from core.model import Page, PageFacts, PageQuery, PageReference
from core.ports.store import Origin, PageStore
from core.retrieval.entries import joint_access_id
from core.timing import Clock


@dataclass(slots=True)
class Origins:
    """The pages that a page shows something of, without comments. ``references``, ``queries``: how it names them.

    ``versions``: by their ids.
    """

    references: tuple[PageReference, ...] = ()
    queries: tuple[PageQuery, ...] = ()
    pages: dict[str, Page] = field(default_factory=dict)
    versions: dict[str, Origin] = field(default_factory=dict)
    shown: ShownPages = field(default_factory=ShownPages)


async def load_origins(page: Page, pages: PageStore, clock: Clock | None) -> Origins:
    """The pages that a page shows something of, itself excepted."""
    found = await asyncio.to_thread(_find_names, page, clock)
    if not found.references and not found.queries:
        return found
    referenced = await pages.find_referenced(found.references)
    asked_for = await pages.find_labelled(found.queries)
    reported_ids = (each for ids in asked_for.values() for each in ids[:MOST_PAGES])
    await _load(page, [*referenced.values(), *reported_ids], pages, found)
    included = {name: found.pages[page_id] for name, page_id in referenced.items() if page_id in found.pages}
    reported = {
        query: ReportedPages(
            tuple(found.pages[page_id] for page_id in ids[:MOST_PAGES] if page_id in found.pages),
            max(0, len(ids) - MOST_PAGES),
        )
        for query, ids in asked_for.items()
    }
    found.shown = ShownPages(included, reported)
    return found


async def _load(page: Page, page_ids: Sequence[str], pages: PageStore, found: Origins) -> None:
    for page_id in dict.fromkeys(page_ids):
        digest = await pages.digest(page_id)  # first: if it changes after this, the text is left out
        origin = await pages.page(page_id)
        if origin is not None and page_id != page.page_id:
            found.pages[page_id] = replace(origin, comments=(), files=(), facts=PageFacts())
            found.versions[page_id] = Origin(digest, joint_access_id(page, origin))


def _find_names(page: Page, clock: Clock | None) -> Origins:
    budget = Budget.for_page(page, clock)
    try:
        return Origins(find_references(page, budget), find_queries(page, budget))
    except PageOverBudget:
        return Origins()  # extraction says so
