"""From a listed page to its evidences, or to the reason why there are none.

A listing tells of a moment that is past when a page's body is read, and a restriction changes no version. So whoever
may read what is stored comes from the wiki together with the body, or is narrower than both it and the listing.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from core.errors import PageOverBudget, PageUnreadable, PageWithdrawn
from core.evidence.budget import Budget
from core.evidence.contextualise import ContextMode
from core.evidence.extract import Extraction, ExtractionSettings, extract
from core.indexing.indexer import Indexer
from core.indexing.versions import page_digest, same_version
from core.model import Page
from core.ports import IndexedPage, ListedPage, PageFailure, PagesReplaced, PageStore, Wiki
from core.retrieval.access import ReadRestrictions, access_id, is_no_wider, narrow
from core.retrieval.entries import make_entry
from core.timing import Clock

_MOST_OVER_BUDGET = 10_000
_NOBODY: ReadRestrictions = (frozenset(),)
_TRIES = 3

logger = logging.getLogger(__name__)


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
        if len(self._causes) > _MOST_OVER_BUDGET:
            del self._causes[next(iter(self._causes))]


class ReadingSettings(Protocol):
    """How pages become evidences. ``full``: read the body again, also where we have that version.

    ``clock``: processor seconds of the thread that asks, which bound how long the extraction of one page may take.
    """

    @property
    def clock(self) -> Clock | None: ...
    @property
    def over_budget(self) -> PagesOverBudget: ...
    @property
    def extraction(self) -> ExtractionSettings: ...
    @property
    def context(self) -> ContextMode: ...
    @property
    def full(self) -> bool: ...
    @property
    def fingerprint(self) -> str: ...


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page as it is stored just before it is read again: what is read then is at least as new."""

    page: Page | None
    digest: str


@dataclass(frozen=True, slots=True)
class PageRead:
    """A page ready to be indexed, or ``error``: why not, and then perhaps the earlier version for fewer readers.

    ``warning``: what of it could not be read.
    """

    page: IndexedPage | None
    error: PageFailure | None = None
    warning: PageFailure | None = None


async def load_known_page(pages: PageStore, page_id: str) -> KnownPage:
    """What is stored of a page."""
    digest = await pages.digest(page_id)  # first: where it is another one after that, the page is read again
    return KnownPage(await pages.page(page_id), digest)


async def read_page(wiki: Wiki, listed: ListedPage, known: KnownPage, settings: ReadingSettings) -> PageRead:
    """Reads one page and extracts its evidences. One that cannot be read does not keep others from being read."""
    listed_digest = page_digest(listed, settings.fingerprint)
    if not settings.full and (cause := settings.over_budget.cause(listed_digest)):
        failure = PageFailure(listed.page_id, listed.title, cause, listed.space)
        return PageRead(await _keep(known, listed, settings), failure)
    try:
        page = _with_fewer_readers(listed, known, settings) or await wiki.page(listed)
        extraction = await asyncio.to_thread(_extract, page, settings)
    except PageUnreadable as error:
        if isinstance(error, PageOverBudget):
            settings.over_budget.note(listed_digest, str(error))
        failure = PageFailure(listed.page_id, listed.title, str(error), listed.space)
        kept = await _keep(known, listed, settings, withdrawn=isinstance(error, PageWithdrawn))
        return PageRead(kept, failure)
    version = page.version or listed.version
    read = replace(listed, title=page.title, version=version, read_restrictions=page.read_restrictions)
    found = _taken_apart(page, extraction, page_digest(read, settings.fingerprint), known, settings.context)
    return found if found.page else replace(found, page=await _keep(known, read, settings))


async def put_pages(
    indexer: Indexer,
    pages: Sequence[tuple[ListedPage, IndexedPage]],
    read: Callable[[ListedPage], Awaitable[PageRead]],
    on_embedded: Callable[[int], None],
) -> int:
    """Makes these versions current, and reads those again of which somebody else stored another version meanwhile.

    Returns how many texts were embedded. A page of which that happens each time is left as it was stored.
    """
    embedded = 0

    def count(texts: int) -> None:
        nonlocal embedded
        embedded += texts
        on_embedded(texts)

    waiting, conflicts = dict(pages), Counter[str]()
    while True:
        try:
            await indexer.put(list(waiting.values()), count)
            return embedded
        except PagesReplaced as conflict:
            conflicts.update(conflict.page_ids)
            for listed in [each for each in waiting if each.page_id in conflict.page_ids]:
                del waiting[listed]
                page = (await read(listed)).page if conflicts[listed.page_id] < _TRIES else None
                if page is not None:
                    waiting[listed] = page


def _with_fewer_readers(listed: ListedPage, known: KnownPage, settings: ReadingSettings) -> Page | None:
    """The stored version for the readers that the listing names, None where the wiki has to be asked.

    A listing is read in many requests, so the readers that it names of one page are of several moments: they may be
    people who could read the page at none of them. That they are among the readers before shows that they could.
    """
    stored = known.page
    if stored is None or settings.full or not same_version(known.digest, page_digest(listed, "")):
        return None
    if not is_no_wider(listed.read_restrictions, stored.read_restrictions):
        return None
    return replace(stored, read_restrictions=listed.read_restrictions, version=listed.version)


async def _keep(
    known: KnownPage, listed: ListedPage, settings: ReadingSettings, withdrawn: bool = False
) -> IndexedPage | None:
    """The version that we have of a page that cannot be read any more, for those who could read it and still may.

    For nobody if the page was ``withdrawn``. Its digest is that of no version, so that the next sync tries to read it
    again. None where nothing would change.
    """
    stored = known.page
    if stored is None or stored.space != listed.space:
        return None
    readers = _NOBODY if withdrawn else narrow(stored.read_restrictions, listed.read_restrictions)
    if access_id(stored.read_restrictions) == access_id(readers):
        return None
    page = replace(stored, read_restrictions=readers)
    digest = f"kept for {access_id(readers)}"
    nothing = IndexedPage(page, digest, (), known.digest)
    try:
        extraction = await asyncio.to_thread(_extract, page, settings)
    except PageUnreadable:
        return nothing
    return _taken_apart(page, extraction, digest, known, settings.context).page or nothing


def _taken_apart(page: Page, extraction: Extraction, digest: str, known: KnownPage, mode: ContextMode) -> PageRead:
    warning = None
    if extraction.defect:
        cause = f"broken storage format ({extraction.defect}); "
        if not extraction.evidences and page.content.strip():
            cause += "nothing of it could be read. Repair the page in the wiki and sync again."
            return PageRead(None, PageFailure(page.page_id, page.title, cause, page.space))
        cause += f"what could be read was indexed ({len(extraction.evidences)} evidences)."
        warning = PageFailure(page.page_id, page.title, cause, page.space)
    access = access_id(page.read_restrictions)
    evidences = tuple(make_entry(evidence, access, mode) for evidence in extraction.evidences)
    return PageRead(IndexedPage(page, digest, evidences, known.digest), warning=warning)


def _extract(page: Page, settings: ReadingSettings) -> Extraction:
    try:
        return extract(page, settings.extraction, Budget.for_page(page, settings.clock))
    except PageOverBudget:
        raise
    except Exception as error:  # content of a kind that nobody thought of: one page must not end the sync of all
        logger.debug("Page %s cannot be extracted", page.page_id, exc_info=True)
        raise PageUnreadable(
            f"its content cannot be taken apart ({type(error).__name__}: {error}). Please report this page's storage "
            "format as a defect"
        ) from error
