"""A sync with the cleaning that belongs to it, for commands, chats, schedules and hints."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from adapters.folder.wiki import FolderWiki
from bot.wikis import confluence_for
from bot.wiring import Application, now
from core.indexing.report import SpaceReport
from core.indexing.synchroniser import Synchroniser
from core.ports.wiki import Wiki
from core.timing import ProgressListener


async def sync_spaces(
    application: Application, wiki: Wiki, synchroniser: Synchroniser, keys: Sequence[str], on_progress: ProgressListener
) -> list[SpaceReport]:
    """Syncs these spaces, whose locks the caller holds, then takes old text out of the files."""
    reports = await synchroniser.sync_all(wiki, keys, now(), on_progress)
    await application.vectors.prune()
    changed = any(report.pages.removed or report.pages.updated or report.pages.failed for report in reports)
    if changed or application.database.needs_compaction():  # an earlier sync may have been cut off before it
        # The write-ahead log still has the old text, and so may pages that were split.
        await application.database.scrub()
    return reports


_FOLDER = "folder "  # how the source of a folder's space begins


async def sync_from_anywhere(
    application: Application, keys: Sequence[str], on_progress: ProgressListener
) -> list[SpaceReport]:
    """Syncs spaces, whose locks the caller holds, from their sources; new ones from the Confluence of the settings."""
    sources = {summary.key: summary.source for summary in await application.spaces.summaries()}
    folders = {key: sources[key].removeprefix(_FOLDER) for key in keys if sources.get(key, "").startswith(_FOLDER)}
    reports: list[SpaceReport] = []
    for key, folder in folders.items():
        wiki = FolderWiki(Path(folder))
        reports += await sync_spaces(application, wiki, application.synchroniser(), [key], on_progress)
    if others := [key for key in keys if key not in folders]:
        with closing(confluence_for(application.settings)) as confluence:
            reports += await sync_spaces(application, confluence, application.synchroniser(), others, on_progress)
    return reports
