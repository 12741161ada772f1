"""The pause before a request is repeated: the one that the server asks for, or exponential backoff."""

from __future__ import annotations

import email.utils
import math
import random
from collections.abc import Mapping
from datetime import UTC, datetime


def compute_pause(tries: int, first: float, longest: float) -> float:
    """Return the seconds to wait after ``tries`` attempts (at least 1): doubled each time, with half of it random.

    The random part spreads clients that were refused at the same time.
    """
    whole = min(longest, first * 2.0 ** min(tries - 1, 30))
    return whole * random.uniform(0.5, 1)  # noqa: S311  # no secret


def read_retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that the server asks to wait, None if it does not ask.

    ``Retry-After`` has seconds or a date, ``Retry-After-Ms`` (of OpenAI and Azure) milliseconds. If both are missing,
    ``X-RateLimit-Reset`` of Confluence Cloud has an ISO time:
    https://developer.atlassian.com/cloud/confluence/rate-limiting/
    """
    for name, unit in (("Retry-After-Ms", 1000), ("Retry-After", 1)):
        value = headers.get(name, "").strip()
        try:
            seconds = float(value) / unit
        except ValueError:
            moment = _parse_http_date(value)
            seconds = (moment - now).total_seconds() if moment else math.nan
        if math.isfinite(seconds):
            return max(0.0, seconds)
    if headers.get("Retry-After"):
        return None
    moment = _parse_iso_date(headers.get("X-RateLimit-Reset", "").strip())
    return max(0.0, (moment - now).total_seconds()) if moment else None


def _parse_http_date(text: str) -> datetime | None:
    try:
        return _convert_to_utc(email.utils.parsedate_to_datetime(text))
    except (TypeError, ValueError):
        return None


def _parse_iso_date(text: str) -> datetime | None:
    try:
        return _convert_to_utc(datetime.fromisoformat(text))
    except ValueError:
        return None


def _convert_to_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
