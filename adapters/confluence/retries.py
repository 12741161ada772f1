"""How long to wait before another try."""

from __future__ import annotations

import email.utils
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Retries:
    """Seconds to wait before another try, and when to give up.

    An overloaded server is asked again until one request has waited ``budget`` seconds in all; what failed otherwise
    is tried ``attempts`` times.
    """

    first: float = 1.0
    longest: float = 60.0
    budget: float = 600.0
    attempts: int = 4

    def backoff(self, tries: int) -> float:
        """The wait after so many tries, at least 1: twice as long each time, of which half is left to chance.

        Chance keeps clients apart that were turned away together.
        """
        whole = min(self.longest, self.first * 2.0 ** min(tries - 1, 30))
        return whole * random.uniform(0.5, 1)  # noqa: S311  # no secret


def read_retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that the server asks to wait, None if it does not say.

    ``Retry-After`` is seconds or a date; Cloud's ``X-RateLimit-Reset``, an ISO time, stands where it is missing:
    https://developer.atlassian.com/cloud/confluence/rate-limiting/
    """
    after = headers.get("Retry-After", "").strip()
    if after:
        try:
            seconds = float(after)
        except ValueError:
            return _until(_http_date(after), now)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    return _until(_iso_date(headers.get("X-RateLimit-Reset", "").strip()), now)


def _until(moment: datetime | None, now: datetime) -> float | None:
    if moment is None:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _http_date(text: str) -> datetime | None:
    try:
        return email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None


def _iso_date(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
