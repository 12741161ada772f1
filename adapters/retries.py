"""Requests to other services that are refused or fail: the pause before they are repeated, and counts for the metrics.

The counts are global to the process, because clients are created in many places. The server's metrics read them.
"""

from __future__ import annotations

import email.utils
import math
import random
import threading
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

Service = Literal["slack", "teams", "confluence", "jira", "model", "embedder"]


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


class Counts:
    """Counts by name. Thread-safe."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def add(self, name: str) -> None:
        """Increment a count."""
        with self._lock:
            self._counts[name] += 1

    def read(self) -> Mapping[str, int]:
        """Return all counts by name."""
        with self._lock:
            return dict(self._counts)


_RATE_LIMITS, _RETRIES, _MODEL_ERRORS = Counts(), Counts(), Counts()


def note_rate_limit(service: Service) -> None:
    """Count that a service answered 429."""
    _RATE_LIMITS.add(service)


def note_retry(service: Service) -> None:
    """Count that a request to a service is repeated."""
    _RETRIES.add(service)


def note_model_error(error: Exception) -> None:
    """Count that a call of the language model failed after all retries, by the error's type."""
    _MODEL_ERRORS.add(type(error).__name__)


def read_rate_limits() -> Mapping[str, int]:
    """Return counts by service."""
    return _RATE_LIMITS.read()


def read_retries() -> Mapping[str, int]:
    """Return counts by service."""
    return _RETRIES.read()


def read_model_errors() -> Mapping[str, int]:
    """Return counts by the error's type."""
    return _MODEL_ERRORS.read()
