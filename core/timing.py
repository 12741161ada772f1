"""What depends on a clock: progress, warnings at most once a minute, rate limits, and a cache of results that expire.

Core reads no clock itself: callers pass one.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field
from logging import Logger
from typing import Generic, TypeVar

from cachetools import TLRUCache, TTLCache

from core.errors import WikiWhyError

T = TypeVar("T")

_MOST_KEYS = 10_000
_WARNING_SECONDS = 60.0
_FAILURE_SECONDS = 60.0

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


@dataclass(frozen=True, slots=True)
class _Entry(Generic[T]):
    expires: float
    value: T | None
    error: WikiWhyError | None = None


class TtlCache(Generic[T]):
    """Caches results, also None, for ``seconds`` since the look-up began, and errors for ``failure_seconds``.

    ``failures``: the class of the errors that are cached; others are raised, and the next request looks up again.
    """

    def __init__(
        self,
        seconds: float,
        clock: Clock,
        failure_seconds: float = _FAILURE_SECONDS,
        failures: type[WikiWhyError] = WikiWhyError,
    ) -> None:
        self._seconds = seconds
        self._failure_seconds = min(seconds, failure_seconds)
        self._failures = failures
        self._clock = clock
        self._entries: TLRUCache[Hashable, _Entry[T]] = TLRUCache(
            math.inf, lambda key, entry, now: entry.expires, clock
        )
        self._running: dict[Hashable, asyncio.Task[_Entry[T]]] = {}
        self._changes = 0

    async def get(self, key: Hashable, look_up: Callable[[], Awaitable[T]]) -> T:
        """Return the cached result, or look it up. Raises the error of the look-up, also a cached one."""
        entry: _Entry[T] | None = self._entries.get(key)
        while entry is None:
            changes = self._changes
            entry = await self._get_fresh(key, look_up)
            if changes != self._changes:  # put or forget was called meanwhile, so the result may be outdated
                entry = self._entries.get(key)
        if entry.error is not None:
            raise entry.error.with_traceback(None)
        return entry.value  # type: ignore[return-value]  # T may be a type with None in it

    def put(self, key: Hashable, value: T) -> None:
        """Store a result that arrived without a look-up. Replaces the cached one and running look-ups."""
        self.forget(key)
        self._entries[key] = _Entry(self._clock() + self._seconds, value)

    def forget(self, *keys: Hashable) -> None:
        """Remove these keys, or all keys. Requests that are waiting for a look-up start a new one."""
        self._changes += 1
        for key in keys or {*self._entries, *self._running}:
            self._entries.pop(key, None)
            self._running.pop(key, None)

    async def _get_fresh(self, key: Hashable, look_up: Callable[[], Awaitable[T]]) -> _Entry[T]:
        task = self._running.get(key)
        if task is None:
            task = asyncio.create_task(self._look_up(key, look_up))
            self._running[key] = task
            task.add_done_callback(lambda done: self._end(key, done))
        # Cancelling one waiter does not cancel the look-up: others may wait for it.
        return await asyncio.shield(task)

    async def _look_up(self, key: Hashable, look_up: Callable[[], Awaitable[T]]) -> _Entry[T]:
        asked = self._clock()  # the result may be as old as that
        try:
            entry = _Entry(asked + self._seconds, await look_up())
        except WikiWhyError as error:
            kept = self._failure_seconds if isinstance(error, self._failures) else 0.0
            entry = _Entry(asked + kept, None, error)
        if self._running.get(key) is asyncio.current_task():  # else the key was forgotten meanwhile
            self._entries[key] = entry
        return entry

    def _end(self, key: Hashable, task: asyncio.Task[_Entry[T]]) -> None:
        if self._running.get(key) is task:
            del self._running[key]
