"""Locks of spaces: each is changed by one task at a time, and a slow space does not delay the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager


class SpaceLocks:
    """A lock for each space, and one for all of them.

    Several are acquired together, when all are free: a task that waits for one holds none.
    """

    def __init__(self) -> None:
        self._held: set[str] = set()
        self._all_held = False
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def hold(self, keys: Collection[str]) -> AsyncIterator[None]:
        """Holds the locks of these spaces, once all are free."""
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
        """Holds the locks of all spaces, also of those that are not synced yet."""
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

        await asyncio.shield(asyncio.ensure_future(notify()))  # also where the holder was cancelled
