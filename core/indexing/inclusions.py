"""Loads the pages that a page includes, reports on or links to, from the store, not from the wiki."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from core.errors import PageOverBudget
from core.evidence.budget import Budget
from core.evidence.inclusions import MOST_INCLUSIONS, MOST_LEVELS, find_references
from core.evidence.links import find_links, make_link_query
from core.evidence.make_evidences import tidy_title
from core.evidence.mentions import make_linked_account
from core.evidence.other_pages import OtherPages, ReportedPages
from core.evidence.reports import MOST_PAGES, Report, find_page_reports
from core.indexing.index_entries import make_access_id, make_joint_access_id
from core.model import LinkTarget, Page, PageFacts, PageQuery, PageReference
from core.ports.pages import Origin, PageStore
from core.timing import Clock


@dataclass(slots=True)
class Origins:
    """The pages that a page includes, reports on or has smart links to, without their comments."""

    references: tuple[PageReference, ...] = ()
    reports: Sequence[Report] = ()
    links: tuple[LinkTarget, ...] = ()
    pages: dict[str, Page] = field(default_factory=dict)  # by id
    versions: dict[str, Origin] = field(default_factory=dict)  # by page id
    other_pages: OtherPages = field(default_factory=OtherPages)

    @property
    def is_needed(self) -> bool:
        """Whether the page shows anything of other pages."""
        return bool(self.references or self.reports or self.links)

    @property
    def queries(self) -> tuple[PageQuery, ...]:
        """The queries of the reports and links, without duplicates."""
        of_reports = [report.query for report in self.reports]
        return tuple(dict.fromkeys((*of_reports, *(make_link_query(link.page_id) for link in self.links))))

    def name_linked(self, page: Page) -> dict[str, str]:
        """Return account to title of the linked pages that everybody who may read ``page`` may read, too."""
        readers = make_access_id(page.read_restrictions)
        linked = [self.pages[link.page_id] for link in self.links if link.page_id in self.pages]
        known = [each for each in linked if make_joint_access_id(page, each) == readers]
        return {make_linked_account(each.page_id): tidy_title(each.title) for each in known}


async def load_origins(page: Page, pages: PageStore, clock: Clock | None, found: Origins) -> Origins:
    """Load the pages that a page includes, reports on or links to, except itself. ``found``: by :func:`find_shown`."""
    included = await _load_included(page, pages, clock, found)
    asked_for = await pages.find_selected(found.queries)
    first = {query: ids[:MOST_PAGES] for query, ids in asked_for.items()}
    with_properties = {report.query for report in found.reports if report.with_properties}
    read = [each for query in first if query in with_properties for each in first[query]]
    await _load(page, read, pages, found)
    await _load_outlines(page, [each for ids in first.values() for each in ids], pages, found)
    reported = {
        query: ReportedPages(
            tuple(found.pages[page_id] for page_id in ids if page_id in found.pages),
            len(asked_for[query]) - len(ids),
        )
        for query, ids in first.items()
    }
    found.other_pages = OtherPages(included, reported)
    named = {each.page_id for each in included.values()}
    selecting: defaultdict[str, list[PageQuery]] = defaultdict(list)
    for query, ids in first.items():
        for page_id in ids:
            selecting[page_id].append(query)
    for page_id, version in found.versions.items():
        found.versions[page_id] = replace(version, is_named=page_id in named, queries=tuple(selecting[page_id]))
    return found


async def _load_included(
    page: Page, pages: PageStore, clock: Clock | None, found: Origins
) -> dict[PageReference, Page]:
    """Load the pages that a page includes directly or indirectly, and add the references to ``found``."""
    included: dict[PageReference, Page] = {}
    names, wanted = dict.fromkeys(found.references), found.references
    for level in range(1, MOST_LEVELS + 1):
        referenced = await pages.find_referenced(wanted)
        await _load(page, list(referenced.values()), pages, found)
        here = {name: found.pages[page_id] for name, page_id in referenced.items() if page_id in found.pages}
        included |= here
        if level == MOST_LEVELS:
            break
        nested = await asyncio.to_thread(_find_nested, list(here.values()), clock)
        wanted = tuple(name for name in nested if name not in names)[: max(0, MOST_INCLUSIONS - len(names))]
        names |= dict.fromkeys(wanted)
    found.references = tuple(names)
    return included


def _find_nested(included: Sequence[Page], clock: Clock | None) -> tuple[PageReference, ...]:
    found: dict[PageReference, None] = {}
    for page in included:
        with suppress(PageOverBudget):  # reported by extraction
            found |= dict.fromkeys(find_references(page, Budget.for_page(page, clock)))
    return tuple(found)


async def _load(page: Page, page_ids: Sequence[str], pages: PageStore, found: Origins) -> None:
    for page_id in dict.fromkeys(each for each in page_ids if each not in found.pages):
        digest = await pages.load_digest(page_id)  # first: if the page changes after this, its text is left out
        origin = await pages.load_page(page_id)
        if origin is not None and page_id != page.page_id:
            found.pages[page_id] = replace(origin, comments=(), files=(), facts=PageFacts())
            found.versions[page_id] = Origin(digest, make_joint_access_id(page, origin))


async def _load_outlines(page: Page, page_ids: Sequence[str], pages: PageStore, found: Origins) -> None:
    """Load the pages of which only titles are shown."""
    wanted = dict.fromkeys(each for each in page_ids if each != page.page_id and each not in found.pages)
    for page_id, outline in (await pages.find_outlines(wanted)).items():
        found.pages[page_id] = outline.page
        found.versions[page_id] = Origin(outline.digest, make_joint_access_id(page, outline.page))


def find_shown(page: Page, clock: Clock | None) -> Origins:
    """Return what a page shows of other pages, without these pages."""
    budget = Budget.for_page(page, clock)
    try:
        return Origins(find_references(page, budget), find_page_reports(page, budget), find_links(page))
    except PageOverBudget:
        return Origins()  # reported by extraction
