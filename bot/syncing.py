"""A sync with all that belongs to it, whoever asks for it: a person, a schedule or a hint."""

from __future__ import annotations

from collections.abc import Sequence

from bot.wiring import Application, now
from core.indexing.report import SpaceReport
from core.indexing.synchroniser import Synchroniser
from core.ports import ProgressListener, Wiki


async def sync_spaces(
    application: Application, wiki: Wiki, synchroniser: Synchroniser, keys: Sequence[str], on_progress: ProgressListener
) -> list[SpaceReport]:
    """Syncs these spaces, then takes old text out of the files. Raises what the sync raises."""
    reports = await synchroniser.sync_all(wiki, keys, now(), on_progress)
    await application.vectors.prune()
    if any(report.pages.removed or report.pages.updated or report.pages.failed for report in reports):
        # The write-ahead log still has the old text, and so may pages that were split.
        await application.database.scrub(vacuum=True)
    return reports
