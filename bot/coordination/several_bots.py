"""One of several bots on a PostgreSQL database.

Each bot writes a heartbeat every second. Another bot removes one that was silent for :data:`SILENT_SECONDS`, and takes
over its work. From then on the database rejects every write of the removed bot, which ends as soon as it notices. The
database cannot reject what a bot sends to a chat platform, so a bot sends nothing unless it reached the database in the
last :data:`POSTING_SECONDS`.
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
from bot.coordination.bots import Lock, SpaceLocks
from bot.coordination.shared_locks import SharedLocks, SharedSpaceLocks
from core.errors import BotReplaced, ChatUnavailable, WikiWhyError

BEAT_SECONDS = 1.0
POSTING_SECONDS = 12.0
"""Below SILENT_SECONDS by the time a chat platform may take to post a message that it received."""
SILENT_SECONDS = 20.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Times:
    """In seconds. ``beat``: between two heartbeats. Without a heartbeat for ``posting``, a bot sends nothing; without
    one for ``silent``, it is removed.
    """

    beat: float = BEAT_SECONDS
    posting: float = POSTING_SECONDS
    silent: float = SILENT_SECONDS


@dataclass
class OneOfSeveral:
    """One of several bots on a database (:class:`bot.coordination.bots.Bots`), while :meth:`run` runs.

    ``store``: must have joined.
    """

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
        self._last = self._unbroken_since = read_seconds_since_boot()
        self._replaced: asyncio.Event = asyncio.Event()
        # A thread of its own, since all threads of the server may be busy for seconds.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="beat")

    @property
    def leads(self) -> bool:
        return self._leads and self._is_current()

    @property
    def was_replaced(self) -> bool:
        return self.store.was_replaced

    def lock(self, name: str) -> Lock:
        return self._locks.lock(name)

    def find_problem(self) -> str:
        """Return why this bot is not ready, "" if it is."""
        if self.was_replaced:
            return "replaced by another bot"
        return "" if self._is_current() else "no connection to the database"

    def check_may_send(self) -> None:
        """Raise ChatUnavailable if another bot may already be doing this bot's work."""
        if not self._is_current():
            raise ChatUnavailable("This bot cannot reach the database, so another bot may be doing its work.")

    async def signal(self, name: str) -> None:
        self._signals_to_give.add(name)
        try:
            await self._give_signals()
        except WikiWhyError as error:  # the change itself succeeded, and the next heartbeat gives the signal again
            logger.warning("Other bots will be told later about a change of %s: %s", name, error)

    def on_signal(self, name: str, react: Callable[[], None]) -> None:
        self._reactions.append((name, react))

    def on_beat(self, react: Callable[[frozenset[str]], Awaitable[None]]) -> None:
        self._on_beat.append(react)

    async def find_others(self) -> frozenset[str]:
        return await asyncio.to_thread(self.store.find_living) - {self.executor}

    async def remove(self, executor: str) -> None:
        await asyncio.to_thread(self.store.remove, executor)

    async def wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._replaced.wait(), seconds)
            raise BotReplaced(
                "Another bot has taken over this bot's work, or a command has taken the database, because this bot "
                "could not reach the database for a while or was started twice. This bot ends now. Start it again."
            )

    async def run(self) -> None:
        """Write heartbeats until cancelled, or until this bot is replaced."""
        try:
            while True:
                began = read_seconds_since_boot()
                try:
                    await self._beat(began)
                except BotReplaced:
                    self._replaced.set()
                    return
                except Exception as error:  # without heartbeats nothing is sent, and later the bot ends
                    self._note_failure(f"The heartbeat of this bot could not be written: {error}")
                await asyncio.sleep(max(self.times.beat - (read_seconds_since_boot() - began), 0.05))
        finally:
            if self._following:
                self._following.cancel()

    def leave(self) -> None:
        """Leave the list of bots, so that another bot takes over unfinished work at once."""
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
        # After an outage of the database, the other bots need time for their first heartbeat.
        if began - self._unbroken_since >= self.times.silent:
            removed = await loop.run_in_executor(self._thread, self.store.remove_silent, self.times.silent)
            if removed:
                logger.warning("%d other bots sent no heartbeat; this bot takes over their work.", len(removed))
        if self._following is None or self._following.done():  # a task, since it may take longer than a heartbeat may
            self._following = asyncio.create_task(self._follow(beat.living))

    async def _give_signals(self) -> None:
        for name in [*self._signals_to_give]:
            self._signals_to_give.discard(name)  # first, so that a signal given during the call is not lost
            try:
                await asyncio.to_thread(self.store.signal, name)
            except BaseException:
                self._signals_to_give.add(name)
                raise

    async def _follow(self, living: frozenset[str]) -> None:
        for react in self._on_beat:
            try:
                await react(living)
            except Exception as error:  # the next heartbeat tries it again
                self._note_failure(f"The work that follows a heartbeat failed: {error}")
                return
        self._is_failing = False

    def _note_failure(self, what: str) -> None:
        """Log the first of consecutive failures."""
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
        return not self.was_replaced and read_seconds_since_boot() - self._last < self.times.posting


def read_seconds_since_boot() -> float:
    """Return monotonic seconds; where the system supports it, they include the time that the machine was suspended."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)
