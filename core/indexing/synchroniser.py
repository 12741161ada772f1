"""Syncs spaces: lists their pages, reads changed ones, removes deleted ones, and reports the result."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace

from core.errors import SpaceUnavailable, SpaceUnknown, WikiWhyError
from core.indexing.indexer import Indexer
from core.indexing.listing import (
    Listing,
    check_sources,
    describe_mass_deletion,
    find_editors,
    find_parents,
    find_relabelled,
    list_linked,
    list_space,
    note_changed_parts,
)
from core.indexing.narrowing import narrow_readers
from core.indexing.page_reader import (
    Lookups,
    PageReadResult,
    SyncSettings,
    digest_page,
    load_known_page,
    put_pages,
    read_page,
)
from core.indexing.people import NameLookup
from core.indexing.pipeline import batch, iterate, run_ahead
from core.indexing.renaming import refresh_inclusions, rename_people
from core.indexing.report import SpaceReport, describe_first_cause
from core.indexing.unclear_references import read_unclear
from core.ports.pages import (
    IndexedPage,
    PageStore,
    PeopleStore,
    SpaceStore,
    SpaceSummary,
)
from core.ports.wiki import IssueTracker, ListedPage, PageFailure, Wiki
from core.timing import Clock, Progress, ProgressListener

_BATCH_EVIDENCES = 256
_MOST_MACROS = 50  # names of unknown macros in a report

_Read = tuple[ListedPage, PageReadResult]


@dataclass(frozen=True, slots=True, eq=False)
class Synchroniser:
    """Syncs the spaces of a wiki one after the other. Other processes may sync other spaces at the same time."""

    indexer: Indexer
    pages: PageStore
    spaces: SpaceStore
    people: PeopleStore
    clock: Clock
    settings: SyncSettings = field(default_factory=SyncSettings)
    tracker: IssueTracker | None = None

    async def find_spaces(self, wiki: Wiki) -> list[str]:
        """Return the wiki's spaces, and the stored spaces that the wiki no longer has."""
        before = {summary.key for summary in await self.spaces.load_summaries() if summary.wiki_name == wiki.name}
        return sorted({*await wiki.list_spaces(), *before})

    async def sync_all(
        self, wiki: Wiki, spaces: Sequence[str], now: str, on_progress: ProgressListener
    ) -> list[SpaceReport]:
        """Sync these spaces. ``now``: ISO 8601, UTC.

        New restrictions hold as soon as their space is listed, even if its sync then stops. A page that moved between
        these spaces stays in past answers. A space that does not exist, or whose listing was interrupted, is reported
        and stays unchanged, while the others are synced. An error that ends the sync is recorded with its space; the
        next sync continues where this one stopped.
        """
        check_sources(wiki, spaces, await self.spaces.load_summaries())
        await self.indexer.clean()
        reports = [SpaceReport(space) for space in spaces]
        lookups = Lookups(NameLookup(wiki, self.people, now, self.tracker), self.pages)
        listings = await self._list_spaces(wiki, reports)
        listed = [report for report in reports if not report.unlisted]
        # Deleted pages of all spaces are removed first, because reading new pages may take long.
        for report in listed:
            async with self._note_errors(wiki, report.key):
                await self._remove_gone(listings, report)
        for report in listed:
            async with self._note_errors(wiki, report.key):
                await self._sync_listed(lookups, listings[report.key], report, on_progress)
        done = [listings[report.key] for report in reports if not report.refusal]
        for report in reports:
            if not report.unlisted:
                await self._settle(wiki, listings[report.key], done, report)
        await self.people.prune()
        # Last, because it may take longer than all spaces together, and answers are given without, too.
        for report in listed:
            async with self._note_errors(wiki, report.key):
                await self._complete_tokens(report)
        return reports

    async def preview(self, wiki: Wiki, spaces: Sequence[str]) -> list[SpaceReport]:
        """Report what a sync of these spaces would add, update and remove, without reading or changing pages."""
        check_sources(wiki, spaces, await self.spaces.load_summaries())
        reports = [SpaceReport(space) for space in spaces]
        listings = await self._list_spaces(wiki, reports, noting=False)
        for report in reports:
            if report.unlisted:
                continue
            listing = listings[report.key]
            report.traffic = listing.traffic
            elsewhere = _find_elsewhere(listings.values(), listing)
            self._note_listing(listing, elsewhere, report)
            changed = self._find_changed(listing, report)
            report.pages.updated = sum(1 for listed in changed if listed.page_id in listing.known)
            report.pages.added = len(changed) - report.pages.updated
            summary = await self._find_summary(report.key)
            report.evidences = dict(summary.evidences) if summary else {}
        return reports

    def _note_listing(self, listing: Listing, elsewhere: Collection[str], report: SpaceReport) -> None:
        """Report the number of listed pages and of pages to remove, and what could not be listed."""
        space, gone = report.key, listing.find_gone(elsewhere)
        report.errors.extend(listing.failures)
        report.pages.failed = sum(1 for failure in listing.failures if failure.space == space)
        report.pages.seen = len(listing.pages) + report.pages.failed
        if not self.settings.allow_mass_delete:
            report.stopped = describe_mass_deletion(space, len(listing.known), len(gone))
        if not report.stopped:
            report.pages.removed = len(gone) + len(listing.find_moved(elsewhere))

    async def _list_spaces(self, wiki: Wiki, reports: Sequence[SpaceReport], noting: bool = True) -> dict[str, Listing]:
        """List the spaces. The report of a space that cannot be listed has the reason.

        ``noting``: whether to store errors, and new restrictions.
        """
        listings = {}
        for report in reports:
            space, before = report.key, wiki.traffic
            try:
                listings[space] = await self._list(wiki, space, noting)
            except Exception as error:
                # An unknown space may be a typing error, and must not be created.
                if noting and await self._find_summary(space):
                    await self._note_failure(wiki, space, error)
                if not isinstance(error, SpaceUnknown | SpaceUnavailable):
                    raise
                report.unlisted, report.traffic = str(error), wiki.traffic - before
        return listings

    async def _list(self, wiki: Wiki, space: str, narrowing: bool) -> Listing:
        """List a space and what changed there. ``narrowing``: whether to apply new restrictions at once."""
        linked = await self.pages.find_linked(wiki.name, space)
        listing = await list_space(wiki, space, await self.pages.load_digests(space), linked)
        if narrowing:
            listing.narrowed = frozenset(await narrow_readers(self._find_other_digests(listing), self.pages))
        summary = await self._find_summary(space)
        since = summary.comments_at if summary else ""
        await note_changed_parts(
            wiki, space, listing, await self.pages.load_comments(space), since, await self.pages.load_files(space)
        )
        listing.relabelled = find_relabelled(listing, await self.pages.load_labels(space))
        return listing

    async def _remove_gone(self, listings: Mapping[str, Listing], report: SpaceReport) -> None:
        """Remove the pages that are gone, unless another process has stored them again since the listing."""
        listing = listings[report.key]
        elsewhere = _find_elsewhere(listings.values(), listing)
        self._note_listing(listing, elsewhere, report)
        if not report.stopped:
            left = await self.pages.load_digests(report.key)
            gone = [page_id for page_id in listing.find_gone(elsewhere) if left.get(page_id) == listing.known[page_id]]
            await self.pages.remove(gone, report.key)

    async def _sync_listed(
        self, lookups: Lookups, listing: Listing, report: SpaceReport, on_progress: ProgressListener
    ) -> None:
        names, wiki = lookups.names, lookups.names.wiki
        started, before = self.clock(), wiki.traffic
        space = report.key
        if not report.stopped:
            await self.pages.save_parents(space, find_parents(listing.pages), listing.complete)
            asked = names.asked
            await names.refresh(space, find_editors(listing.pages))
            await self._update(lookups, listing, report, on_progress)
            await self._update_linked(lookups, listing, report, on_progress)
            await self._read_unclear(lookups, report)
            await self._refresh_stored(lookups, listing, report)
            report.people.asked, report.people.error = names.asked - asked, names.problem
            report.people.issues_error = names.issues_problem
        await self.indexer.clean()
        report.pages.failed = sum(1 for failure in report.errors if failure.space == space)
        report.errors.extend(error for error in (listing.comments_error, listing.files_error) if error)
        await self._repair(report)
        report.seconds = self.clock() - started
        report.traffic = listing.traffic + (wiki.traffic - before)
        # After a sync that stopped, the time of the previous one stays.
        at = await self._find_sync_time(space) if report.stopped else names.at
        await self.spaces.finish_sync(space, wiki.name, at, report.stopped or describe_first_cause(report.errors))
        # A page that was not read may lack comments, so they are searched for again.
        unread = listing.commented & {failure.page_id for failure in report.errors}
        if not report.stopped and not unread and not listing.comments_error:
            await self.spaces.note_comments(space, names.at)

    async def _read_unclear(self, lookups: Lookups, report: SpaceReport) -> None:
        """Read pages again whose references to pages of this space are unclear: the wiki may have corrected them."""

        def count(embedded: int) -> None:
            report.embedded += embedded

        is_first = not await self._find_sync_time(report.key)
        result = await read_unclear(report.key, lookups, self.indexer, self.settings, count, is_first)
        report.errors += result.errors
        report.warnings += result.warnings

    async def _refresh_stored(self, lookups: Lookups, listing: Listing, report: SpaceReport) -> None:
        """Update names of people, and what pages show of other pages."""

        def count(embedded: int) -> None:
            report.embedded += embedded

        settings = self.settings
        report.people.renamed = await rename_people(report.key, lookups, self.indexer, settings, count)
        again = await refresh_inclusions(report.key, lookups, self.indexer, settings, count)
        # Keep only the newer warning about a page: included pages may not have been stored when it was read.
        known, of_listing = {each.page_id for each in again}, {listed.warning for listed in listing.pages}
        before = [each for each in report.warnings if each.page_id not in known or each.cause in of_listing]
        report.warnings = before + again

    async def _update(
        self, lookups: Lookups, listing: Listing, report: SpaceReport, on_progress: ProgressListener
    ) -> None:
        """Read, embed and store the changed pages: a batch is stored while the next is embedded and others are read."""
        changed = self._find_changed(listing, report)
        done, indexer = len(listing.pages) - len(changed), self.indexer.defer_tokens()

        def show(newly_embedded: int = 0) -> None:
            report.embedded += newly_embedded
            on_progress(Progress(report.key, done, len(listing.pages), {"embedded": report.embedded}))

        async def read(listed: ListedPage) -> PageReadResult:
            known = await load_known_page(self.pages, listed.page_id)
            return await read_page(listed, known, self.settings, lookups, listed.page_id in listing.to_read)

        async def embed(some: Sequence[_Read]) -> None:
            await indexer.embed([page for _, each in some if (page := each.page)], show)

        show()
        if changed:
            await self.indexer.expect_tokens(report.key)
        async with (
            aclosing(run_ahead(iterate(changed), read, self.settings.read_at_once)) as pages,
            aclosing(batch(pages, _count_evidences, _BATCH_EVIDENCES)) as batches,
            aclosing(run_ahead(batches, embed, 1)) as embedded,
        ):
            async for some, _ in embedded:
                counted = [(listed, _count(report, each, listed.page_id in listing.known)) for listed, each in some]
                await put_pages(indexer, [(listed, page) for listed, page in counted if page], read, show)
                done += len(some)
                show()

    async def _update_linked(
        self, lookups: Lookups, listing: Listing, report: SpaceReport, on_progress: ProgressListener
    ) -> None:
        """Read the folders, databases and the like that stored pages link to and that the listing does not have yet."""
        wiki, space = lookups.names.wiki, report.key
        try:
            new = await list_linked(wiki, space, listing, await self.pages.find_linked(wiki.name, space))
        except SpaceUnavailable as error:
            report.warnings.append(PageFailure("", f"Links to {space}", str(error), space))
            return
        if new:
            await self.pages.save_parents(space, find_parents(new), is_all=False)
            await self._update(lookups, replace(listing, pages=list(new)), report, on_progress)
            listing.pages += new
            report.pages.seen += len(new)

    def _find_other_digests(self, listing: Listing) -> list[ListedPage]:
        """Return the listed pages that are new or have another version, other readers or other settings."""
        fingerprint = self.settings.fingerprint
        return [each for each in listing.pages if listing.known.get(each.page_id) != digest_page(each, fingerprint)]

    def _find_changed(self, listing: Listing, report: SpaceReport) -> list[ListedPage]:
        """Return the new and changed pages, those that lost readers first: the others may not find these until then.

        Adds restrictions, warnings and unchanged pages to the report.
        """
        changed = []
        for listed in listing.pages:
            report.pages.restricted += bool(listed.read_restrictions)
            if listed.warning:
                report.warnings.append(PageFailure(listed.page_id, listed.title, listed.warning, listed.space))
            digest = digest_page(listed, self.settings.fingerprint)
            same = listing.known.get(listed.page_id) == digest and listed.page_id not in listing.to_read
            if same and not self.settings.full:
                report.pages.unchanged += 1
            else:
                changed.append(listed)
        return sorted(changed, key=lambda listed: listed.page_id not in listing.narrowed)

    async def _repair(self, report: SpaceReport) -> None:
        """Count the space's evidences, and restore entries that an index lost, such as with a deleted file."""

        def count(embedded: int) -> None:
            report.embedded += embedded

        summary = await self._find_summary(report.key)
        report.evidences = dict(summary.evidences) if summary else {}
        if await self.indexer.has_other_count(report.key, sum(report.evidences.values())):
            report.repaired = await self.indexer.repair(report.key, count)

    async def _complete_tokens(self, report: SpaceReport) -> None:
        """Compute missing token vectors. The texts that this sync embedded are not counted twice."""
        started, embedded, completed = self.clock(), report.embedded, 0

        def count(texts: int) -> None:
            nonlocal completed
            completed += texts
            report.embedded = max(embedded, completed)

        await self.indexer.complete_tokens(report.key, embedded, count)
        report.seconds += self.clock() - started

    async def _settle(self, wiki: Wiki, listing: Listing, done: Sequence[Listing], report: SpaceReport) -> None:
        """Remove pages that moved to ``done`` spaces, and the space if the wiki no longer has it; called last."""
        space, moved = report.key, listing.find_moved(_find_elsewhere(done, listing))
        if moved:
            # A page that could not be read in its new space must not be used from the old one.
            left = (await self.pages.load_digests(space)).keys() & set(moved)
            await self.indexer.drop(await self.pages.remove(left, space))
            await self._repair(report)
        empty = listing.complete and not listing.page_ids and not await self.pages.load_digests(space)
        if empty and space not in await wiki.list_spaces():
            await self.indexer.drop(await self.spaces.forget(space))
            report.vanished = True

    @asynccontextmanager
    async def _note_errors(self, wiki: Wiki, space: str) -> AsyncIterator[None]:
        """Record an error with the space, and raise it."""
        try:
            yield
        except Exception as error:
            await self._note_failure(wiki, space, error)
            raise

    async def _note_failure(self, wiki: Wiki, space: str, error: Exception) -> None:
        try:
            at = await self._find_sync_time(space)
            await self.spaces.finish_sync(space, wiki.name, at, f"the last sync failed: {error}")
        except WikiWhyError as second:  # perhaps the disk failed; the first error is the one to report
            error.add_note(f"Space {space} could not note this: {second}")

    async def _find_sync_time(self, space: str) -> str:
        summary = await self._find_summary(space)
        return summary.synced_at if summary else ""

    async def _find_summary(self, space: str) -> SpaceSummary | None:
        return next((summary for summary in await self.spaces.load_summaries() if summary.key == space), None)


def _count_evidences(item: _Read) -> int:
    """Return the number of a page's evidences, at least 1, so that a batch of pages without any is reported too."""
    page = item[1].page
    return max(1, len(page.evidences)) if page else 1


def _count(report: SpaceReport, read: PageReadResult, known: bool) -> IndexedPage | None:
    """Add the result of reading a page to the report, and return the page, or None if reading failed."""
    report.unknown_macros = sorted({*report.unknown_macros, *read.unknown_macros})[:_MOST_MACROS]
    if read.warning:
        report.warnings.append(read.warning)
    if read.error:
        report.errors.append(read.error)
    elif known:
        report.pages.updated += 1
    else:
        report.pages.added += 1
    return read.page


def _find_elsewhere(listings: Iterable[Listing], here: Listing) -> set[str]:
    return {page.page_id for listing in listings if listing is not here for page in listing.pages}
