"""Questions to the bot on any platform, and the replies as people see them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from benchmarks.chat.served import Server
from benchmarks.child import MeasurementFailed
from benchmarks.corpus import ROOT
from core.chat.requests import make_ask_key, make_turn_id
from core.ports.chat import Place
from evaluation.questions import GoldQuestion, read_questions
from tests.servers.faults import Faults

_POLL = 0.005
_STUCK = 120.0  # seconds without an answer

Kind = Literal["answer", "explanation", "orphan", "other"]
"""The kind of a message of the bot. answer: includes "not found"; orphan: only says that work is in progress."""


def conversations() -> list[list[GoldQuestion]]:
    """Return the conversations of the samples in both languages, which need no licensed pages."""
    return read_questions((ROOT / "samples" / "questions.json").read_text("utf-8"), "both")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in its thread. ``at``: monotonic seconds, just before it was sent."""

    place: Place
    message_id: str
    at: float

    @property
    def key(self) -> str:
        """The key of the workflow that it starts."""
        return make_ask_key(self.place, self.message_id, with_team=self.place.platform == "slack")

    @property
    def turn_id(self) -> str:
        return make_turn_id(self.key)


@dataclass(frozen=True, slots=True)
class Reply:
    """A message of the bot as it is now. ``at``: when it was posted; ``shown_at``: when its answer was shown."""

    message_id: str
    kind: Kind
    at: float
    shown_at: float
    text: str = ""
    explainable: bool = False


class Delivered(Protocol):
    """A request to the bot. ``status``: None if unanswered so far, 0 without an answer. ``seconds``: to the answer."""

    @property
    def status(self) -> int | None: ...

    @property
    def acknowledged(self) -> bool: ...

    @property
    def seconds(self) -> float: ...


class Explaining(Protocol):
    """A person who clicks Explain under an answer, sees the explanation alone, and shares it."""

    def click(self) -> Delivered: ...

    def sees(self) -> bool:
        """Whether the person sees the explanation."""
        ...

    def notices(self) -> Sequence[str]:
        """All notices that only this person saw instead of an explanation."""
        ...

    def share(self) -> Delivered | None:
        """Share the explanation. Nothing to do in a chat with the bot alone."""
        ...


class World(Protocol):
    """The platform's test server."""

    retry_delays: tuple[float, ...]
    patience: float

    @property
    def faults(self) -> Faults: ...

    @property
    def calls(self) -> Sequence[object]: ...

    @property
    def pending(self) -> int: ...

    def deliver_to(self, url: str | None, *more: str) -> None: ...

    def wait_until(self, condition: Callable[[], object], timeout: float, what: str) -> object: ...


class Chat(Protocol):
    """The people, their places, and the bot."""

    @property
    def world(self) -> World: ...

    @property
    def server(self) -> Server: ...

    @property
    def finds_messages(self) -> bool:
        """Whether the bot can search for its own messages."""
        ...

    @property
    def posting(self) -> tuple[str, ...]:
        """The API methods that post a message."""
        ...

    def asking(self, chance: random.Random, text: str, times: int = 1) -> Callable[[], Asked]:
        """Draw a person and place for a question; the result asks it. ``times``: number of deliveries."""
        ...

    def explaining(self, chance: random.Random, asked: Asked, message_id: str) -> Explaining:
        """Draw a person who clicks Explain under an answer."""
        ...

    def find_orphans(self) -> list[Reply]:
        """Return what single people see that only says that work is in progress."""
        ...

    def replies(self, asked: Asked) -> list[Reply]:
        """Return the bot's replies in this thread after this question."""
        ...


def answer_to(chat: Chat, asked: Asked) -> Reply | None:
    return next((reply for reply in chat.replies(asked) if reply.kind == "answer"), None)


def count_replies(replies: Iterable[Reply], kind: Kind) -> int:
    return sum(reply.kind == kind for reply in replies)


def in_flight(chat: Chat, ask: Iterator[Callable[[], Asked]], most: int) -> Iterator[tuple[Asked, Reply]]:
    """Keep ``count`` questions in flight until all are asked. Yields each with its answer."""
    waiting: list[Asked] = []
    moved = time.monotonic()
    exhausted = False
    while waiting or not exhausted:
        while len(waiting) < most and not exhausted:
            if (following := next(ask, None)) is None:
                exhausted = True
            else:
                waiting.append(following())
        answered = [(asked, reply) for asked in waiting if (reply := answer_to(chat, asked))]
        if answered:
            moved = time.monotonic()
            done = [asked for asked, _ in answered]
            waiting = [asked for asked in waiting if asked not in done]
            yield from answered
        elif time.monotonic() - moved > _STUCK:
            raise MeasurementFailed(f"{len(waiting)} questions are not answered")
        else:
            time.sleep(_POLL)


def rest(world: World, seconds: float, deliveries: bool = True) -> None:
    """Wait until the bot has made no call for ``seconds``, so that no work is in progress.

    ``deliveries``: also wait until all are acknowledged or given up. A dead bot acknowledges none, but the platform
    may still be reading its calls.
    """
    before = -1
    while before != len(world.calls) or (deliveries and world.pending):
        before = len(world.calls)
        time.sleep(seconds)
