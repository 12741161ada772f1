"""The times until the bot acknowledges, shows a work sign, and answers."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np

from benchmarks.chat.talk import Asked, Reply, conversations, in_flight, rest
from benchmarks.chat.times import keep_asking, measure_acknowledgement
from benchmarks.figure import Figure, at_most, check_figure
from benchmarks.slack.asking import say
from benchmarks.slack.served import Workplace, workplace

_ONE_AT_A_TIME = 70  # at most
LATENCY = 0.1  # typical seconds of a call to the real Slack
_STATUS = "assistant.threads.setStatus"
_ACKNOWLEDGED, _PLACED = at_most(1), at_most(700)


def measure_acknowledgements(questions: int, seed: int) -> list[Figure]:
    """Measure with 50 questions in flight, and a click under each answer as soon as it is posted."""
    chance = random.Random(seed)  # noqa: S311  # no secret
    with workplace("acknowledged") as place:
        keep_asking(place, questions, chance, lambda asked, reply: _click(place, asked, reply, chance))
        deliveries = place.world.deliveries
    events = [one for one in deliveries if one.kind != "block_actions"]
    clicks = [one for one in deliveries if one.kind == "block_actions"]
    return [
        measure_acknowledgement(f"acknowledgement of {what}", questions, kind, _ACKNOWLEDGED)
        for what, kind in (("an event", events), ("a click", clicks))
    ]


def _click(place: Workplace, asked: Asked, reply: Reply, chance: random.Random) -> None:
    person, channel = chance.choice(place.people), asked.place.channel
    if reply.explainable and chance.random() < 0.7:
        place.world.click(person, channel, reply.message_id, chance.choice(("explain", "sources")))
    else:
        place.world.feedback(person, channel, reply.message_id, positive=True)


def measure_status(questions: int, latency: float = 0.0) -> list[Figure]:
    """Measure one question at a time, each after the bot has finished all work, and count its calls."""
    texts = [gold.human_completed for turns in conversations() for gold in turns][::2][: min(questions, _ONE_AT_A_TIME)]
    milliseconds: list[float] = []
    with workplace("status", latency=latency) as place:
        for number, text in enumerate(texts):
            person, channel = place.people[number % len(place.people)], place.channels[number % len(place.channels)]
            asking = iter([lambda: say(place.world, person, channel, text)])  # noqa: B023  # is called at once
            for asked, _ in in_flight(place, asking, 1):
                status = next(call for call in reversed(place.world.calls) if call.method == _STATUS)
                milliseconds.append((status.at - asked.at) * 1000)
            rest(place.world, 0.4 + latency)
        called = Counter(call.method for call in place.world.calls)
    slow = f", Slack takes {latency * 1000:.0f} ms a call" if latency else ""
    note = f"{len(milliseconds)} questions; median {np.median(milliseconds):.0f}, longest {max(milliseconds):.0f}"
    name = f"status visible, idle{slow}, p95"
    return [
        Figure(name, "ms", float(np.percentile(milliseconds, 95)), _PLACED, note),
        check_figure(f"messages of a question{slow}", "calls", called["chat.postMessage"] / len(texts), at_most(1)),
        check_figure(f"statuses of a question{slow}", "calls", called[_STATUS] / len(texts), at_most(2)),
        check_figure(f"updates of messages{slow}", "calls", called["chat.update"], at_most(0)),
    ]
