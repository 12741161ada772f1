"""Times as people say them: how long ago, and how long until."""

from __future__ import annotations

from datetime import datetime, timedelta

from core.i18n import Value, message

_MINUTE = timedelta(minutes=1)


def ago(moment: datetime, now: datetime) -> Value:
    """``just now``, ``5 minutes ago``, ``3 days ago``."""
    return moment - now if now - moment >= _MINUTE else message("just now")


def until(moment: datetime, now: datetime) -> Value:
    """``now``, ``in less than a minute``, ``in 5 minutes``, ``in 3 days``."""
    if moment <= now:
        return message("now")
    return moment - now if moment - now >= _MINUTE else message("in less than a minute")
