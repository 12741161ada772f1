"""Counts of rate limits and retries of other services, and of failed calls of the language model.

The counts are global to the process, because clients are created in many places. The server's metrics read them.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Literal

Service = Literal["slack", "teams", "confluence", "jira", "model", "embedder"]


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
