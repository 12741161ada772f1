"""Questions put to the bot on any platform, and what becomes of each, as people there see it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from benchmarks.chat.served import Server
from benchmarks.child import MeasurementFailed
from benchmarks.corpus import ROOT
from core.chat.requests import ask_key, make_turn_id
from core.ports.chat import Place
from evaluation.questions import GoldQuestion, read
from tests.servers.faults import Faults

_POLL = 0.005
_STUCK = 120.0  # seconds without any answer

Kind = Literal["answer", "explanation", "orphan", "other"]
"""Of a message of the bot; an answer is also that there is none. orphan: it only says that there is work under way."""


def conversations() -> list[list[GoldQuestion]]:
    """Those of the samples, in both languages: what is asked does not depend on licensed pages."""
    return read((ROOT / "samples" / "questions.json").read_text("utf-8"), "both")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in its thread. ``at``: monotonic seconds, just before it was said."""

    place: Place
    message_id: str
    at: float

    @property
    def key(self) -> str:
        """Of the durable work that it starts."""
        return ask_key(self.place, self.message_id, with_team=self.place.platform == "slack")

    @property
    def turn_id(self) -> str:
        return make_turn_id(self.key)


@dataclass(frozen=True, slots=True)
class Reply:
    """A message of the bot as it stands now. ``at``, ``shown_at``: when it came, and when its answer stood there."""

    message_id: str
    kind: Kind
    at: float
    shown_at: float
    text: str = ""
    explainable: bool = False


class Delivered(Protocol):
    """A request to the bot. ``status`` None: still under way, 0: no answer. ``seconds`` until the answer."""

    @property
    def status(self) -> int | None: ...

    @property
    def acknowledged(self) -> bool: ...

    @property
    def seconds(self) -> float: ...


class Explaining(Protocol):
    """A person who clicks Explain under an answer, sees the explanation alone, and shares it with everybody."""

    def click(self) -> Delivered: ...

    def sees(self) -> bool:
        """Whether the explanation is shown to them."""
        ...

    def notices(self) -> Sequence[str]:
        """What this person alone was told instead of an explanation, all until now."""
        ...

    def share(self) -> Delivered | None:
        """None where everybody sees it already: in a chat with the bot alone."""
        ...


class World(Protocol):
    """The platform's test server."""

    retry_delays: tuple[float, ...]

    @property
    def faults(self) -> Faults: ...

    @property
    def calls(self) -> Sequence[object]: ...

    @property
    def pending(self) -> int: ...

    def wait_until(self, condition: Callable[[], object], timeout: float, what: str) -> object: ...


class Chat(Protocol):
    """People, the places where they talk, and the bot among them."""

    @property
    def world(self) -> World: ...

    @property
    def server(self) -> Server: ...

    @property
    def finds_messages(self) -> bool:
        """Whether the platform lets the bot look for a message of its own."""
        ...

    @property
    def posting(self) -> tuple[str, ...]:
        """The methods by which a message is posted."""
        ...

    def asking(self, chance: random.Random, text: str, times: int = 1) -> Callable[[], Asked]:
        """Draws who asks this where; called, they do. ``times``: how often the bot is told of it."""
        ...

    def explaining(self, chance: random.Random, asked: Asked, message_id: str) -> Explaining:
        """Draws who clicks Explain under an answer."""
        ...

    def find_orphans(self) -> list[Reply]:
        """What people were shown alone that only says that there is work under way."""
        ...

    def replies(self, asked: Asked) -> list[Reply]:
        """The bot's, in this thread and after this question."""
        ...


def answer_to(chat: Chat, asked: Asked) -> Reply | None:
    return next((reply for reply in chat.replies(asked) if reply.kind == "answer"), None)


def in_flight(chat: Chat, ask: Iterator[Callable[[], Asked]], most: int) -> Iterator[tuple[Asked, Reply]]:
    """Keeps so many questions in flight until all are asked; each is given with its answer when that is there."""
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
    """Returns when the bot has called nothing for so long, so that nothing is under way.

    ``deliveries``: whether all have to be acknowledged or given up, too; a bot that is dead acknowledges none, but the
    platform may still be reading its calls.
    """
    before = -1
    while before != len(world.calls) or (deliveries and world.pending):
        before = len(world.calls)
        time.sleep(seconds)
