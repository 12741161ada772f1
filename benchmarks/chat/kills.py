"""Questions and Explain clicks while the server is killed repeatedly: each is answered exactly once."""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from itertools import chain

from benchmarks.chat import outcome
from benchmarks.chat.killing import Killer, drawn
from benchmarks.chat.left import Left, find_moments
from benchmarks.chat.model import TimedModel
from benchmarks.chat.outcome import Outcome
from benchmarks.chat.talk import (
    Asked,
    Chat,
    Delivered,
    Explaining,
    Reply,
    answer_to,
    conversations,
    count_replies,
    in_flight,
)
from benchmarks.child import MeasurementFailed
from benchmarks.figure import Figure
from core.chat.requests import make_explain_key
from tests.servers.scripted_model import ScriptedModel

_IN_FLIGHT = 16
_PATIENCE = 120.0
_SECONDS = 0.2  # per call of the scripted model
_QUIET = 4.0  # seconds without a call after which all work has ended

Workplaces = Callable[[str, Mapping[str, str]], AbstractContextManager[Chat]]
"""Starts a bot, given the name of its data directory and settings, and yields it when it is ready."""


def measure_kills(workplace: Workplaces, questions: int, kills: int, seed: int, by_model: bool = False) -> list[Figure]:
    """Measure questions, then an Explain of each of their answers, both with ``kills`` kills.

    ``by_model``: answer with a scripted model, so that kills hit its writing. Details are written beside the server's
    data, as ``kills.json``.
    """
    if not by_model:
        return _measured(workplace, "kills", "", questions, kills, seed, {})
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # it logs every connection that a kill ends
    with ScriptedModel(TimedModel(_SECONDS).reply) as server:
        settings = {"WIKIWHY_LLM_BASE_URL": server.base_url}
        return _measured(workplace, "kills-model", ", by a model", questions, kills, seed, settings)


def _measured(
    workplace: Workplaces, name: str, what: str, questions: int, kills: int, seed: int, settings: Mapping[str, str]
) -> list[Figure]:
    chance = random.Random(seed)  # noqa: S311  # no secret
    with workplace(name, settings) as chat:
        # While the server is down, requests fail at once. The retries of a platform take minutes.
        chat.world.retry_delays = (0.5,) * 400
        texts = _answerable(chat)
        asked, of_asks = _asks(chat, questions, kills, chance, texts)
        of_explains = _explains(chat, asked, kills, chance)
        written = chat.server.data.with_name(f"{name}.json")
    details = {"seed": seed, "asks": outcome.details(of_asks), "explains": outcome.details(of_explains)}
    written.write_text(json.dumps(details, indent=2) + "\n", "utf-8")
    return [
        *outcome.figures("answers", what, of_asks, seed),
        *outcome.figures("explanations", what, of_explains, seed),
    ]


def _answerable(chat: Chat) -> list[str]:
    """Return the questions of the samples whose answers can be explained, found by asking once without kills."""
    chance = random.Random(0)  # noqa: S311  # no secret
    texts = [gold.human_completed for turns in conversations() for gold in turns if gold.answerable]
    by_key: dict[str, str] = {}

    def ask(text: str) -> Callable[[], Asked]:
        asking = chat.asking(chance, text)

        def said() -> Asked:
            asked = asking()
            by_key[asked.key] = text
            return asked

        return said

    found = in_flight(chat, (ask(text) for text in texts), _IN_FLIGHT)
    return sorted(by_key[asked.key] for asked, reply in found if reply.explainable)


def _asks(
    chat: Chat, questions: int, kills: int, chance: random.Random, texts: Sequence[str]
) -> tuple[list[Asked], Outcome]:
    asked: list[Asked] = []
    done: list[Asked] = []
    seen: dict[str, int] = {}

    def ask() -> Callable[[], Asked]:
        asking = chat.asking(chance, chance.choice(texts), chance.randint(1, 3))

        def said() -> Asked:
            asked.append(asking())
            return asked[-1]

        return said

    def look(left: Left) -> Mapping[str, str]:
        works = [(each.key, each.turn_id, count_replies(chat.replies(each), "answer")) for each in asked]
        return find_moments(left, works, seen)

    began = time.monotonic()
    plan = [ask() for _ in range(questions)]
    with Killer(chat, drawn(kills, questions, _IN_FLIGHT, chance), lambda: len(done), look) as killer:
        for each, _ in in_flight(chat, iter(plan), _IN_FLIGHT):
            done.append(each)
            _raise(killer)
        _settle(chat, killer)
    replies = {each.key: chat.replies(each) for each in asked}
    return asked, outcome.outcome(replies, "answer", killer.kills, began, chat.finds_messages)


def _explains(chat: Chat, asked: Sequence[Asked], kills: int, chance: random.Random) -> Outcome:
    """Let one to three people explain every answer; each sees the explanation alone and shares it.

    An explanation is lost if one of them does not see it, or nobody can share it.
    """
    answers = [(each, reply) for each in asked if (reply := answer_to(chat, each)) and reply.explainable]
    before = {reply.message_id for each in asked for reply in chat.replies(each)}
    clicking: dict[str, list[Clicker]] = {}
    explained: set[str] = set()
    seen: dict[str, int] = {}

    def new(each: Asked) -> list[Reply]:
        return [reply for reply in chat.replies(each) if reply.message_id not in before]

    def is_shared(each: Asked) -> bool:
        return count_replies(new(each), "explanation") > 0

    def look(left: Left) -> Mapping[str, str]:
        clicked = [each for each in asked if any(one.clicked for one in clicking.get(each.key, []))]
        works = [
            (make_explain_key(each.turn_id), each.turn_id, count_replies(new(each), "explanation")) for each in clicked
        ]
        return find_moments(left, works, seen)

    began = moved = time.monotonic()
    total, todo = len(answers), list(answers)
    with Killer(chat, drawn(kills, total, _IN_FLIGHT, chance), lambda: len(explained), look) as killer:
        while len(explained) < total or not all(one.done for one in chain(*clicking.values())):
            while todo and len(clicking) - len(explained) < _IN_FLIGHT:
                each, reply = todo.pop()
                pauses = [0.0, *(chance.random() * 2 for _ in range(chance.randint(0, 2)))]
                readers = [(chat.explaining(chance, each, reply.message_id), pause) for pause in pauses]
                clicking[each.key] = [Clicker(reader, partial(is_shared, each), pause) for reader, pause in readers]
            for each, _ in answers:
                for one in clicking.get(each.key, []):
                    one.go_on()
                if each.key not in explained and is_shared(each):
                    explained.add(each.key)
                    moved = time.monotonic()
            _raise(killer)
            if time.monotonic() - moved > _PATIENCE:
                break
            time.sleep(0.01)
        _settle(chat, killer)
    replies = {make_explain_key(each.turn_id): new(each) for each, _ in answers}
    found = outcome.outcome(replies, "explanation", killer.kills, began, chat.finds_messages)
    return replace(found, lost=[*found.lost, *find_unseen(clicking)], orphans=[*found.orphans, *chat.find_orphans()])


def find_unseen(clicking: Mapping[str, Sequence[Clicker]]) -> list[str]:
    """Return who did not see or share the explanation that they clicked for, with their last action."""
    return [f"{key} for somebody: {one.state}" for key, each in clicking.items() for one in each if not one.done]


class Clicker:
    """A person who clicks Explain and Share, and repeats a click that visibly failed.

    A click failed if it is not acknowledged, or if a notice appears instead of the explanation. The person then clicks
    Explain again. ``pause``: seconds until the first click.

    ``clicked``: whether they ever clicked, even if there was nothing to share.
    """

    def __init__(self, explaining: Explaining, is_shared: Callable[[], bool], pause: float) -> None:
        self._explaining, self._is_shared, self._at = explaining, is_shared, time.monotonic() + pause
        self._delivery: Delivered | None = None
        self._notices = 0
        self.clicked = self.shares = self.done = False

    @property
    def state(self) -> str:
        """The last action, and all notices shown instead of an explanation."""
        last = ("shared" if self.shares else "clicked") if self._delivery else "not clicked"
        status = self._delivery.status if self._delivery else None
        return f"{last}, answered with {status}; notices: {list(self._explaining.notices())}"

    def go_on(self) -> None:
        """Click if it is time."""
        if self.done or time.monotonic() < self._at or (self._delivery and self._delivery.status is None):
            return
        if self._delivery is None or not self._delivery.acknowledged:
            self._at = time.monotonic() + 0.7
            self.clicked = True
            self._notices = len(self._explaining.notices())
            self._delivery = self._share() if self.shares else self._explaining.click()
        elif self.shares:
            self.done = self._is_shared()
            self._begin_again_if_told()
        elif self._explaining.sees():
            self._notices = len(self._explaining.notices())
            self.shares, self._delivery = True, self._share()
        else:
            self._begin_again_if_told()

    def _begin_again_if_told(self) -> None:
        if not self.done and len(self._explaining.notices()) > self._notices:
            self.shares, self._delivery, self._at = False, None, time.monotonic() + 0.7

    def _share(self) -> Delivered | None:
        delivery = self._explaining.share()
        self.done = delivery is None
        return delivery


def _raise(killer: Killer) -> None:
    if killer.failure:
        raise MeasurementFailed(f"the killed server did not come back: {killer.failure}")


def _settle(chat: Chat, killer: Killer) -> None:
    """Wait until all requests were delivered and the bot makes no more calls, since double messages come late."""
    end = time.monotonic() + _PATIENCE
    calls, since = -1, time.monotonic()
    while time.monotonic() < end:
        _raise(killer)
        if killer.down or chat.world.pending or len(chat.world.calls) != calls:
            calls, since = len(chat.world.calls), time.monotonic()
        if time.monotonic() - since > _QUIET:
            return
        time.sleep(0.1)
