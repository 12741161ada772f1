"""From a listed page to its evidences, or to the reason why there are none."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace

from core.errors import PageUnreadable
from core.evidence.contextualise import ContextMode
from core.evidence.extract import Extraction, ExtractionSettings, extract
from core.model import Page
from core.ports import IndexedPage, ListedPage, PageFailure, Wiki
from core.retrieval.access import access_id
from core.retrieval.entries import indexed

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PageRead:
    """A page ready to be indexed, or ``error``: why not. ``warning``: what of it could not be read."""

    page: IndexedPage | None
    error: PageFailure | None = None
    warning: PageFailure | None = None


async def read_page(
    wiki: Wiki,
    listed: ListedPage,
    digest: str,
    settings: ExtractionSettings,
    mode: ContextMode,
    stored: Page | None = None,
) -> PageRead:
    """Reads one page and extracts its evidences. One that cannot be read does not keep others from being read.

    ``stored``: the same version of the page, where we have it; only who may read it is then taken from ``listed``.
    """
    try:
        page = replace(stored, read_restrictions=listed.read_restrictions) if stored else await wiki.page(listed)
        extraction = await asyncio.to_thread(_extract, page, settings)
    except PageUnreadable as error:
        return PageRead(None, PageFailure(listed.page_id, listed.title, str(error), listed.space))
    return _taken_apart(page, extraction, digest, mode)


async def with_these_readers(
    stored: Page, listed: ListedPage, settings: ExtractionSettings, mode: ContextMode
) -> IndexedPage | None:
    """The version that we have of a page that cannot be read any more, for those who may read it now.

    Its digest is that of no version, so that the next sync tries to read it again. None where nothing would change.
    """
    same_place = stored.space == listed.space
    if not same_place or access_id(stored.read_restrictions) == access_id(listed.read_restrictions):
        return None
    page = replace(stored, read_restrictions=listed.read_restrictions)
    nothing = IndexedPage(page, "", ())
    try:
        extraction = await asyncio.to_thread(_extract, page, settings)
    except PageUnreadable:
        return nothing
    return _taken_apart(page, extraction, "", mode).page or nothing


def _taken_apart(page: Page, extraction: Extraction, digest: str, mode: ContextMode) -> PageRead:
    warning = None
    if extraction.defect:
        cause = f"broken storage format ({extraction.defect}); "
        if not extraction.evidences and page.content.strip():
            cause += "nothing of it could be read. Repair the page in the wiki and sync again."
            return PageRead(None, PageFailure(page.page_id, page.title, cause, page.space))
        cause += f"what could be read was indexed ({len(extraction.evidences)} evidences)."
        warning = PageFailure(page.page_id, page.title, cause, page.space)
    access = access_id(page.read_restrictions)
    evidences = tuple(indexed(evidence, access, mode) for evidence in extraction.evidences)
    return PageRead(IndexedPage(page, digest, evidences), warning=warning)


def _extract(page: Page, settings: ExtractionSettings) -> Extraction:
    try:
        return extract(page, settings)
    except Exception as error:  # content of a kind that nobody thought of: one page must not end the sync of all
        logger.debug("Page %s cannot be extracted", page.page_id, exc_info=True)
        raise PageUnreadable(
            f"its content cannot be taken apart ({type(error).__name__}: {error}). Please report this page's storage "
            "format as a defect"
        ) from error
