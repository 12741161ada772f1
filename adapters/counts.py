"""How often other services refused for now, and were asked again, and how calls of the language model failed.

Counted for the whole process, since clients are made in many places; the server's metrics read the counts.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Literal

Service = Literal["slack", "teams", "confluence", "jira", "model", "embedder"]


class Counts:
    """Counts by name. It may be used from any thread."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def add(self, name: str) -> None:
        """Counts one more."""
        with self._lock:
            self._counts[name] += 1

    def read(self) -> Mapping[str, int]:
        """All counts by name."""
        with self._lock:
            return dict(self._counts)


_RATE_LIMITS, _RETRIES, _MODEL_ERRORS = Counts(), Counts(), Counts()


def note_rate_limit(service: Service) -> None:
    """A service answered 429."""
    _RATE_LIMITS.add(service)


def note_retry(service: Service) -> None:
    """A request to a service is sent again."""
    _RETRIES.add(service)


def note_model_error(error: Exception) -> None:
    """A call of the language model failed in the end. Only the error's type counts."""
    _MODEL_ERRORS.add(type(error).__name__)


def read_rate_limits() -> Mapping[str, int]:
    """By service."""
    return _RATE_LIMITS.read()


def read_retries() -> Mapping[str, int]:
    """By service."""
    return _RETRIES.read()


def read_model_errors() -> Mapping[str, int]:
    """By the error's type."""
    return _MODEL_ERRORS.read()
