"""Removing what is too old, taking erased text out of the files, and writing down what was erased.

Small files are rewritten by what erases (see :mod:`adapters.index.lexical_erasure` and
:meth:`adapters.store.database.Database.scrub`). Large ones are cleaned later: by :func:`tend_files_regularly` while a
server runs, else by the command that erased something.
"""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import UTC, datetime, timedelta

from bot.audit import SCHEDULE, act_as, record_action
from bot.wiring import Application

KEYS_DAYS = 7
"""Days that the keys of our messages are kept at least: a platform repeats an event for a day at most."""

CLEANING_SECONDS = 120.0
"""How long one command merges a large full-text index. The next one continues where it stopped."""

CLEANING_STEPS = 20
"""Steps of merging between two checks of the time; Ctrl-C waits for as many."""

_PAUSE_SECONDS = 0.05  # between two steps of removing: questions come first
_UPKEEP_SECONDS = 60.0
_RETENTION_SECONDS = 24 * 3600.0
_FOLLOWER_SECONDS = 5.0  # after which a bot looks whether it leads now
_UPKEEP_STEPS = 200  # of merging between two pauses
_NIGHT = range(2, 5)  # hours of local time in which large files are rewritten: writers wait meanwhile

logger = logging.getLogger(__name__)


async def remove_old(application: Application, now: datetime) -> int:
    """Removes turns, messages around them and audit entries that are older than the settings keep them.

    ``now``: aware. Returns the number of rows. After an interruption the next call continues.
    """
    settings = application.settings
    removed = 0
    days = settings.retention_days
    before, posts_before = _days_before(now, days), _days_before(now, max(days, KEYS_DAYS))
    if days and await application.retention.has_some(before, posts_before):
        async with record_action(application.audit, "remove_old_turns", f"before {before}"):
            while some := await application.retention.remove_some(before, posts_before):
                removed += some
                await asyncio.sleep(_PAUSE_SECONDS)
    if settings.audit_days:
        removed += await application.audit.remove_before(_days_before(now, settings.audit_days))
    return removed


def _days_before(moment: datetime, days: int) -> str:
    """As the store writes moments, so that they compare as text."""
    return (moment - timedelta(days=days)).astimezone(UTC).isoformat(timespec="seconds")


async def has_erased_text(application: Application) -> bool:
    """Whether erased text may still be in a file."""
    return application.database.needs_compaction() or await application.lexical.needs_compaction()


async def clean_files(application: Application) -> bool:
    """Merges the full-text index for a while, then rewrites the files; whether no erased text is left.

    A file is rewritten in one go: some seconds for each GB. An index that is not merged yet is not rewritten.
    """
    deadline = time.monotonic() + CLEANING_SECONDS
    while not (merged := await application.lexical.tidy(CLEANING_STEPS)) and time.monotonic() < deadline:
        pass
    if merged:
        await application.lexical.compact()
    await application.database.compact()
    return not await has_erased_text(application)


async def remove_old_daily(application: Application) -> None:
    """What a server does when it starts and once a day, until cancelled; of several bots the leader."""
    while True:
        if not application.bots.leads:
            await asyncio.sleep(_FOLLOWER_SECONDS)
            continue
        try:
            with act_as(SCHEDULE):
                removed = await remove_old(application, datetime.now(UTC))
            if removed:
                logger.info("%d entries that are older than the settings keep them were removed.", removed)
        except Exception:  # of whatever kind: the next day takes what this one left
            logger.exception("What is too old could not be removed; that is tried again.")
        await asyncio.sleep(_RETENTION_SECONDS)


async def tend_files_regularly(application: Application) -> None:
    """What a server does with the files of the database and the full-text index, until cancelled."""
    while True:
        await asyncio.sleep(_UPKEEP_SECONDS)
        try:
            await tend_files(application, datetime.now().astimezone().hour in _NIGHT)
        except Exception:  # of whatever kind, as a full disk: the next turn may succeed
            logger.exception("Erased text could not be taken out of the files; it is tried again.")
        try:
            await asyncio.to_thread(application.erasure_log.write)
        except Exception:
            logger.exception("What was erased could not be written to the erasure log; it is tried again.")


async def tend_files(application: Application, may_rewrite: bool) -> None:
    """Merges some of the full-text index and empties logs; where large files may be rewritten, those that need it."""
    await application.lexical.tidy(_UPKEEP_STEPS)
    await application.database.empty_log()  # a reader may have kept the last sync from it
    if may_rewrite and await application.lexical.compact():
        logger.info("The full-text index was compacted: nothing of removed pages is left in its file.")
    if may_rewrite and await application.database.compact():
        logger.info("The database was compacted: nothing of removed pages is left in its file.")
