"""Clocks, and the progress of long operations. Core reads no clock itself: callers pass one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from logging import Logger

from cachetools import TTLCache

_MOST_KEYS = 10_000
_WARNING_SECONDS = 60.0

Clock = Callable[[], float]
"""Returns monotonic seconds."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a long operation."""

    stage: str
    done: int
    total: int | None
    detail: Mapping[str, int] = field(default_factory=dict)


ProgressListener = Callable[[Progress], None]


class WarningLog:
    """Logs warnings, at most one a minute per key."""

    def __init__(self, logger: Logger, clock: Clock) -> None:
        self._logger = logger
        self._logged: TTLCache[Hashable, None] = TTLCache(_MOST_KEYS, _WARNING_SECONDS, clock)

    def warn(self, key: Hashable, text: str, *values: object) -> None:
        """Log a warning about the key, unless there was one within a minute."""
        if key not in self._logged:
            self._logged[key] = None
            self._logger.warning(text, *values)


@dataclass(slots=True)
class TokenBucket:
    """Limits the rate of requests: at most ``most`` at once, and ``per_second`` in the long run."""

    most: float
    per_second: float
    clock: Clock
    _tokens: float = field(init=False)
    _counted_at: float = field(init=False)

    def __post_init__(self) -> None:
        self._tokens, self._counted_at = self.most, self.clock()

    def take(self) -> bool:
        """Take a token if there is one; return whether there was."""
        now = self.clock()
        self._tokens = min(self.most, self._tokens + (now - self._counted_at) * self.per_second)
        self._counted_at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
