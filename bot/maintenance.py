"""Removing what is too old, and taking erased text out of the files.

Small files are rewritten by what erases (see :mod:`adapters.index.lexical_erasure` and
:meth:`adapters.store.database.Database.scrub`). Large ones are cleaned later: by :mod:`bot.server.upkeep` while a
server runs, else by the command that erased something.
"""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta

from bot.audit import record_action
from bot.wiring import Application

KEYS_DAYS = 7
"""Days that the keys of our messages are kept at least: a platform repeats an event for a day at most."""

CLEANING_SECONDS = 120.0
"""How long one command merges a large full-text index. The next one continues where it stopped."""

CLEANING_STEPS = 20
"""Steps of merging between two checks of the time; Ctrl-C waits for as many."""

_PAUSE_SECONDS = 0.05  # between two steps of removing: questions come first


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
