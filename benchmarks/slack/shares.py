"""The bot's own share of the waiting time for an answer: everything except the language model."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from benchmarks.chat.model import TimedModel, add_ticket
from benchmarks.chat.talk import Asked, conversations, in_flight
from benchmarks.figure import Figure, at_most
from benchmarks.slack.asking import say
from benchmarks.slack.served import CHANNELS, Workplace, workplace
from evaluation.questions import GoldQuestion
from tests.servers.scripted_model import ScriptedModel

_OWN = at_most(1)
_SECONDS = 1.0  # per call of the model
_CONCURRENCY = {"WIKIWHY_LLM_CONCURRENCY": str(CHANNELS)}
"""As many concurrent calls as questions in flight, since waiting for a free slot would count as the bot's time."""


@dataclass(slots=True)
class _Channel:
    """A channel with one conversation at a time, each in its own thread."""

    channel: str
    person: str
    turns: Iterator[GoldQuestion]
    thread: str | None = None
    tickets: list[int] = field(default_factory=list)

    def ask(self, place: Workplace, number: int | None) -> Asked:
        """Ask the next question. ``number``: its ticket; without a model it has none, as no page has such a word."""
        gold = next(self.turns)
        thread = None if gold.turn == 1 else self.thread
        text = gold.as_asked if number is None else add_ticket(gold.as_asked, number)
        self.tickets += [] if number is None else [number]
        asked = say(place.world, self.person, self.channel, text, thread)
        self.thread = asked.place.thread
        return asked


def measure_extractive(questions: int) -> Figure:
    """Measure without a language model, so that all time is the bot's."""
    totals, _ = _waited(questions, {}, None)
    return _figure(f"answer without a model, {CHANNELS} in flight, p95", totals, "")


def measure_with_model(questions: int) -> Figure:
    """Measure with a streaming model of one second per call. Waiting for its slots counts, its work does not."""
    timed = TimedModel(_SECONDS)
    with ScriptedModel(timed.reply) as server:
        totals, own = _waited(questions, {"WIKIWHY_LLM_BASE_URL": server.base_url, **_CONCURRENCY}, timed)
        calls = len(server.requests)
    note = f"; whole answers p95 {np.percentile(totals, 95):.2f}, {calls} calls, at most {server.at_once} at once"
    return _figure(f"own share of an answer, model of 1 s a call, {CHANNELS} in flight, p95", own, note)


def _waited(questions: int, settings: Mapping[str, str], model: TimedModel | None) -> tuple[list[float], list[float]]:
    """Return the seconds from a question to its answer, and those without the model's time.

    The first question of each channel does not count: all are asked at once, which :mod:`benchmarks.slack.burst`
    measures.
    """
    totals: list[float] = []
    own: list[float] = []
    with workplace("shares", settings) as place:
        idle = deque(_channels(place))
        channels: dict[str, _Channel] = {}
        begun: set[str] = set()

        def ask(number: int) -> Callable[[], Asked]:
            def said() -> Asked:
                channel = idle.popleft()
                asked = channel.ask(place, number if model else None)
                channels[asked.key] = channel
                return asked

            return said

        for asked, reply in in_flight(place, (ask(1000 + number) for number in range(questions + CHANNELS)), CHANNELS):
            channel = channels[asked.key]
            idle.append(channel)
            if channel.channel in begun:
                totals.append(reply.shown_at - asked.at)
                own.append(totals[-1] - (model.seconds(channel.tickets, asked.at, reply.shown_at) if model else 0.0))
            begun.add(channel.channel)
    return totals, own


def _channels(place: Workplace) -> Iterator[_Channel]:
    """Return the channels. Each begins with another conversation."""
    talks = conversations()
    for number, channel in enumerate(place.channels):
        order = talks[number % len(talks) :] + talks[: number % len(talks)]
        yield _Channel(channel, place.people[number], iter([gold for talk in order for gold in talk]))


def _figure(name: str, seconds: list[float], more: str) -> Figure:
    note = f"{len(seconds)} questions; median {np.median(seconds):.2f}, longest {max(seconds):.2f}{more}"
    return Figure(name, "s", float(np.percentile(seconds, 95)), _OWN, note)
