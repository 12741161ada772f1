"""One of several bots on a PostgreSQL database.

Each says every second that it is alive. One that was silent for :data:`SILENT_SECONDS` is removed by another, which
then takes over its work; from then on the database refuses whatever it still writes, and it ends as soon as it notices.
What leaves for a chat platform cannot be refused by the database: so a bot posts nothing if it did not reach the
database in the last :data:`POSTING_SECONDS`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from adapters.store.bots import Heartbeat, SqlBots
from bot.bots import Lock
from bot.shared_locks import SharedLocks, SharedSpaceLocks
from bot.space_locks import SpaceLocks
from core.errors import BotReplaced, ChatUnavailable, WikiWhyError

BEAT_SECONDS = 1.0
POSTING_SECONDS = 12.0
"""Less than the following by what a platform may take to post a message that it was given."""
SILENT_SECONDS = 20.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds: between two beats; after which nothing is posted without one; after which a bot is removed."""

    beat: float = BEAT_SECONDS
    posting: float = POSTING_SECONDS
    silent: float = SILENT_SECONDS


@dataclass
class OneOfSeveral:
    """One of several bots on a database, as long as :meth:`run` runs. ``store``: has joined."""

    store: SqlBots
    executor: str
    times: Times = field(default_factory=Times)
    are_several = True

    def __post_init__(self) -> None:
        self._locks = SharedLocks(self.store)
        self.spaces: SpaceLocks = SharedSpaceLocks(self._locks)
        self._signals: Mapping[str, int] | None = None
        self._signals_to_give: set[str] = set()
        self._reactions: list[tuple[str, Callable[[], None]]] = []
        self._on_beat: list[Callable[[frozenset[str]], Awaitable[None]]] = []
        self._following: asyncio.Task[None] | None = None
        self._leads = False
        self._is_failing = False
        self._last = self._unbroken_since = seconds_since_boot()
        self._replaced: asyncio.Event = asyncio.Event()
        # Of its own: the server's threads may all be busy for seconds.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="beat")

    @property
    def leads(self) -> bool:
        return self._leads and self._is_current()

    @property
    def was_replaced(self) -> bool:
        return self.store.was_replaced

    def lock(self, name: str) -> Lock:
        """See :class:`Bots`."""
        return self._locks.lock(name)

    def find_problem(self) -> str:
        """Why this bot is not ready, "" if it is."""
        if self.was_replaced:
            return "replaced by another bot"
        return "" if self._is_current() else "not in reach of the database"

    def check_may_send(self) -> None:
        """See :class:`Bots`."""
        if not self._is_current():
            raise ChatUnavailable("This bot does not reach the database, so another one may be doing its work.")

    async def signal(self, name: str) -> None:
        """See :class:`Bots`."""
        self._signals_to_give.add(name)
        try:
            await self._give_signals()
        except WikiWhyError as error:  # what it is about has been done, and must not fail for this
            logger.warning("Other bots are told of a change of %s later: %s", name, error)

    def on_signal(self, name: str, react: Callable[[], None]) -> None:
        """See :class:`Bots`."""
        self._reactions.append((name, react))

    def on_beat(self, react: Callable[[frozenset[str]], Awaitable[None]]) -> None:
        """See :class:`Bots`."""
        self._on_beat.append(react)

    async def find_others(self) -> frozenset[str]:
        """See :class:`Bots`."""
        return await asyncio.to_thread(self.store.find_living) - {self.executor}

    async def remove(self, executor: str) -> None:
        """See :class:`Bots`."""
        await asyncio.to_thread(self.store.remove, executor)

    async def wait(self, seconds: float) -> None:
        """See :class:`Bots`."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._replaced.wait(), seconds)
            raise BotReplaced(
                "Another bot has taken over the work of this one, or a command has taken the database, for this "
                "bot did not reach it for a while, or was started twice. It ends; start it again."
            )

    async def run(self) -> None:
        """Beats until cancelled, or until this bot was replaced."""
        try:
            while True:
                began = seconds_since_boot()
                try:
                    await self._beat(began)
                except BotReplaced:
                    self._replaced.set()
                    return
                except Exception as error:  # of whatever kind: without a beat nothing is sent, and later the bot ends
                    self._note_failure(f"This bot cannot say that it is alive: {error}")
                await asyncio.sleep(max(self.times.beat - (seconds_since_boot() - began), 0.05))
        finally:
            if self._following:
                self._following.cancel()

    def leave(self) -> None:
        """Lets another bot take over at once what is under way."""
        with suppress(WikiWhyError):
            self.store.remove(self.executor)
        self._thread.shutdown(wait=False)

    async def _beat(self, began: float) -> None:
        loop = asyncio.get_running_loop()
        beat: Heartbeat = await loop.run_in_executor(self._thread, self.store.write_heartbeat)
        if began - self._last > self.times.posting:
            self._unbroken_since = began
        self._last, self._leads = began, beat.leads
        self._react(beat.signals)
        await self._locks.unlock_rest()
        await self._give_signals()
        # After a break that was the database's, the others have to have time to say that they are alive.
        if began - self._unbroken_since >= self.times.silent:
            removed = await loop.run_in_executor(self._thread, self.store.remove_silent, self.times.silent)
            if removed:
                logger.warning("%d other bots did not say that they are alive; their work is taken over.", len(removed))
        if self._following is None or self._following.done():  # it may wait for what takes longer than a beat may
            self._following = asyncio.create_task(self._follow(beat.living))

    async def _give_signals(self) -> None:
        for name in [*self._signals_to_give]:
            self._signals_to_give.discard(name)  # before: one that is given meanwhile is not lost
            try:
                await asyncio.to_thread(self.store.signal, name)
            except BaseException:
                self._signals_to_give.add(name)
                raise

    async def _follow(self, living: frozenset[str]) -> None:
        for react in self._on_beat:
            try:
                await react(living)
            except Exception as error:  # of whatever kind: the next beat tries it again
                self._note_failure(f"What other bots need of this one cannot be done: {error}")
                return
        self._is_failing = False

    def _note_failure(self, what: str) -> None:
        """Logs the first of many."""
        if not self._is_failing:
            logger.warning("%s It is tried again every second.", what)
        self._is_failing = True

    def _react(self, signals: Mapping[str, int]) -> None:
        before = signals if self._signals is None else self._signals
        self._signals = signals
        for name, react in self._reactions:
            if signals.get(name, 0) != before.get(name, 0):
                react()

    def _is_current(self) -> bool:
        return not self.was_replaced and seconds_since_boot() - self._last < self.times.posting


def seconds_since_boot() -> float:
    """Monotonic seconds that also count while the machine sleeps or is paused, where the system tells."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)
