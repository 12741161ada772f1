"""The pages that a page shows something of: looked up in the store, never asked of the wiki."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.errors import PageOverBudget
from core.evidence.budget import Budget
from core.evidence.inclusions import find_references
from core.model import Page, PageFacts, PageReference
from core.ports.store import Origin, PageStore
from core.retrieval.entries import joint_access_id
from core.timing import Clock


@dataclass(frozen=True, slots=True)
class IncludedPages:
    """``references``: the pages that a page shows something of; ``pages``: those that are stored, without comments.

    ``origins``: these by their ids.
    """

    references: tuple[PageReference, ...] = ()
    pages: Mapping[PageReference, Page] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)


async def load_included(page: Page, pages: PageStore, clock: Clock | None) -> IncludedPages:
    """The pages that a page shows something of, itself excepted."""
    references = await asyncio.to_thread(_find_references, page, clock)
    if not references:
        return IncludedPages()
    included: dict[PageReference, Page] = {}
    origins: dict[str, Origin] = {}
    for reference, page_id in (await pages.find_referenced(references)).items():
        digest = await pages.digest(page_id)  # first: if it changes after this, the text is left out
        origin = await pages.page(page_id)
        if origin is not None and page_id != page.page_id:
            included[reference] = replace(origin, comments=(), facts=PageFacts())
            origins[page_id] = Origin(digest, joint_access_id(page, origin))
    return IncludedPages(references, included, origins)


def _find_references(page: Page, clock: Clock | None) -> tuple[PageReference, ...]:
    try:
        return find_references(page, Budget.for_page(page, clock))
    except PageOverBudget:
        return ()  # extraction says so
