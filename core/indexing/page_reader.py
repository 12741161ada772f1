"""Reads a listed page and extracts its evidences, or gives the reason why there are none.

A listing is older than the body that is read after it, and a restriction changes no version. So the stored readers of a
page come from the wiki together with the body, or are narrower than both these and the listing's.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import Counter, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from core.errors import PageOverBudget, PageUnreadable, PageWithdrawn
from core.evidence.budget import Budget
from core.evidence.contextualise import ContextMode
from core.evidence.extract import EXTRACTION_VERSION, Extraction, extract
from core.evidence.groups import ExtractionSettings
from core.evidence.people import Names
from core.evidence.shown import ShownPages
from core.indexing.inclusions import Origins, load_origins
from core.indexing.indexer import Indexer
from core.indexing.people import NameLookup
from core.languages import find_clear_language
from core.model import Page
from core.ports.store import IndexedPage, PagesReplaced, PageStore
from core.ports.wiki import ListedPage, PageFailure
from core.retrieval.entries import (
    ReadRestrictions,
    access_id,
    combine_restrictions,
    is_no_wider,
    joint_access_id,
    make_entry,
)
from core.timing import Clock

_MOST_OVER_BUDGET = 10_000
_NOBODY: ReadRestrictions = (frozenset(),)
_TRIES = 3
_LANGUAGE_EVIDENCES = 20  # of a page, which show its language

Item = TypeVar("Item")
Result = TypeVar("Result")

logger = logging.getLogger(__name__)


class PagesOverBudget:
    """Versions of pages that were over budget, so that they are not fetched again at every sync.

    They are kept in memory only. A page that changes, or whose readers change, has another digest.
    """

    def __init__(self) -> None:
        self._causes: dict[str, str] = {}

    def cause(self, digest: str) -> str:
        """Why the version with this digest could not be read, "" if it is not known."""
        return self._causes.get(digest, "")

    def note(self, digest: str, cause: str) -> None:
        """Notes a version that could not be read; above the limit the oldest is dropped."""
        self._causes[digest] = cause
        if len(self._causes) > _MOST_OVER_BUDGET:
            del self._causes[next(iter(self._causes))]


@dataclass(frozen=True, slots=True)
class SyncSettings:
    """The parameters of extraction and of a sync.

    ``full``: read every page again, also unchanged ones. ``read_at_once``: pages read at the same time. ``clock``:
    processor seconds of a thread, which bound the extraction of one page. ``over_budget``: shared by all syncs of a
    process.
    """

    extraction: ExtractionSettings = field(default_factory=ExtractionSettings)
    context: ContextMode = "ALL"
    allow_mass_delete: bool = False
    full: bool = False
    read_at_once: int = 1
    clock: Clock | None = None
    over_budget: PagesOverBudget = field(default_factory=PagesOverBudget)

    @property
    def fingerprint(self) -> str:
        """Changes when the same page would give other evidences. It is part of every stored digest.

        The names in it are stored names: a test pins the exact text, and they stay when the code's names change. Any
        other text for the same settings would extract and embed every page again.
        """
        own = self.extraction
        return (
            f"{EXTRACTION_VERSION} ExtractionSettings(lineariser='{own.lineariser}', passages={own.passages}, "
            f"lists={own.lists}, tables={own.tables}, rows={own.rows}, max_chars={own.max_chars}, "
            f"context_words={own.context_words}) {self.context}"
        )


def page_digest(listed: ListedPage, fingerprint: str) -> str:
    """A digest of everything that a page's evidences and entries are made from: ``{of the version}.{of the rest}``."""
    restrictions = sorted(sorted(group) for group in listed.read_restrictions)
    version = _hash(listed.page_id, listed.space, listed.version)
    return f"{version}.{_hash(str(restrictions), fingerprint)}"


def same_version(known: str, digest: str) -> bool:
    """Whether two digests are of one version of a page, in one space."""
    return "." in known and known.partition(".")[0] == digest.partition(".")[0]


def _hash(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page as it was stored just before it is read again."""

    page: Page | None
    digest: str


@dataclass(frozen=True, slots=True)
class PageRead:
    """A page to index, or the ``error``, perhaps with the stored version for fewer readers.

    ``warning``: a defect of the page that did not keep it from being read. ``unknown_macros``: names.
    """

    page: IndexedPage | None
    error: PageFailure | None = None
    warning: PageFailure | None = None
    unknown_macros: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Lookups:
    """Where a page that is read looks up what it names: ``names`` of people, and other ``pages``."""

    names: NameLookup
    pages: PageStore


async def load_known_page(pages: PageStore, page_id: str) -> KnownPage:
    """The stored version of a page."""
    digest = await pages.digest(page_id)  # first: if it changes after this, the page is read again
    return KnownPage(await pages.page(page_id), digest)


async def read_page(
    listed: ListedPage, known: KnownPage, settings: SyncSettings, lookups: Lookups, has_changed: bool = False
) -> PageRead:
    """Reads one page and extracts its evidences. Errors of the page are returned, so that others are still read.

    ``has_changed``: its comments or attached files did, though its version may be the stored one.
    """
    listed_digest = page_digest(listed, settings.fingerprint)
    if not settings.full and (cause := settings.over_budget.cause(listed_digest)):
        failure = PageFailure(listed.page_id, listed.title, cause, listed.space)
        return PageRead(await _keep(known, listed, settings, lookups), failure)
    try:
        page = None if has_changed else _with_fewer_readers(listed, known, settings)
        page = page or await lookups.names.wiki.page(listed)
        taken = await _extract(page, settings, lookups)
    except PageUnreadable as error:
        if isinstance(error, PageOverBudget):
            settings.over_budget.note(listed_digest, str(error))
        failure = PageFailure(listed.page_id, listed.title, str(error), listed.space)
        kept = await _keep(known, listed, settings, lookups, withdrawn=isinstance(error, PageWithdrawn))
        return PageRead(kept, failure)
    version = page.version or listed.version
    read = replace(listed, title=page.title, version=version, read_restrictions=page.read_restrictions)
    found = _index_page(page, taken, page_digest(read, settings.fingerprint), known, settings.context)
    return found if found.page else replace(found, page=await _keep(known, read, settings, lookups))


async def extract_again(known: KnownPage, settings: SyncSettings, lookups: Lookups) -> PageRead:
    """The stored version of a page with what it names as it is now: people, and the pages that it includes.

    Without a page where it is gone or cannot be read.
    """
    if known.page is None:
        return PageRead(None)
    try:
        taken = await _extract(known.page, settings, lookups)
    except PageUnreadable:
        return PageRead(None)
    return _index_page(known.page, taken, known.digest, known, settings.context)


async def put_pages(
    indexer: Indexer,
    pages: Sequence[tuple[ListedPage, IndexedPage]],
    read: Callable[[ListedPage], Awaitable[PageRead]],
    on_embedded: Callable[[int], None],
) -> int:
    """Makes these versions current. Reads a page again if another process stored another version of it meanwhile.

    Returns how many texts were embedded. After three conflicts a page stays as it is stored.
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


def _with_fewer_readers(listed: ListedPage, known: KnownPage, settings: SyncSettings) -> Page | None:
    """The stored version with the readers of the listing, None if the page has to be read from the wiki.

    A listing takes many requests, so its readers of one page are of several moments: they may be people who could read
    the page at none of them. If they are among the stored readers, they could.
    """
    stored = known.page
    if stored is None or settings.full or not same_version(known.digest, page_digest(listed, "")):
        return None
    if not is_no_wider(listed.read_restrictions, stored.read_restrictions):
        return None
    return replace(stored, read_restrictions=listed.read_restrictions, version=listed.version)


async def _keep(
    known: KnownPage, listed: ListedPage, settings: SyncSettings, lookups: Lookups, withdrawn: bool = False
) -> IndexedPage | None:
    """The stored version of a page that cannot be read any more, for those who could read it and still may.

    For nobody if the page was ``withdrawn``. Its digest belongs to no version, so the next sync reads the page again.
    None if nothing would change.
    """
    stored = known.page
    if stored is None or stored.space != listed.space:
        return None
    readers = _NOBODY if withdrawn else combine_restrictions(stored.read_restrictions, listed.read_restrictions)
    if access_id(stored.read_restrictions) == access_id(readers):
        return None
    page = replace(stored, read_restrictions=readers)
    digest = f"kept for {access_id(readers)}"
    nothing = IndexedPage(page, digest, (), known.digest)
    try:
        taken = await _extract(page, settings, lookups)
    except PageUnreadable:
        return nothing
    return _index_page(page, taken, digest, known, settings.context).page or nothing


def _index_page(page: Page, taken: _Taken, digest: str, known: KnownPage, mode: ContextMode) -> PageRead:
    extraction, origins = taken.extraction, taken.origins
    causes: list[str] = []
    if extraction.defect:
        cause = f"broken storage format ({extraction.defect}); "
        if not extraction.evidences and page.content.strip():
            cause += "nothing of it could be read. Repair the page in the wiki and sync again."
            return PageRead(None, PageFailure(page.page_id, page.title, cause, page.space))
        causes.append(f"{cause}what could be read was indexed ({len(extraction.evidences)} evidences).")
    if left_out := extraction.comments_over_budget:
        causes.append(f"{left_out} of its {len(page.comments)} comments are too complex and were left out.")
    if left_out := extraction.inclusions_over_budget:
        causes.append(
            f"{left_out} of the pages that it includes or reports on are too many or too complex and were left out."
        )
    causes += [f'The attached file "{file.name}" {file.problem}' for file in page.files if file.problem]
    causes += [f'The attached file "{name}" is too complex and was left out.' for name in extraction.files_over_budget]
    warning = PageFailure(page.page_id, page.title, " ".join(causes), page.space) if causes else None
    page = _with_facts(page, extraction)
    ways = {each.way for each in extraction.evidences if each.via}
    joint = {way: joint_access_id(page, *(origins.pages[page_id] for page_id in way)) for way in ways}
    accesses = {(): access_id(page.read_restrictions), **joint}
    accesses |= {(page_id,): origin.access for page_id, origin in origins.versions.items()}
    evidences = tuple(make_entry(evidence, accesses[evidence.way], mode) for evidence in extraction.evidences)
    shown = (origins.references, origins.queries, origins.versions, joint)
    language = find_clear_language(" ".join(each.text for each in extraction.evidences[:_LANGUAGE_EVIDENCES]))
    indexed = IndexedPage(page, digest, evidences, known.digest, extraction.names, *shown, language)
    return PageRead(indexed, warning=warning, unknown_macros=extraction.unknown_macros)


def _with_facts(page: Page, extraction: Extraction) -> Page:
    return replace(page, facts=extraction.facts)


@dataclass(frozen=True, slots=True)
class _Taken:
    """What was taken from a page, and from those that it shows something of."""

    extraction: Extraction
    origins: Origins


async def _extract(page: Page, settings: SyncSettings, lookups: Lookups) -> _Taken:
    origins = await load_origins(page, lookups.pages, settings.clock)
    names = await lookups.names.names_of(page)
    for origin in origins.pages.values():
        names |= await lookups.names.names_of(origin)
    return _Taken(await asyncio.to_thread(_extract_with, page, settings, names, origins.shown), origins)


def _extract_with(page: Page, settings: SyncSettings, names: Names, others: ShownPages) -> Extraction:
    try:
        return extract(page, settings.extraction, Budget.for_page(page, settings.clock), names, others)
    except PageOverBudget:
        raise
    except Exception as error:  # unforeseen content of one page must not end the sync
        logger.debug("Page %s cannot be extracted", page.page_id, exc_info=True)
        raise PageUnreadable(
            f"its content cannot be taken apart ({type(error).__name__}: {error}). Please report this page's storage "
            "format as a defect"
        ) from error


async def read_ahead(
    items: Iterable[Item], read: Callable[[Item], Awaitable[Result]], at_once: int
) -> AsyncGenerator[tuple[Item, Result], None]:
    """Each item with its result, in the order of the items, reading at most ``at_once`` items ahead.

    The first error is raised after the results before it were taken. Closing the generator cancels what is being read.
    """
    waiting: deque[tuple[Item, asyncio.Task[Result]]] = deque()
    left = iter(items)
    try:
        while True:
            for item in left:
                waiting.append((item, asyncio.create_task(_read(read, item))))
                if len(waiting) >= at_once:
                    break
            if not waiting:
                return
            item, task = waiting[0]
            result = await task
            waiting.popleft()
            yield item, result
    finally:
        tasks = [task for _, task in waiting]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read(read: Callable[[Item], Awaitable[Result]], item: Item) -> Result:
    return await read(item)
