"""Syncing of spaces: for commands as an operation, and for chats, schedules and webhooks as functions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from adapters.folder.wiki import FolderWiki
from bot.audit import choose_outcome, record_action
from bot.maintenance import remove_old
from bot.operations.operation import EventListener, Operation
from bot.schedules import find_due, find_last_syncs, find_next_due
from bot.wikis import make_confluence
from bot.wiring import Application, now
from core.errors import SettingsInvalid
from core.indexing.report import SpaceReport
from core.indexing.synchroniser import Synchroniser
from core.ports.pages import SpaceSummary
from core.ports.wiki import Wiki
from core.timing import ProgressListener

_FOLDER = "folder "  # prefix of the name of a folder
_TRAFFIC_SECONDS = 0.2  # between two reports of a wiki's traffic


@dataclass(frozen=True, slots=True)
class SyncResult:
    """One report for each synced space. ``next_due``: the next sync (UTC) by key of each scheduled space."""

    reports: tuple[SpaceReport, ...] = ()
    next_due: Mapping[str, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SyncSpaces(Operation[SyncResult]):
    """Syncs spaces. ``kind``: all of a folder, those of Confluence with ``keys``, or those of Confluence that are due.

    It waits until other syncs of these spaces end. Events: progress by space, and the wiki's traffic.
    """

    metric = "sync"

    kind: Literal["folder", "confluence", "due"]
    path: str = ""
    keys: tuple[str, ...] = ()
    full: bool = False
    dry_run: bool = False
    allow_mass_delete: bool = False

    def make_paths_absolute(self) -> SyncSpaces:
        return replace(self, path=str(Path(self.path).absolute())) if self.path else self

    async def run(self, application: Application, on_event: EventListener) -> SyncResult:
        """Raises SettingsInvalid if a setting is missing, and what the sync raises."""
        if self.kind == "due":
            if not application.settings.schedules:
                raise SettingsInvalid(
                    "No space can be due, because WIKIWHY_SYNC_SCHEDULE is not set. Set it, for example to "
                    '"ENG, PEO: 0 6 * * *", or name the spaces: wikiwhy sync confluence KEY…'
                )
            await remove_old(application, datetime.now(UTC))
        with _open_wiki(application, self.path if self.kind == "folder" else None) as wiki:
            keys = await self._find_keys(application, wiki)
            async with hold_spaces(application, keys):
                reports = await self._sync(application, wiki, keys, on_event) if keys else []
                summaries = await application.spaces.load_summaries()
        return SyncResult(tuple(reports), find_next_syncs(application, summaries))

    async def _find_keys(self, application: Application, wiki: Wiki) -> list[str]:
        """Return the keys of the spaces to sync, each once."""
        if self.kind == "folder":
            return await application.make_synchroniser().find_spaces(wiki)
        if self.kind == "confluence":
            return list(dict.fromkeys(self.keys))
        last = find_last_syncs(await application.spaces.load_summaries())
        return find_due(application.settings.schedules, last, datetime.now(UTC))

    async def _sync(
        self, application: Application, wiki: Wiki, keys: list[str], on_event: EventListener
    ) -> list[SpaceReport]:
        synchroniser = application.make_synchroniser(self.allow_mass_delete, self.full)
        async with _report_traffic(wiki, on_event):
            if self.dry_run:
                return await synchroniser.preview(wiki, keys)
            what = f"folder {self.path}" if self.kind == "folder" else ", ".join(keys)
            async with _record_sync(application, what) as reports:
                reports += await sync_spaces(application, wiki, synchroniser, keys, on_event)
            return reports


async def sync_from_its_wiki(application: Application, key: str, on_progress: ProgressListener) -> list[SpaceReport]:
    """Sync a space, whose lock the caller holds, from where it was synced last, with an audit entry.

    A new space is synced from the Confluence of the settings.
    """
    async with _record_sync(application, key) as reports:
        names = {summary.key: summary.wiki_name for summary in await application.spaces.load_summaries()}
        wiki_name = names.get(key, "")
        with _open_wiki(
            application, wiki_name.removeprefix(_FOLDER) if wiki_name.startswith(_FOLDER) else None
        ) as wiki:
            reports += await sync_spaces(application, wiki, application.make_synchroniser(), [key], on_progress)
    return reports


async def sync_spaces(
    application: Application, wiki: Wiki, synchroniser: Synchroniser, keys: Sequence[str], on_progress: ProgressListener
) -> list[SpaceReport]:
    """Sync these spaces, whose locks the caller holds, then remove old text from the files."""
    reports = await synchroniser.sync_all(wiki, keys, now(), on_progress)
    await application.vectors.prune()
    changed = any(report.pages.removed or report.pages.updated or report.pages.failed for report in reports)
    if changed or application.database.needs_compaction():  # an earlier sync may have been interrupted before this
        # The write-ahead log still has the old text, and so may split database pages.
        await application.database.scrub()
    return reports


@asynccontextmanager
async def hold_spaces(application: Application, keys: Sequence[str]) -> AsyncIterator[None]:
    """Hold the locks of spaces during the block; after a failure or cancellation until its threads have ended."""
    async with application.syncing.hold(keys):
        try:
            yield
        except BaseException:
            await application.wait_for_threads()
            raise


def find_next_syncs(application: Application, summaries: Sequence[SpaceSummary]) -> dict[str, datetime]:
    """Return the time of the next sync (UTC) by key of each scheduled space."""
    return find_next_due(application.settings.schedules, find_last_syncs(summaries), datetime.now(UTC))


@contextmanager
def _open_wiki(application: Application, folder: str | None) -> Iterator[Wiki]:
    """Open a folder as a wiki, or with None the Confluence of the settings. Raises SettingsInvalid."""
    if folder is not None:
        yield FolderWiki(Path(folder), application.settings.reads_comments, application.file_texts)
    else:
        with closing(make_confluence(application.settings, files=application.file_texts)) as confluence:
            yield confluence


@asynccontextmanager
async def _record_sync(application: Application, what: str) -> AsyncIterator[list[SpaceReport]]:
    """Add an audit entry for a sync. The block adds its reports to the list."""
    reports: list[SpaceReport] = []
    async with record_action(application.audit, "sync", what) as entry:
        yield reports
        entry.outcome = choose_outcome(reports)


@asynccontextmanager
async def _report_traffic(wiki: Wiki, on_event: EventListener) -> AsyncIterator[None]:
    """Report the wiki's traffic during the block, since there is no other progress while a space is listed."""

    async def report() -> None:
        while True:
            on_event(wiki.traffic)
            await asyncio.sleep(_TRAFFIC_SECONDS)

    reporter = asyncio.create_task(report())
    try:
        yield
    finally:
        reporter.cancel()
