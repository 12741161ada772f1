"""Kill the server with SIGKILL at random moments, read the progress of its work, and restart it."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.chat.left import Left, read_left_state
from benchmarks.chat.talk import Chat, rest
from tests.servers.faults import Fault

_LATEST = 0.95  # share of finished work when the last kill is due
_CALLS = 12  # calls of the bot, at most, between the due time of a kill and the kill
_POSTS = 3
_POSTING = 0.4  # share of the kills during the post of a message
_LONGEST = 0.6  # seconds from a call to the kill
_ARRIVED = 0.5  # seconds without a call after which the platform has processed all calls of a killed bot

Look = Callable[[Left], Mapping[str, str]]
"""The progress of unfinished work, by key."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment: ``delay`` seconds after the ``call``-th call that follows the end of ``done`` pieces of work.

    ``posting``: only calls that post a message count. It depends on the bot's calls and not on the clock, so that
    the same seed hits about the same point again. Without a delay the platform has processed the call, and the bot
    never receives the response.
    """

    done: int
    call: int
    delay: float
    posting: bool


def drawn(kills: int, works: int, in_flight: int, chance: random.Random) -> list[Moment]:
    """Draw a moment in each part of the work, some during the post of a message, which is rarely hit otherwise.

    No moment is so late that the calls it waits for may no longer come.
    """
    part = works * _LATEST / max(kills, 1)
    moments = []
    for number in range(kills):
        done, posting = int((number + chance.random()) * part), chance.random() < _POSTING
        call = chance.randint(1, _POSTS if posting else _CALLS)
        done = max(min(done, works - call - (in_flight if posting else 0)), 0)
        moments.append(Moment(done, call, 0.0 if posting else chance.random() * _LONGEST, posting))
    return moments


@dataclass(frozen=True, slots=True)
class Kill:
    """A kill. ``at``: monotonic seconds. ``hit``: progress of each piece of work. ``down``: seconds until ready."""

    at: float
    moment: Moment
    hit: Mapping[str, str]
    down: float

    @property
    def counts(self) -> Counter[str]:
        """Return the number of pieces of work by their progress."""
        return Counter(self.hit.values())


@dataclass(slots=True)
class Killer:
    """Kills during the ``with`` block. ``done``: returns the number of finished pieces of work."""

    chat: Chat
    moments: Sequence[Moment]
    done: Callable[[], int]
    look: Look
    kills: list[Kill] = field(default_factory=list)
    failure: Exception | None = None
    _passed: int = 0
    _due: threading.Event = field(default_factory=threading.Event)
    _over: threading.Event = field(default_factory=threading.Event)
    _killed_at: float = 0.0
    _thread: threading.Thread | None = None

    def __enter__(self) -> Killer:
        # A fault that never applies, but sees every call before it is processed.
        faults = self.chat.world.faults
        faults.add("*", Fault(), times=None, where=lambda arguments: self._called(posting=False))
        for method in self.chat.posting:
            faults.add(method, Fault(), times=None, where=lambda arguments: self._called(posting=True))
        self._thread = threading.Thread(target=self._supervise, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._due.set()
        if self._thread:
            self._thread.join()
        self.chat.world.faults.clear()

    @property
    def down(self) -> bool:
        """Whether the server is being killed or not yet ready again."""
        return self._due.is_set()

    def _called(self, posting: bool) -> bool:
        if self._due.is_set() or len(self.kills) >= len(self.moments):
            return False
        moment = self.moments[len(self.kills)]
        if moment.posting == posting and self.done() >= moment.done:
            self._passed += 1
            if self._passed >= moment.call:
                self._due.set()
                threading.Timer(moment.delay, self._kill).start() if moment.delay else self._kill()
        return False

    def _kill(self) -> None:
        self.chat.server.kill()
        self._killed_at = time.monotonic()

    def _supervise(self) -> None:
        try:
            while self._due.wait() and not self._over.is_set():
                self.chat.server.gone()
                rest(self.chat.world, _ARRIVED, deliveries=False)  # otherwise a post could be counted as missing
                hit = self.look(read_left_state(self.chat.server.data))
                self.chat.server.start()
                self.kills.append(
                    Kill(self._killed_at, self.moments[len(self.kills)], hit, time.monotonic() - self._killed_at)
                )
                self._passed = 0
                self._due.clear()
                if self._over.is_set():  # reset, since the kill was due
                    return
        except Exception as error:
            self.failure = error
