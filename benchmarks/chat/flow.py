"""A number of questions in flight for as long as a ``with`` block lasts, on any platform and any number of bots."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.chat.kills import Clicker
from benchmarks.chat.model import add_ticket
from benchmarks.chat.talk import Asked, Chat, Reply

_POLL = 0.01


@dataclass(slots=True)
class Flow:
    """Asks the next question as soon as one is answered, until :meth:`finish`.

    ``in_flight``: number of questions. ``copies``: most deliveries of a question. ``explained``: share of the answers
    under which somebody clicks Explain, then Share. ``tickets``: whether questions have numbers (:func:`add_ticket`).

    ``asked``: all questions, by key. ``ended``: the first answer or notice to each, by key. ``numbers``: tickets.
    """

    chat: Chat
    texts: Sequence[str]
    in_flight: int
    seed: int = 0
    copies: int = 1
    explained: float = 0.0
    tickets: bool = False
    asked: dict[str, Asked] = field(default_factory=dict)
    ended: dict[str, Reply] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    clicking: dict[str, Clicker] = field(default_factory=dict)
    failure: BaseException | None = None
    _finishing: threading.Event = field(default_factory=threading.Event)
    _given_up: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> Flow:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._given_up.set()
        if self._thread:
            self._thread.join()

    @property
    def waiting(self) -> int:
        """Questions without an answer, and people who wait for an explanation."""
        clickers = sum(not clicker.done for clicker in list(self.clicking.values()))
        return len(self.asked) - len(self.ended) + clickers

    def finish(self, patience: float) -> None:
        """Ask no more, and wait until all is answered, or nothing was for ``patience`` seconds. Raises failures."""
        self._finishing.set()
        left, moved = -1, time.monotonic()
        while self.waiting and not self.failure and time.monotonic() - moved < patience:
            if self.waiting != left:
                left, moved = self.waiting, time.monotonic()
            time.sleep(0.1)
        if self.failure:
            raise self.failure

    def answers_since(self, at: float) -> int:
        return sum(reply.at > at for reply in list(self.ended.values()))

    def replies(self) -> Mapping[str, Sequence[Reply]]:
        """Return all replies to each question now, without explanations."""
        return {
            key: [reply for reply in self.chat.replies(asked) if reply.kind != "explanation"]
            for key, asked in self.asked.items()
        }

    def _run(self) -> None:
        try:
            chance = random.Random(self.seed)  # noqa: S311  # no secret
            waiting: list[Asked] = []
            while not self._given_up.is_set():
                while len(waiting) < self.in_flight and not self._finishing.is_set():
                    waiting.append(self._ask(chance))
                waiting = [asked for asked in waiting if not self._ends(asked, chance)]
                for clicker in self.clicking.values():
                    if not clicker.done:
                        clicker.go_on()
                time.sleep(_POLL)
        except BaseException as error:
            self.failure = error

    def _ask(self, chance: random.Random) -> Asked:
        number, text = 1000 + len(self.asked), chance.choice(self.texts)
        asking = self.chat.asking(
            chance, add_ticket(text, number) if self.tickets else text, chance.randint(1, self.copies)
        )
        asked = asking()
        self.numbers[asked.key] = number
        self.asked[asked.key] = asked
        return asked

    def _ends(self, asked: Asked, chance: random.Random) -> bool:
        reply = next((each for each in self.chat.replies(asked) if each.kind in ("answer", "other")), None)
        if reply is None:
            return False
        self.ended[asked.key] = reply
        if reply.explainable and chance.random() < self.explained:
            reader = self.chat.explaining(chance, asked, reply.message_id)
            self.clicking[asked.key] = Clicker(reader, self._is_shared(asked), 0.0)
        return True

    def _is_shared(self, asked: Asked) -> Callable[[], bool]:
        return lambda: any(reply.kind == "explanation" for reply in self.chat.replies(asked))
