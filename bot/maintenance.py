"""Retention, removing erased text from the files, and writing the erasure log.

The operation that erases also rewrites small files (see :mod:`adapters.index.lexical_blocks` and
:meth:`adapters.store.database.Database.scrub`). Large files are cleaned later: by :func:`clean_files_regularly` in a
server, else by the command that erased something.
"""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import UTC, datetime, timedelta

from bot.audit import SCHEDULE, act_as, record_action
from bot.wiring import Application
from core.ports.pages import StaleEntry

KEYS_DAYS = 7
"""Minimum days for which the keys of posts are kept. A platform repeats an event for one day at most."""

CLEANING_SECONDS = 120.0
"""Seconds for which one command merges a large full-text index. The next command continues."""

CLEANING_STEPS = 20
"""Merge steps between two checks of the time. Ctrl-C takes effect after them."""

_PAUSE_SECONDS = 0.05  # between two removal steps, so that questions are not delayed
_UPKEEP_SECONDS = 60.0
_RETENTION_SECONDS = 24 * 3600.0
_FOLLOWER_SECONDS = 5.0  # between two checks whether this bot leads
_UPKEEP_STEPS = 50  # merges between two pauses, each about 0.1 s of processor time
_NIGHT = range(2, 5)  # local hours in which large files are rewritten, because writers have to wait for it

logger = logging.getLogger(__name__)


async def remove_old(application: Application, now: datetime) -> int:
    """Remove turns with their messages, and audit entries, that are older than the settings allow.

    ``now``: timezone-aware. Returns the number of removed rows. After an interruption the next call continues.
    """
    settings = application.settings
    removed = 0
    days = settings.retention_days
    before, posts_before = _subtract_days(now, days), _subtract_days(now, max(days, KEYS_DAYS))
    if days and await application.retention.has_some(before, posts_before):
        async with record_action(application.audit, "remove_old_turns", f"before {before}"):
            while some := await application.retention.remove_some(before, posts_before):
                removed += some
                await asyncio.sleep(_PAUSE_SECONDS)
            await application.forget_texts()
    if settings.audit_days:
        removed += await application.audit.remove_before(_subtract_days(now, settings.audit_days))
    return removed


async def remove_old_unless_clock_is_wrong(application: Application, now: datetime) -> int:
    """Run :func:`remove_old` if something was recorded within the time that is kept, but for the last day.

    Otherwise nothing may have happened for so long, or the clock is ahead, and then all would be lost. The audit log
    records that nothing was removed. A day later, that entry counts as something recorded.
    """
    settings = application.settings
    days = min(filter(None, (settings.retention_days, settings.audit_days)), default=0)
    before = _subtract_days(now, days)
    if not days or not await application.retention.has_recorded("", before):
        return await remove_old(application, now)
    if await application.retention.has_recorded(before, _subtract_days(now, 1)):
        return await remove_old(application, now)
    logger.warning("Retention removes nothing today: everything recorded is older than %s. Is the clock right?", before)
    number = await application.audit.begin(_subtract_days(now, 0), SCHEDULE, "remove_old_turns", f"before {before}")
    await application.audit.end(number, "refused", _subtract_days(now, 0))
    return 0


def _subtract_days(moment: datetime, days: int) -> str:
    """Return the time in the store's format, so that times compare as text."""
    return (moment - timedelta(days=days)).astimezone(UTC).isoformat(timespec="seconds")


async def has_erased_text(application: Application) -> bool:
    """Whether erased text may still be in a file."""
    if await _list_entries_of_forgotten_spaces(application):
        return True
    return application.database.needs_compaction() or await application.lexical.needs_compaction()


async def _list_entries_of_forgotten_spaces(application: Application) -> list[StaleEntry]:
    """Return what is in the indexes of spaces whose removal was killed. No sync of these spaces would remove it."""
    keys = await application.spaces.load_keys()
    return [entry for entry in await application.stale.list_entries() if entry.space not in keys]


async def clean_files(application: Application) -> bool:
    """Merge the full-text index for up to CLEANING_SECONDS, then rewrite the files. Return whether all text is gone.

    Rewriting a file takes some seconds per GB and cannot be paused. An index that is not merged yet is not rewritten.
    """
    await application.indexer.drop(await _list_entries_of_forgotten_spaces(application))
    deadline = time.monotonic() + CLEANING_SECONDS
    while not (merged := await application.lexical.tidy(CLEANING_STEPS)) and time.monotonic() < deadline:
        pass
    if merged:
        await application.lexical.compact()
    await application.database.compact()
    return not await has_erased_text(application)


async def remove_old_daily(application: Application) -> None:
    """Run :func:`remove_old` at the start of a server and then daily, until cancelled. Only the leader does it."""
    while True:
        if not application.bots.leads:
            await asyncio.sleep(_FOLLOWER_SECONDS)
            continue
        try:
            with act_as(SCHEDULE):
                removed = await remove_old_unless_clock_is_wrong(application, datetime.now(UTC))
            if removed:
                logger.info("Retention removed %d entries.", removed)
        except Exception:  # the next run removes what this one left
            logger.exception("Retention failed. It is tried again in a day.")
        await asyncio.sleep(_RETENTION_SECONDS)


async def clean_files_regularly(application: Application) -> None:
    """Clean the files of the database and the full-text index, and write the erasure log, until cancelled."""
    while True:
        await asyncio.sleep(_UPKEEP_SECONDS)
        try:
            await clean_files_partly(application, datetime.now().astimezone().hour in _NIGHT)
        except Exception:  # for example a full disk; the next try may succeed
            logger.exception("Erased text could not be removed from the files. It is tried again in a minute.")
        try:
            await asyncio.to_thread(application.erasure_log.write)
        except Exception:
            logger.exception("The erasure log could not be written. It is tried again in a minute.")


async def clean_files_partly(application: Application, may_rewrite: bool) -> None:
    """Merge a part of the full-text index and empty the logs. With ``may_rewrite``, rewrite large files if needed.

    First remove from the indexes what is left of forgotten spaces.
    """
    if left := await _list_entries_of_forgotten_spaces(application):
        await application.indexer.drop(left)
    await application.lexical.tidy(_UPKEEP_STEPS)
    await application.database.empty_log()  # a reader may have prevented this at the end of the last sync
    if may_rewrite and await application.lexical.compact():
        logger.info("The full-text index was compacted: its file has no text of removed pages any more.")
    if may_rewrite and await application.database.compact():
        logger.info("The database was compacted: its file has no text of removed pages any more.")
