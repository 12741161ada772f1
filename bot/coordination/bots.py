"""What one bot may do and what it must leave to the others; :class:`OneBot` for files, where there are no others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol
from weakref import WeakValueDictionary

PEOPLE, AUDIENCES, TEXTS = "people", "audiences", "texts"
"""Signals: a person was forgotten; the members of a channel or chat changed; text was erased. Caches of that data are
then dropped.
"""

Lock = AbstractAsyncContextManager[None]


class SpaceLocks:
    """A lock for each space, and one for all spaces: one task at a time changes a space.

    A task acquires all its locks together, once all are free. So a task that waits holds none, and a slow space does
    not delay others.
    """

    def __init__(self) -> None:
        self._held: set[str] = set()
        self._all_held = False
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def hold(self, keys: Collection[str]) -> AsyncIterator[None]:
        """Wait until these spaces are free, and hold their locks during the block."""
        wanted = set(keys)
        async with self._changed:
            await self._changed.wait_for(lambda: not self._all_held and not wanted & self._held)
            self._held |= wanted
        try:
            yield
        finally:
            self._held -= wanted
            await self._notify_waiters()

    @asynccontextmanager
    async def hold_all(self) -> AsyncIterator[None]:
        """Hold the locks of all spaces during the block, including spaces that were never synced."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._all_held and not self._held)
            self._all_held = True
        try:
            yield
        finally:
            self._all_held = False
            await self._notify_waiters()

    async def _notify_waiters(self) -> None:
        async def notify() -> None:
            async with self._changed:
                self._changed.notify_all()

        await asyncio.shield(asyncio.ensure_future(notify()))  # completes even if the holder was cancelled


class Bots(Protocol):
    """This bot's view of all bots on its database."""

    @property
    def executor(self) -> str:
        """The executor id under which DBOS stores the workflows of this bot."""
        ...

    @property
    def are_several(self) -> bool:
        """Whether other bots may share the database."""
        ...

    @property
    def leads(self) -> bool:
        """Whether this bot is the leader, which alone runs schedules, retention and sweeps."""
        ...

    @property
    def was_replaced(self) -> bool:
        """Whether another bot has taken over this bot's work."""
        ...

    @property
    def spaces(self) -> SpaceLocks:
        """The locks to hold while a space is changed."""
        ...

    def lock(self, name: str) -> Lock:
        """Return the lock of this name, which one task of one bot holds at a time."""
        ...

    async def signal(self, name: str) -> None:
        """Run the other bots' :meth:`on_signal` callbacks; if the database does not answer, when it does again."""
        ...

    def on_signal(self, name: str, react: Callable[[], None]) -> None:
        """Call ``react`` whenever another bot gives this signal."""
        ...

    def on_beat(self, react: Callable[[frozenset[str]], Awaitable[None]]) -> None:
        """Call ``react`` about once a second, with the executor ids of all living bots."""
        ...

    async def find_others(self) -> frozenset[str]:
        """Return the executor ids of the other living bots."""
        ...

    async def remove(self, executor: str) -> None:
        """Remove another bot, which then ends."""
        ...

    async def wait(self, seconds: float) -> None:
        """Sleep. Raises BotReplaced as soon as another bot has replaced this one."""
        ...


class OneBot:
    """The only bot on its data. Its executor id is constant, so it continues the workflows of earlier processes."""

    executor = "serve"
    are_several = False
    leads = True
    was_replaced = False

    def __init__(self) -> None:
        self.spaces = SpaceLocks()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def lock(self, name: str) -> Lock:
        return self._locks.setdefault(name, asyncio.Lock())

    async def signal(self, name: str) -> None:
        """Do nothing: there are no other bots."""

    def on_signal(self, name: str, react: Callable[[], None]) -> None:
        """Do nothing: there are no other bots."""

    def on_beat(self, react: Callable[[frozenset[str]], Awaitable[None]]) -> None:
        """Do nothing: there are no other bots."""

    async def find_others(self) -> frozenset[str]:
        return frozenset()

    async def remove(self, executor: str) -> None:
        """Do nothing: there are no other bots."""

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
