"""Reads a listed page and extracts its evidences, or returns the reason why that failed.

The body is read later than the listing, and changes of restrictions do not change the version. So the stored
restrictions of a page are read together with its body, or are stricter than both those and the listed ones.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from core.errors import PageOverBudget, PageUnreadable, PageWithdrawn
from core.evidence.budget import Budget
from core.evidence.contextualise import ContextMode
from core.evidence.extract import EXTRACTION_VERSION, Extraction, extract
from core.evidence.groups import ExtractionSettings
from core.evidence.mentions import Names
from core.evidence.other_pages import OtherPages
from core.indexing.inclusions import Origins, find_shown, load_origins
from core.indexing.index_entries import (
    combine_restrictions,
    is_no_wider,
    make_access_id,
    make_entry,
    make_joint_access_id,
)
from core.indexing.indexer import Indexer
from core.indexing.narrowing import is_narrowed
from core.indexing.people import NameLookup
from core.languages import find_clear_language
from core.model import NOBODY, Page
from core.ports.pages import NOT_STORED, IndexedPage, PagesReplaced, PageStore
from core.ports.wiki import ListedPage, PageFailure
from core.timing import Clock

_MOST_OVER_BUDGET = 10_000
_TRIES = 3
_LANGUAGE_EVIDENCES = 20  # the first evidences of a page, which determine its language

logger = logging.getLogger(__name__)


class PagesOverBudget:
    """Versions of pages that exceeded their budget, so that they are not fetched again at every sync.

    They are kept in memory only. A page whose content or readers change has another digest.
    """

    def __init__(self) -> None:
        self._causes: dict[str, str] = {}

    def find_cause(self, digest: str) -> str:
        """Return why the version with this digest could not be read, or "" if it is not recorded."""
        return self._causes.get(digest, "")

    def note(self, digest: str, cause: str) -> None:
        """Record a version that could not be read. Above the limit, the oldest record is dropped."""
        self._causes[digest] = cause
        if len(self._causes) > _MOST_OVER_BUDGET:
            del self._causes[next(iter(self._causes))]


@dataclass(frozen=True, slots=True)
class SyncSettings:
    """The parameters of extraction and of a sync."""

    extraction: ExtractionSettings = field(default_factory=ExtractionSettings)
    context: ContextMode = "ALL"
    allow_mass_delete: bool = False
    full: bool = False  # read every page again, also unchanged ones
    read_at_once: int = 1  # the number of pages read concurrently
    clock: Clock | None = None  # processor seconds of a thread, which limit the extraction of one page
    over_budget: PagesOverBudget = field(default_factory=PagesOverBudget)  # shared by all syncs of a process

    @property
    def fingerprint(self) -> str:
        """A text that changes if the same page would give other evidences. It is part of every stored digest.

        Its parts are stored names, which stay when the code's names change (a test checks the exact text): any other
        text for the same settings would make every page be extracted and embedded again.
        """
        own = self.extraction
        return (
            f"{EXTRACTION_VERSION} ExtractionSettings(lineariser='{own.lineariser}', passages={own.passages}, "
            f"lists={own.lists}, tables={own.tables}, rows={own.rows}, max_chars={own.max_chars}, "
            f"context_words={own.context_words}) {self.context}"
        )


def digest_page(listed: ListedPage, fingerprint: str) -> str:
    """Return a digest of everything that evidences and entries are made from: ``{version digest}.{other digest}``."""
    restrictions = sorted(sorted(group) for group in listed.read_restrictions)
    version = _hash(listed.page_id, listed.space, listed.version)
    return f"{version}.{_hash(str(restrictions), fingerprint)}"


def is_same_version(known: str, digest: str) -> bool:
    """Whether two digests are from the same version of a page in the same space."""
    return "." in known and known.partition(".")[0] == digest.partition(".")[0]


def _hash(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class KnownPage:
    """The stored version of a page, loaded just before the page is read again."""

    page: Page | None
    digest: str


@dataclass(frozen=True, slots=True)
class PageReadResult:
    """The result of reading a page. On an ``error``, ``page`` may be the stored version for fewer readers."""

    page: IndexedPage | None
    error: PageFailure | None = None
    warning: PageFailure | None = None  # a defect that did not prevent reading the page
    unknown_macros: frozenset[str] = frozenset()  # names


@dataclass(frozen=True, slots=True)
class Lookups:
    """Where names of people and other pages are looked up while pages are read."""

    names: NameLookup
    pages: PageStore
    read: set[str] = field(default_factory=set)  # ids of the pages whose content came from the wiki


async def load_known_page(pages: PageStore, page_id: str) -> KnownPage:
    """Load the stored version of a page."""
    digest = await pages.load_digest(page_id)  # first: if the page changes after this, it is read again
    return KnownPage(await pages.load_page(page_id) if digest != NOT_STORED else None, digest)


async def read_page(
    listed: ListedPage, known: KnownPage, settings: SyncSettings, lookups: Lookups, has_changed: bool = False
) -> PageReadResult:
    """Read one page and extract its evidences. Errors of the page are returned, not raised.

    ``has_changed``: its comments or attached files changed, although its version may be the stored one.
    """
    listed_digest = digest_page(listed, settings.fingerprint)
    if not settings.full and (cause := settings.over_budget.find_cause(listed_digest)):
        failure = PageFailure(listed.page_id, listed.title, cause, listed.space)
        return PageReadResult(await _keep(known, listed, settings, lookups), failure)
    try:
        page = None if has_changed else _update_readers(listed, known, settings)
        if page is None:
            page = await lookups.names.wiki.read_page(listed)
            lookups.read.add(listed.page_id)
        version = page.version or listed.version
        read = replace(listed, title=page.title, version=version, read_restrictions=page.read_restrictions)
        found = await _make_page(page, digest_page(read, settings.fingerprint), known, settings, lookups)
    except PageUnreadable as error:
        if isinstance(error, PageOverBudget):
            settings.over_budget.note(listed_digest, str(error))
        failure = PageFailure(listed.page_id, listed.title, str(error), listed.space)
        kept = await _keep(known, listed, settings, lookups, withdrawn=isinstance(error, PageWithdrawn))
        return PageReadResult(kept, failure)
    return found if found.page else replace(found, page=await _keep(known, read, settings, lookups))


async def extract_again(known: KnownPage, settings: SyncSettings, lookups: Lookups) -> PageReadResult:
    """Extract the stored version of a page again, with the current names of people and content of included pages.

    The result has no page if the page is gone or cannot be extracted.
    """
    if known.page is None:
        return PageReadResult(None)
    try:
        return await _make_page(known.page, known.digest, known, settings, lookups)
    except PageUnreadable:
        return PageReadResult(None)


async def put_pages(
    indexer: Indexer,
    pages: Sequence[tuple[ListedPage, IndexedPage]],
    read: Callable[[ListedPage], Awaitable[PageReadResult]],
    on_embedded: Callable[[int], None],
) -> None:
    """Make these versions current. Reads a page again if another process has stored another version of it meanwhile.

    After three conflicts, a page stays as it is stored.
    """
    waiting, conflicts = dict(pages), Counter[str]()
    while True:
        try:
            await indexer.put(list(waiting.values()), on_embedded)
            return
        except PagesReplaced as conflict:
            conflicts.update(conflict.page_ids)
            for listed in [each for each in waiting if each.page_id in conflict.page_ids]:
                del waiting[listed]
                page = (await read(listed)).page if conflicts[listed.page_id] < _TRIES else None
                if page is not None:
                    waiting[listed] = page


def _update_readers(listed: ListedPage, known: KnownPage, settings: SyncSettings) -> Page | None:
    """Return the stored version with the listed restrictions, or None if the page has to be read from the wiki.

    A listing takes many requests, so the restrictions of one page may be from several moments, and admit people who
    could read the page at none of them. If they admit only stored readers, this cannot be.
    """
    stored = known.page
    if stored is None or settings.full or not is_same_version(known.digest, digest_page(listed, "")):
        return None
    if not is_no_wider(listed.read_restrictions, stored.read_restrictions):
        return None
    return replace(stored, read_restrictions=listed.read_restrictions, version=listed.version)


async def _keep(
    known: KnownPage, listed: ListedPage, settings: SyncSettings, lookups: Lookups, withdrawn: bool = False
) -> IndexedPage | None:
    """Return the stored version of a page that can no longer be read, for stored readers who still may read it.

    Nobody may read it if it was ``withdrawn``. Its digest matches no version, so the next sync reads the page again.
    Returns None if nothing would change.
    """
    stored = known.page
    if stored is None or stored.space != listed.space:
        return None
    readers = NOBODY if withdrawn else combine_restrictions(stored.read_restrictions, listed.read_restrictions)
    is_same = make_access_id(stored.read_restrictions) == make_access_id(readers)
    if is_same and not is_narrowed(known.digest):  # the entries of a narrowed page still have its former readers
        return None
    page = replace(stored, read_restrictions=readers)
    digest = f"kept for {make_access_id(readers)}"
    nothing = IndexedPage(page, digest, (), known.digest)
    try:
        return (await _make_page(page, digest, known, settings, lookups)).page or nothing
    except PageUnreadable:
        return nothing


async def _make_page(
    page: Page, digest: str, known: KnownPage, settings: SyncSettings, lookups: Lookups
) -> PageReadResult:
    """Extract the evidences of a page, in a thread. Raises PageUnreadable."""
    names = await lookups.names.find_names(page)
    begun = await asyncio.to_thread(_make_unless_shown, page, digest, known, settings, names)
    if isinstance(begun, PageReadResult):
        return begun
    origins = await load_origins(page, lookups.pages, settings.clock, begun)
    for origin in origins.pages.values():
        names |= await lookups.names.find_names(origin)
    names |= origins.name_linked(page)
    return await asyncio.to_thread(_extract_page, page, digest, known, settings, names, origins)


def _make_unless_shown(
    page: Page, digest: str, known: KnownPage, settings: SyncSettings, names: Names
) -> PageReadResult | Origins:
    """Extract a page that shows nothing of other pages. Of another page, return what has to be loaded first."""
    found = find_shown(page, settings.clock)
    return found if found.is_needed else _extract_page(page, digest, known, settings, names, found)


def _extract_page(
    page: Page, digest: str, known: KnownPage, settings: SyncSettings, names: Names, origins: Origins
) -> PageReadResult:
    extraction = _extract(page, settings, names, origins.other_pages)
    return _index_page(page, extraction, origins, digest, known, settings.context)


def _index_page(
    page: Page, extraction: Extraction, origins: Origins, digest: str, known: KnownPage, mode: ContextMode
) -> PageReadResult:
    causes: list[str] = []
    if extraction.defect:
        cause = f"broken storage format ({extraction.defect}); "
        if not extraction.evidences and page.content.strip():
            cause += "none of it could be read. Repair the page in the wiki and sync again."
            return PageReadResult(None, PageFailure(page.page_id, page.title, cause, page.space))
        causes.append(f"{cause}the readable part was indexed ({len(extraction.evidences)} evidences).")
    if left_out := extraction.comments_over_budget:
        causes.append(f"{left_out} of its {len(page.comments)} comments are too complex and were left out.")
    if left_out := extraction.inclusions_over_budget:
        causes.append(
            f"{left_out} of the pages that it includes or reports on are too many or too complex and were left out."
        )
    causes += [f'The attached file "{file.name}" {file.problem}' for file in page.files if file.problem]
    causes += [f'The attached file "{name}" is too complex and was left out.' for name in extraction.files_over_budget]
    warning = PageFailure(page.page_id, page.title, " ".join(causes), page.space) if causes else None
    page = _add_facts(page, extraction)
    paths = {each.inclusion_path for each in extraction.evidences if each.via}
    joint = {path: make_joint_access_id(page, *(origins.pages[page_id] for page_id in path)) for path in paths}
    accesses = {(): make_access_id(page.read_restrictions), **joint}
    accesses |= {(page_id,): origin.access for page_id, origin in origins.versions.items()}
    evidences = tuple(
        make_entry(evidence, accesses[evidence.inclusion_path], mode) for evidence in extraction.evidences
    )
    shown = (origins.references, origins.queries, origins.versions, joint)
    language = find_clear_language(" ".join(each.text for each in extraction.evidences[:_LANGUAGE_EVIDENCES]))
    indexed = IndexedPage(page, digest, evidences, known.digest, extraction.names, *shown, language, origins.links)
    return PageReadResult(indexed, warning=warning, unknown_macros=extraction.unknown_macros)


def _add_facts(page: Page, extraction: Extraction) -> Page:
    return replace(page, facts=extraction.facts)


def _extract(page: Page, settings: SyncSettings, names: Names, others: OtherPages) -> Extraction:
    try:
        return extract(page, settings.extraction, Budget.for_page(page, settings.clock), names, others)
    except PageOverBudget:
        raise
    except Exception as error:  # unforeseen content of one page must not end the sync
        logger.debug("Page %s cannot be extracted", page.page_id, exc_info=True)
        raise PageUnreadable(
            f"its content cannot be extracted ({type(error).__name__}: {error}). Please report this with the page's "
            "storage format"
        ) from error
