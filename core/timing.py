"""Clocks, and the progress of long operations. Core reads no clock itself: callers pass one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from cachetools import TTLCache

_MOST_KEYS = 10_000

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


class Throttle:
    """Lets something happen at most once in ``seconds`` per key, such as a warning that is logged."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self._taken: TTLCache[Hashable, None] = TTLCache(_MOST_KEYS, seconds, clock)

    def take(self, key: Hashable) -> bool:
        """Return whether it may happen for this key now; then not again for some time."""
        if key in self._taken:
            return False
        self._taken[key] = None
        return True


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
