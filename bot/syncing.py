"""A sync with all that belongs to it, whoever asks for it: a person, a schedule or a hint."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.wiring import Application, now
from core.indexing.report import SpaceReport
from core.indexing.synchroniser import Synchroniser
from core.ports import ProgressListener, SpaceSummary, Wiki


async def sync_spaces(
    application: Application, wiki: Wiki, synchroniser: Synchroniser, keys: Sequence[str], on_progress: ProgressListener
) -> list[SpaceReport]:
    """Syncs these spaces, then takes old text out of the files. Raises what the sync raises."""
    reports = await synchroniser.sync_all(wiki, keys, now(), on_progress)
    await application.vectors.prune()
    if any(report.pages.removed or report.pages.updated for report in reports):
        # The write-ahead log still has the old text, and so may pages that were split.
        await application.database.scrub(vacuum=True)
    return reports


def last_syncs(summaries: Sequence[SpaceSummary]) -> dict[str, datetime]:
    """Space key to the end of its last complete sync, for :func:`bot.schedules.due`; without those that had none."""
    return {summary.key: moment(summary.synced_at) for summary in summaries if summary.synced_at}


def moment(iso: str) -> datetime:
    """An aware moment from ISO 8601; without a zone it is UTC."""
    parsed = datetime.fromisoformat(iso)
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
