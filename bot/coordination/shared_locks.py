"""Locks across several bots, stored by :class:`adapters.store.bots.SqlBots`."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TypeVar
from weakref import WeakValueDictionary

from adapters.store.bots import SqlBots
from bot.coordination.bots import SpaceLocks
from core.errors import DatabaseUnavailable, WikiWhyError

T = TypeVar("T")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.03, 0.5  # seconds between two tries to lock what another bot has locked
_SPACE, _ALL_SPACES = "space:", "space:*"

logger = logging.getLogger(__name__)


class SharedLocks:
    """The locks of this bot. Waiting for a lock survives an outage of the database."""

    def __init__(self, store: SqlBots) -> None:
        self._store = store
        self._locks: WeakValueDictionary[str, SharedLock] = WeakValueDictionary()
        self._unlocking: set[str] = set()
        self._one_unlocks = asyncio.Lock()

    def lock(self, name: str) -> SharedLock:
        """Return the lock of this name, which one task of one bot holds at a time."""
        return self._locks.setdefault(name, SharedLock(self, name))

    async def lock_all(self, names: Collection[str]) -> None:
        """Wait until no bot holds any of these locks, and acquire them all."""
        pause = _FIRST_PAUSE
        while not await _wait_for_database(lambda: self._try_to_lock(names)):
            await asyncio.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 - spreads load
            pause = min(pause * 1.5, _LONGEST_PAUSE)

    async def unlock_all(self, names: Collection[str]) -> None:
        """Release these locks; if the database does not answer, as soon as it does."""
        self._unlocking |= {*names}
        try:
            await asyncio.shield(asyncio.ensure_future(self.unlock_rest()))
        except WikiWhyError as error:
            logger.warning("Locks of this bot could not be released yet; the next heartbeat tries again: %s", error)

    async def unlock_rest(self) -> None:
        """Release the locks whose release failed before."""
        if self._unlocking:
            async with self._one_unlocks:  # a second task would release locks that were acquired again since
                names = {*self._unlocking}
                await asyncio.to_thread(self._store.unlock, names)
                self._unlocking -= names

    async def find_locked(self, prefix: str) -> frozenset[str]:
        """Return the names with this prefix that any bot holds."""
        return await _wait_for_database(lambda: asyncio.to_thread(self._store.find_locked, prefix))

    async def _try_to_lock(self, names: Collection[str]) -> bool:
        if self._unlocking & {*names}:
            await self.unlock_rest()
        trying = asyncio.ensure_future(asyncio.to_thread(self._store.lock, names))
        try:
            return await asyncio.shield(trying)
        except BaseException:  # the thread goes on after a cancellation, and after an error the lock may be held
            await asyncio.gather(trying, return_exceptions=True)
            self._unlocking |= {*names}
            raise


class SharedLock:
    """A lock that one task of one bot holds at a time. It also excludes other tasks of this bot."""

    def __init__(self, locks: SharedLocks, name: str) -> None:
        self._locks = locks
        self._names = [name]
        self._here = asyncio.Lock()

    async def __aenter__(self) -> None:
        await self._here.acquire()
        try:
            await self._locks.lock_all(self._names)
        except BaseException:
            self._here.release()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            await self._locks.unlock_all(self._names)
        finally:
            self._here.release()


class SharedSpaceLocks(SpaceLocks):
    """The locks of spaces across all bots."""

    def __init__(self, locks: SharedLocks) -> None:
        super().__init__()
        self._locks = locks

    @asynccontextmanager
    async def hold(self, keys: Collection[str]) -> AsyncIterator[None]:
        names = {f"{_SPACE}{key}" for key in keys}
        async with super().hold(keys), self._hold_everywhere(names):
            yield

    @asynccontextmanager
    async def hold_all(self) -> AsyncIterator[None]:
        async with super().hold_all():
            await self._locks.lock_all([_ALL_SPACES])
            try:
                while await self._locks.find_locked(_SPACE) - {_ALL_SPACES}:  # noqa: ASYNC110 - in a database
                    await asyncio.sleep(_LONGEST_PAUSE)
                yield
            finally:
                await self._locks.unlock_all([_ALL_SPACES])

    @asynccontextmanager
    async def _hold_everywhere(self, names: Collection[str]) -> AsyncIterator[None]:
        while True:
            await self._locks.lock_all(names)
            try:
                # Checked after locking, and hold_all checks for space locks after locking all: one of the two yields.
                if not await self._locks.find_locked(_ALL_SPACES):
                    yield
                    return
            finally:
                await self._locks.unlock_all(names)
            await asyncio.sleep(_LONGEST_PAUSE)


async def _wait_for_database(ask: Callable[[], Awaitable[T]]) -> T:
    """Return the result of ``ask``, repeating it while the database is unavailable."""
    warned = False
    while True:
        try:
            return await ask()
        except DatabaseUnavailable as error:
            if not warned:
                logger.warning("Waiting for the database to acquire a lock: %s", error)
            warned = True
        await asyncio.sleep(_LONGEST_PAUSE)
