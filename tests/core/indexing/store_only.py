"""An indexer without indexes and a database without threads, for tests of what many syncs store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Self, TypeVar

from sqlalchemy import Connection

from adapters.store.database import Database
from core.ports.pages import IndexedPage, PageStore, StaleEntry

T = TypeVar("T")


class StoreOnly:
    """An indexer without indexes."""

    def __init__(self, pages: PageStore) -> None:
        self.pages = pages

    async def put(self, pages: Sequence[IndexedPage], on_embedded: Callable[[int], None]) -> int:
        for _ in pages:  # embedding takes time, in which other tasks may store
            await asyncio.sleep(0)
        await self.pages.replace(pages)
        return 0

    async def drop(self, stale: Sequence[StaleEntry]) -> None:
        return None

    async def clean(self) -> int:
        return 0

    async def has_other_count(self, space: str, evidences: int) -> bool:
        return False

    def defer_tokens(self) -> Self:
        return self

    async def embed(self, pages: Sequence[IndexedPage], on_embedded: Callable[[int], None]) -> None:
        await asyncio.sleep(0)

    async def expect_tokens(self, space: str) -> None:
        """Do nothing: there are no token vectors."""

    async def complete_tokens(self, space: str, new: int, on_embedded: Callable[[int], None]) -> None:
        """Do nothing: there are no token vectors."""


class ImmediateDatabase(Database):
    """A database without threads and without cleaning of files. Several queries see one state."""

    async def run_read(self, work: Callable[[Connection], T]) -> T:
        with self.read() as connection:
            return work(connection)

    async def run_write(self, work: Callable[[Connection], T]) -> T:
        await asyncio.sleep(0)
        with self.write() as connection:
            return work(connection)

    async def scrub(self) -> None:
        return None
