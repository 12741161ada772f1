"""Kills the server with SIGKILL at moments that are drawn, looks what it was at, and starts it again."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.chat.left import Left, left_in
from benchmarks.chat.talk import Chat, rest
from tests.servers.faults import Fault

_LATEST = 0.95  # share of the work that is done when the last kill is due
_CALLS = 12  # of the bot, at most, that are let pass once a kill is due
_POSTS = 3
_POSTING = 0.4  # share of the kills that hit while a message is posted
_LONGEST = 0.6  # seconds from a call to the kill
_ARRIVED = 0.5  # seconds without a call after which the platform has done all that a killed bot had asked for

Look = Callable[[Left], Mapping[str, str]]
"""How far the pieces of work were, by their keys, those that had ended left out."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When so many pieces of work are ``done``, on the arrival of the ``call``-th call from then on, ``delay`` later.

    ``posting``: only calls that post a message count. Bound to what the bot does and not to the clock, so that the
    same draw hits the same again, more or less. Without a delay the platform has done what the bot asked for, and
    the bot never learns of it.
    """

    done: int
    call: int
    delay: float
    posting: bool


def drawn(kills: int, works: int, in_flight: int, chance: random.Random) -> list[Moment]:
    """One in each part of the work. A few are just while a message is posted, which would seldom be hit else.

    None is so late that the calls it waits for may not come any more: the last works have posted long before they end.
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
    """``at``: monotonic seconds. ``hit``: how far each piece of work was. ``down``: seconds until it is ready."""

    at: float
    moment: Moment
    hit: Mapping[str, str]
    down: float

    @property
    def counts(self) -> Counter[str]:
        """Of the pieces of work, by how far they were."""
        return Counter(self.hit.values())


@dataclass(slots=True)
class Killer:
    """Kills while the ``with`` block lasts. ``done``: how many pieces of work are done by now."""

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
        # A fault that never fits: it is asked about every call, before that is done.
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
        """Whether the server is about to be killed, or not yet ready again."""
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
                rest(self.chat.world, _ARRIVED, deliveries=False)  # or what was posted would be taken for what was not
                hit = self.look(left_in(self.chat.server.data))
                self.chat.server.start()
                self.kills.append(
                    Kill(self._killed_at, self.moments[len(self.kills)], hit, time.monotonic() - self._killed_at)
                )
                self._passed = 0
                self._due.clear()
                if self._over.is_set():  # since it was due: nobody sets that again
                    return
        except Exception as error:
            self.failure = error
