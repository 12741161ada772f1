"""From a listed page to its evidences, or to the reason why there are none."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace

from core.errors import PageOverBudget, PageUnreadable
from core.evidence.budget import Budget
from core.evidence.contextualise import ContextMode
from core.evidence.extract import Extraction, ExtractionSettings, extract
from core.model import Page
from core.ports import IndexedPage, ListedPage, PageFailure, Wiki
from core.retrieval.access import access_id
from core.retrieval.entries import indexed
from core.timing import Clock

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PageRead:
    """A page ready to be indexed, or ``error``: why not. ``warning``: what of it could not be read."""

    page: IndexedPage | None
    error: PageFailure | None = None
    warning: PageFailure | None = None


class PagesOverBudget:
    """Versions of pages that took too much, so that they are not fetched and tried again at every sync.

    They are known for as long as the process runs. A page that changes, or whose readers do, has another digest.
    """

    def __init__(self) -> None:
        self._causes: dict[str, str] = {}

    def cause(self, digest: str) -> str:
        """Why the version with this digest could not be read, "" if that is not known."""
        return self._causes.get(digest, "")

    def note(self, digest: str, cause: str) -> None:
        """Notes a version that could not be read; of very many the oldest is forgotten."""
        self._causes[digest] = cause
        if len(self._causes) > _MOST_KNOWN:
            del self._causes[next(iter(self._causes))]


_MOST_KNOWN = 10_000


@dataclass(frozen=True, slots=True)
class Reading:
    """How pages are read. ``clock``: processor seconds of the thread that asks, which bounds how long a page takes."""

    extraction: ExtractionSettings
    context: ContextMode
    clock: Clock | None = None
    over_budget: PagesOverBudget = field(default_factory=PagesOverBudget)


async def read_page(
    wiki: Wiki, listed: ListedPage, digest: str, reading: Reading, stored: Page | None = None
) -> PageRead:
    """Reads one page and extracts its evidences. One that cannot be read does not keep others from being read.

    ``stored``: the same version of the page, where we have it; only who may read it is then taken from ``listed``.
    """
    if cause := reading.over_budget.cause(digest):
        return PageRead(None, PageFailure(listed.page_id, listed.title, cause, listed.space))
    try:
        page = replace(stored, read_restrictions=listed.read_restrictions) if stored else await wiki.page(listed)
        extraction = await asyncio.to_thread(_extract, page, reading)
    except PageUnreadable as error:
        if isinstance(error, PageOverBudget):
            reading.over_budget.note(digest, str(error))
        return PageRead(None, PageFailure(listed.page_id, listed.title, str(error), listed.space))
    return _taken_apart(page, extraction, digest, reading.context)


async def with_these_readers(stored: Page, listed: ListedPage, reading: Reading) -> IndexedPage | None:
    """The version that we have of a page that cannot be read any more, for those who may read it now.

    Its digest is that of no version, so that the next sync tries to read it again. None where nothing would change.
    It has no evidences, and so leaves the answers, where the version that we have cannot be taken apart any more.
    """
    same_place = stored.space == listed.space
    if not same_place or access_id(stored.read_restrictions) == access_id(listed.read_restrictions):
        return None
    page = replace(stored, read_restrictions=listed.read_restrictions)
    nothing = IndexedPage(page, "", ())
    try:
        extraction = await asyncio.to_thread(_extract, page, reading)
    except PageUnreadable:
        return nothing
    return _taken_apart(page, extraction, "", reading.context).page or nothing


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


def _extract(page: Page, reading: Reading) -> Extraction:
    try:
        return extract(page, reading.extraction, Budget.for_page(page, reading.clock))
    except PageOverBudget:
        raise
    except Exception as error:  # content of a kind that nobody thought of: one page must not end the sync of all
        logger.debug("Page %s cannot be extracted", page.page_id, exc_info=True)
        raise PageUnreadable(
            f"its content cannot be taken apart ({type(error).__name__}: {error}). Please report this page's storage "
            "format as a defect"
        ) from error
