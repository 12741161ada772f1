"""Who works on which space: one at a time for each, so that a slow space keeps nobody from working on another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager


class SpaceLocks:
    """A lock for each space, and one for all of them.

    Several are taken at once, when all are free: who waits for one holds none.
    """

    def __init__(self) -> None:
        self._held: set[str] = set()
        self._all_held = False
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def hold(self, keys: Collection[str]) -> AsyncIterator[None]:
        """Holds the locks of these spaces; waits until nobody holds one of them."""
        wanted = set(keys)
        async with self._changed:
            await self._changed.wait_for(lambda: not self._all_held and not wanted & self._held)
            self._held |= wanted
        try:
            yield
        finally:
            self._held -= wanted
            await self._tell()

    @asynccontextmanager
    async def hold_all(self) -> AsyncIterator[None]:
        """Holds the locks of all spaces, also of those that nobody knows yet."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._all_held and not self._held)
            self._all_held = True
        try:
            yield
        finally:
            self._all_held = False
            await self._tell()

    def is_held(self, key: str) -> bool:
        """Whether somebody works on this space now."""
        return self._all_held or key in self._held

    def is_locked(self) -> bool:
        """Whether somebody works on any space now."""
        return self._all_held or bool(self._held)

    async def _tell(self) -> None:
        async def notify() -> None:
            async with self._changed:
                self._changed.notify_all()

        await asyncio.shield(asyncio.ensure_future(notify()))  # also where who held them was cancelled
