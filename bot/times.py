"""Times as people say them: how long ago, and how long until."""

from __future__ import annotations

from datetime import datetime

_UNITS = (("day", 86400), ("hour", 3600), ("minute", 60))


def ago(moment: datetime, now: datetime) -> str:
    """``just now``, ``5 minutes ago``, ``3 days ago``."""
    seconds = (now - moment).total_seconds()
    return "just now" if seconds < 60 else f"{_span(seconds)} ago"


def until(moment: datetime, now: datetime) -> str:
    """``now``, ``in less than a minute``, ``in 5 minutes``, ``in 3 days``."""
    seconds = (moment - now).total_seconds()
    if seconds <= 0:
        return "now"
    return "in less than a minute" if seconds < 60 else f"in {_span(seconds)}"


def _span(seconds: float) -> str:
    """The largest unit of which there are two, else the smaller: 90 minutes say more than 1 hour."""
    name, size = next(((name, size) for name, size in _UNITS if seconds >= 2 * size), _UNITS[-1])
    count = int(seconds // size)
    return f"{count} {name}{'' if count == 1 else 's'}"
