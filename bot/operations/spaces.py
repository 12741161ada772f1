"""Operations on spaces: list, sync and forget them, check their indexes, and clean the files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from adapters.folder.wiki import FolderWiki
from bot.audit import choose_outcome, record_action
from bot.maintenance import clean_files, has_erased_text, remove_old
from bot.operations.finding import REBUILD, SYNC, Finding, run_async_check
from bot.operations.operation import EventListener, Operation
from bot.schedules import find_due, find_last_syncs, find_next_due
from bot.storage.data_directory import DataDirectory, delete, describe_owner
from bot.wikis import make_confluence
from bot.wiring import Application, now
from core.errors import DataDirectoryInUse, SettingsInvalid
from core.indexing.report import SpaceReport
from core.indexing.synchroniser import Synchroniser
from core.ports.pages import SpaceSummary
from core.ports.wiki import Wiki
from core.timing import Progress, ProgressListener

_TRAFFIC_SECONDS = 0.2  # between two reports of a wiki's traffic


@dataclass(frozen=True, slots=True)
class SpaceList:
    """The synced spaces. ``next_due``: the next sync (UTC) by key of each scheduled space, even if never synced."""

    summaries: tuple[SpaceSummary, ...] = ()
    next_due: Mapping[str, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SyncResult:
    """One report for each synced space. ``next_due``: the next sync (UTC) by key of each scheduled space."""

    reports: tuple[SpaceReport, ...] = ()
    next_due: Mapping[str, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ListSpaces(Operation[SpaceList]):
    """Lists the synced spaces."""

    needs_models = False

    async def run(self, application: Application, on_event: EventListener) -> SpaceList:
        summaries = await application.spaces.load_summaries()
        return SpaceList(tuple(summaries), _find_next_due(application, summaries))


@dataclass(frozen=True, slots=True)
class SyncSpaces(Operation[SyncResult]):
    """Syncs spaces: all of a folder, those of Confluence with ``keys``, or those of Confluence that are due.

    It waits until other syncs of these spaces end. Events: progress by space, and the wiki's traffic.
    """

    metric = "sync"

    source: Literal["folder", "confluence", "due"]
    path: str = ""
    keys: tuple[str, ...] = ()
    full: bool = False
    dry_run: bool = False
    allow_mass_delete: bool = False

    def make_paths_absolute(self) -> SyncSpaces:
        return replace(self, path=str(Path(self.path).absolute())) if self.path else self

    async def run(self, application: Application, on_event: EventListener) -> SyncResult:
        """Raises SettingsInvalid if a setting is missing, and what the sync raises."""
        if self.source == "due":
            if not application.settings.schedules:
                raise SettingsInvalid(
                    "No space can be due, because WIKIWHY_SYNC_SCHEDULE is not set. Set it, for example to "
                    '"ENG, PEO: 0 6 * * *", or name the spaces: wikiwhy sync confluence KEY…'
                )
            await remove_old(application, datetime.now(UTC))
        with self._open_wiki(application) as wiki:
            keys = await self._find_keys(application, wiki)
            async with _hold(application, keys):
                reports = await self._sync_with_audit(application, wiki, keys, on_event) if keys else []
                summaries = await application.spaces.load_summaries()
        return SyncResult(tuple(reports), _find_next_due(application, summaries))

    @contextmanager
    def _open_wiki(self, application: Application) -> Iterator[Wiki]:
        if self.source == "folder":
            yield FolderWiki(Path(self.path), application.settings.reads_comments, application.file_texts)
        else:
            with closing(make_confluence(application.settings, files=application.file_texts)) as wiki:
                yield wiki

    async def _find_keys(self, application: Application, wiki: Wiki) -> list[str]:
        """Return the keys of the spaces to sync, each once."""
        if self.source == "folder":
            return await application.make_synchroniser().find_spaces(wiki)
        if self.source == "confluence":
            return list(dict.fromkeys(self.keys))
        last = find_last_syncs(await application.spaces.load_summaries())
        return find_due(application.settings.schedules, last, datetime.now(UTC))

    async def _sync_with_audit(
        self, application: Application, wiki: Wiki, keys: list[str], on_event: EventListener
    ) -> list[SpaceReport]:
        """Sync, and add an audit entry unless it is a dry run."""
        if self.dry_run:
            return await self._sync(application, wiki, keys, on_event)
        what = f"folder {self.path}" if self.source == "folder" else ", ".join(keys)
        async with record_action(application.audit, "sync", what) as entry:
            reports = await self._sync(application, wiki, keys, on_event)
            entry.outcome = choose_outcome(reports)
        return reports

    async def _sync(
        self, application: Application, wiki: Wiki, keys: list[str], on_event: EventListener
    ) -> list[SpaceReport]:
        synchroniser = application.make_synchroniser(self.allow_mass_delete, self.full)
        async with _report_traffic(wiki, on_event):
            if self.dry_run:
                return await synchroniser.preview(wiki, keys)
            return await sync_spaces(application, wiki, synchroniser, keys, on_event)


@dataclass(frozen=True, slots=True)
class ForgetSpace(Operation[None]):
    """Removes a space, its text in past answers, and the indexes of evaluations."""

    key: str

    async def run(self, application: Application, on_event: EventListener) -> None:
        """Raises DataDirectoryInUse while an evaluation runs."""
        async with record_action(application.audit, "forget_space", self.key), _hold(application, [self.key]):
            await asyncio.to_thread(_delete_evaluations, application.directory)
            await application.indexer.drop(await application.spaces.forget(self.key))
            await asyncio.to_thread(application.erasure_log.write)


@dataclass(frozen=True, slots=True)
class CheckIndexes(Operation[list[Finding]]):
    """Compares both indexes with the store, entry by entry."""

    async def run(self, application: Application, on_event: EventListener) -> list[Finding]:
        indexes = application.indexes
        # No sync may run, because during a sync the indexes differ from the store.
        async with application.syncing.hold_all():
            summaries = await application.spaces.load_summaries()
            parts: list[tuple[str, Callable[[], str], Callable[[str], Awaitable[set[str]]]]] = [
                ("full-text index", indexes.find_missing_lexical, lambda space: application.lexical.load_keys(space)),
                ("dense index", indexes.find_missing_dense, lambda space: application.dense.load_keys(space)),
            ]
            return [
                await run_async_check(part, _check_index(application, part, find_missing, keys, summaries))
                for part, find_missing, keys in parts
            ]


@dataclass(frozen=True, slots=True)
class CleanFiles(Operation[bool]):
    """Removes erased text from large files, for a few minutes at most. The result is whether all of it is removed.

    Events: one of progress, if there is text to remove. A server cleans its files by itself (see bot.maintenance).
    """

    needs_models = False

    async def run(self, application: Application, on_event: EventListener) -> bool:
        if not await has_erased_text(application):
            return True
        on_event(Progress("clean files", 0, None))
        return await clean_files(application)


def find_key(typed: str, keys: Sequence[str]) -> str:
    """Return the space key that equals ``typed`` when case is ignored, "" if there is none."""
    return typed if typed in keys else next((key for key in keys if key.casefold() == typed.casefold()), "")


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
async def _hold(application: Application, keys: Sequence[str]) -> AsyncIterator[None]:
    """Hold the locks of spaces during the block; after a cancellation until the block's threads have ended."""
    async with application.syncing.hold(keys):
        try:
            yield
        except BaseException:
            await application.wait_for_threads()
            raise


def _find_next_due(application: Application, summaries: Sequence[SpaceSummary]) -> dict[str, datetime]:
    return find_next_due(application.settings.schedules, find_last_syncs(summaries), datetime.now(UTC))


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


def _delete_evaluations(directory: DataDirectory) -> None:
    """Delete the indexes of evaluations, which may contain the space. They are rebuilt when needed.

    Raises DataDirectoryInUse while an evaluation runs.
    """
    if directory.evaluations.is_dir():
        for index in directory.evaluations.iterdir():
            if owner := describe_owner(index):
                raise DataDirectoryInUse(
                    f"{index} is in use by {owner}, so nothing was forgotten. Wait until it has ended or stop it, then "
                    "run the command again."
                )
    delete(directory.evaluations)


async def _check_index(
    application: Application,
    part: str,
    find_missing: Callable[[], str],
    keys: Callable[[str], Awaitable[set[str]]],
    summaries: Sequence[SpaceSummary],
) -> Finding:
    """Compare an index with the store, key by key. A missing index is not opened, because that would create it."""
    if missing := await asyncio.to_thread(find_missing):
        return Finding(part, "broken", missing, REBUILD) if summaries else Finding(part, "note", missing, SYNC)
    total, differing = 0, []
    for summary in summaries:
        wanted = {evidence.entry.key for evidence in await application.pages.load_evidences(summary.key)}
        there = await keys(summary.key)
        total += len(wanted)
        if wanted != there:
            lacks, surplus = len(wanted - there), len(there - wanted)
            differing.append(f"{summary.key} lacks {lacks} of {len(wanted)} entries and has {surplus} surplus ones")
    if differing:
        return Finding(part, "broken", "; ".join(differing), REBUILD)
    return Finding(part, "works", f"{total} entries, the same as in the database")
