"""Removing what is older than the settings keep it: once a day in a server, and with `wikiwhy sync due`."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from bot.audit import record_action
from bot.wiring import Application

KEYS_DAYS = 7
"""Days that the keys of our messages are kept at least: a platform repeats an event for a day at most."""

_STEP_PAUSE_SECONDS = 0.05  # between two steps: questions come first


async def remove_old(application: Application, now: datetime) -> int:
    """Removes turns, what was said around them and audit entries that are too old at an aware moment.

    Returns how many rows. It goes on where one that was cut off stopped.
    """
    settings = application.settings
    removed = 0
    before, posts_before = _moments(now, settings.retention_days)
    if settings.retention_days and await application.retention.has_some(before, posts_before):
        async with record_action(application.audit, "remove_old_turns", f"before {before}"):
            while some := await application.retention.remove_some(before, posts_before):
                removed += some
                await asyncio.sleep(_STEP_PAUSE_SECONDS)
    if settings.audit_days:
        removed += await application.audit.remove_before(_iso(now - timedelta(days=settings.audit_days)))
    return removed


def _moments(now: datetime, days: int) -> tuple[str, str]:
    return _iso(now - timedelta(days=days)), _iso(now - timedelta(days=max(days, KEYS_DAYS)))


def _iso(moment: datetime) -> str:
    """As the store writes moments, so that they compare as text."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")
