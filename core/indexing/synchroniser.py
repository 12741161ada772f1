"""Brings one space up to date: lists it, reads what changed, removes what is gone, and says what it did."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.errors import PageUnreadable
from core.evidence.contextualise import ContextMode
from core.evidence.extract import EXTRACTION_VERSION, ExtractionSettings, extract
from core.indexing.indexer import Indexer
from core.indexing.report import SpaceReport
from core.model import EvidenceKind
from core.ports import (
    IndexedPage,
    ListedPage,
    PageFailure,
    PageStore,
    Progress,
    ProgressListener,
    SpaceStore,
    Wiki,
)
from core.retrieval.access import access_id
from core.retrieval.entries import indexed
from core.timing import Clock

_BATCH_EVIDENCES = 256
_MASS_DELETION_PAGES = 20


@dataclass(frozen=True, slots=True)
class SyncSettings:
    """How pages become evidences, and what a sync may do."""

    extraction: ExtractionSettings = field(default_factory=ExtractionSettings)
    context: ContextMode = "ALL"
    allow_mass_delete: bool = False

    @property
    def fingerprint(self) -> str:
        """Changes when the same page would give other evidences."""
        return f"{EXTRACTION_VERSION} {self.extraction} {self.context}"


@dataclass(slots=True)
class _Listing:
    pages: list[ListedPage] = field(default_factory=list)
    failures: list[PageFailure] = field(default_factory=list)
    complete: bool = True


class Synchroniser:
    """Syncs spaces, one at a time."""

    def __init__(
        self, indexer: Indexer, pages: PageStore, spaces: SpaceStore, clock: Clock, settings: SyncSettings | None = None
    ) -> None:
        self._indexer = indexer
        self._pages = pages
        self._spaces = spaces
        self._clock = clock
        self._settings = settings or SyncSettings()

    async def sync(self, wiki: Wiki, space: str, now: str, on_progress: ProgressListener) -> SpaceReport:
        """Brings a space up to date with the wiki. ``now``: ISO 8601, UTC."""
        started = self._clock()
        report = SpaceReport(space)
        await self._indexer.clean()
        known = await self._pages.digests(space)
        listing = await self._list(wiki, space)
        report.errors.extend(listing.failures)
        report.pages.seen = len(listing.pages) + sum(1 for failure in listing.failures if failure.space == space)
        gone = self._gone(known, listing)
        report.stopped = self._refusal(space, known, gone)
        if not report.stopped:
            await self._update(wiki, listing, known, report, on_progress)
            report.pages.removed = len(gone)
            await self._indexer.drop(await self._pages.remove(gone))
        report.pages.failed = sum(1 for failure in report.errors if failure.space == space)
        report.seconds = self._clock() - started
        await self._spaces.finish_sync(space, wiki.source, now, report.stopped or _first_cause(report.errors))
        report.evidences = await self._evidences(space)
        return report

    async def _list(self, wiki: Wiki, space: str) -> _Listing:
        listing = _Listing()
        async for item in wiki.listing(space):
            if isinstance(item, ListedPage):
                listing.pages.append(item)
            else:
                listing.failures.append(item)
                # A page that cannot even be told apart may be any of those we know.
                listing.complete = listing.complete and bool(item.page_id) and item.space is not None
        return listing

    @staticmethod
    def _gone(known: dict[str, str], listing: _Listing) -> list[str]:
        if not listing.complete:
            return []
        there = {page.page_id for page in listing.pages} | {failure.page_id for failure in listing.failures}
        return sorted(known.keys() - there)

    def _refusal(self, space: str, known: dict[str, str], gone: list[str]) -> str:
        if self._settings.allow_mass_delete or len(gone) < _MASS_DELETION_PAGES or len(gone) * 2 <= len(known):
            return ""
        return (
            f"This sync would remove {len(gone)} of the {len(known)} pages of space {space}, so it stopped and changed nothing. "
            "Check that the source is the right one; if these pages are really gone, sync again with --allow-mass-delete."
        )

    async def _update(
        self, wiki: Wiki, listing: _Listing, known: dict[str, str], report: SpaceReport, on_progress: ProgressListener
    ) -> None:
        done = 0
        batch: list[IndexedPage] = []

        def show(newly_embedded: int = 0) -> None:
            report.embedded += newly_embedded
            on_progress(Progress(report.key, done, len(listing.pages), {"embedded": report.embedded}))

        async def flush() -> None:
            nonlocal done
            await self._indexer.put(batch, show)
            done += len(batch)
            batch.clear()
            show()

        for listed in listing.pages:
            report.pages.restricted += bool(listed.read_restrictions)
            digest = self._digest(listed)
            if known.get(listed.page_id) == digest:
                report.pages.unchanged += 1
                done += 1
                continue
            page = await self._read(wiki, listed, digest, report)
            if page is None:
                done += 1
                continue
            if listed.page_id in known:
                report.pages.updated += 1
            else:
                report.pages.added += 1
            batch.append(page)
            if sum(len(waiting.evidences) for waiting in batch) >= _BATCH_EVIDENCES:
                await flush()
        await flush()

    async def _read(self, wiki: Wiki, listed: ListedPage, digest: str, report: SpaceReport) -> IndexedPage | None:
        try:
            page = await wiki.page(listed)
            extraction = await asyncio.to_thread(extract, page, self._settings.extraction)
        except PageUnreadable as error:
            report.errors.append(PageFailure(listed.page_id, listed.title, str(error), listed.space))
            return None
        if extraction.defect:
            cause = f"broken storage format ({extraction.defect}); "
            if not extraction.evidences and page.content.strip():
                cause += "nothing of it could be read. Repair the page in the wiki and sync again."
                report.errors.append(PageFailure(page.page_id, page.title, cause, page.space))
                return None
            cause += f"what could be read was indexed ({len(extraction.evidences)} evidences)."
            report.warnings.append(PageFailure(page.page_id, page.title, cause, page.space))
        access = access_id(page.read_restrictions)
        evidences = tuple(indexed(evidence, access, self._settings.context) for evidence in extraction.evidences)
        return IndexedPage(page, digest, evidences)

    def _digest(self, listed: ListedPage) -> str:
        return page_digest(listed, self._settings.fingerprint)

    async def _evidences(self, space: str) -> dict[EvidenceKind, int]:
        for summary in await self._spaces.summaries():
            if summary.key == space:
                return dict(summary.evidences)
        return {}


def page_digest(listed: ListedPage, fingerprint: str) -> str:
    """Covers all that a page's evidences and their entries are made from."""
    restrictions = sorted(sorted(group) for group in listed.read_restrictions)
    parts = (listed.page_id, listed.space, listed.version, str(restrictions), fingerprint)
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _first_cause(errors: Sequence[PageFailure]) -> str:
    return f"{len(errors)} pages could not be read; the first: {errors[0].title}: {errors[0].cause}" if errors else ""


def all_errors(reports: Iterable[SpaceReport]) -> list[PageFailure]:
    """The errors of several spaces, each once."""
    return list(dict.fromkeys(error for report in reports for error in report.errors))
