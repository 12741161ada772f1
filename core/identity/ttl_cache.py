"""What was looked up, for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from core.errors import WikiWhyError
from core.timing import Clock

T = TypeVar("T")

_FAILURE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _Kept(Generic[T]):
    until: float
    value: T | None
    error: WikiWhyError | None = None


class TtlCache(Generic[T]):
    """Answers by key for ``seconds`` after they were asked for, "none" among them; failures for ``failure_seconds``.

    Whoever asks meanwhile waits for the same look-up.
    """

    def __init__(self, seconds: float, clock: Clock, failure_seconds: float = _FAILURE_SECONDS) -> None:
        self._seconds = seconds
        self._failure_seconds = min(seconds, failure_seconds)
        self._clock = clock
        self._kept: dict[Hashable, _Kept[T]] = {}
        self._running: dict[Hashable, asyncio.Task[_Kept[T]]] = {}
        self._changes = 0

    async def get(self, key: Hashable, look_up: Callable[[], Awaitable[T]]) -> T:
        """The answer that is kept, else a fresh one. Raises what the look-up raised."""
        kept = self._kept.get(key)
        while kept is None or self._clock() >= kept.until:
            changes = self._changes
            kept = await self._fresh(key, look_up)
            if changes == self._changes:
                break
            kept = self._kept.get(key)  # something changed meanwhile, and the answer may be older
        if kept.error is not None:
            raise kept.error.with_traceback(None)
        return kept.value  # type: ignore[return-value]  # T may be a type with None in it

    def put(self, key: Hashable, value: T) -> None:
        """Keeps an answer that came by itself, in place of the one before and of look-ups under way."""
        self.forget(key)
        self._kept[key] = _Kept(self._clock() + self._seconds, value)

    def forget(self, *keys: Hashable) -> None:
        """Asks again next time, for these keys or for all; also whoever waits for a look-up now asks again."""
        self._changes += 1
        for key in keys or {*self._kept, *self._running}:
            self._kept.pop(key, None)
            self._running.pop(key, None)

    async def _fresh(self, key: Hashable, look_up: Callable[[], Awaitable[T]]) -> _Kept[T]:
        task = self._running.get(key)
        if task is None:
            task = asyncio.create_task(self._look_up(key, look_up))
            self._running[key] = task
            task.add_done_callback(lambda done: self._ended(key, done))
        # Others may wait for it too, so that one of them going away must not end it.
        return await asyncio.shield(task)

    async def _look_up(self, key: Hashable, look_up: Callable[[], Awaitable[T]]) -> _Kept[T]:
        # From when it was asked: the answer may be as old as that.
        asked = self._clock()
        try:
            kept = _Kept(asked + self._seconds, await look_up())
        except WikiWhyError as error:
            kept = _Kept(asked + self._failure_seconds, None, error)
        self._kept = {other: each for other, each in self._kept.items() if self._clock() < each.until}
        if self._running.get(key) is asyncio.current_task():  # else it was to be forgotten meanwhile
            self._kept[key] = kept
        return kept

    def _ended(self, key: Hashable, task: asyncio.Task[_Kept[T]]) -> None:
        if self._running.get(key) is task:
            del self._running[key]
