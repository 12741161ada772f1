"""This bot among others: what it may do, and what it leaves to them. Over files it is the only one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol
from weakref import WeakValueDictionary

from bot.space_locks import SpaceLocks

PEOPLE, AUDIENCES = "people", "audiences"
"""Signals: somebody was forgotten; it has changed who can read somewhere. Whoever caches that drops it."""

Lock = AbstractAsyncContextManager[None]


class Bots(Protocol):
    """What this bot may do, and what it has to leave to others."""

    @property
    def executor(self) -> str:
        """The id by which durable work says who does it."""
        ...

    @property
    def are_several(self) -> bool:
        """Whether there may be others."""
        ...

    @property
    def leads(self) -> bool:
        """Whether this bot does what one alone does: schedules, retention, sweeps."""
        ...

    @property
    def was_replaced(self) -> bool:
        """Whether another bot does this one's work now."""
        ...

    @property
    def spaces(self) -> SpaceLocks:
        """Held while a space is changed."""
        ...

    def lock(self, name: str) -> Lock:
        """Something that one task of one bot does at a time."""
        ...

    def check_may_send(self) -> None:
        """Raises ChatUnavailable where another bot may already be doing this one's work."""
        ...

    async def signal(self, name: str) -> None:
        """Lets all others do what they do :meth:`on_signal`; where the database does not answer, later."""
        ...

    def on_signal(self, name: str, react: Callable[[], None]) -> None:
        """What to do when another bot has given a signal."""
        ...

    def on_beat(self, react: Callable[[frozenset[str]], Awaitable[None]]) -> None:
        """What to do about every second, with the executors of all living bots."""
        ...

    async def find_others(self) -> frozenset[str]:
        """The executors of the other bots that are alive."""
        ...

    async def remove(self, executor: str) -> None:
        """Removes another bot, which then ends."""
        ...

    async def wait(self, seconds: float) -> None:
        """Waits so long. Raises BotReplaced as soon as this bot was."""
        ...


class OneBot:
    """The only bot on its data. Its executor is always the same: it takes up what any one before it left."""

    executor = "serve"
    are_several = False
    leads = True
    was_replaced = False

    def __init__(self) -> None:
        self.spaces = SpaceLocks()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def lock(self, name: str) -> Lock:
        """See :class:`Bots`."""
        return self._locks.setdefault(name, asyncio.Lock())

    def check_may_send(self) -> None:
        """Always."""

    async def signal(self, name: str) -> None:
        """Nobody else is there."""

    def on_signal(self, name: str, react: Callable[[], None]) -> None:
        """Nobody else is there."""

    def on_beat(self, react: Callable[[frozenset[str]], Awaitable[None]]) -> None:
        """Nothing has to be done for others."""

    async def find_others(self) -> frozenset[str]:
        """None."""
        return frozenset()

    async def remove(self, executor: str) -> None:
        """Nobody else is there."""

    async def wait(self, seconds: float) -> None:
        """See :class:`Bots`."""
        await asyncio.sleep(seconds)
