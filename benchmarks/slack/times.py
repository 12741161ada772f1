"""How soon the bot acknowledges, shows that it works, and answers."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.figure import Figure, at_most
from benchmarks.slack.asking import Asked, can_be_explained, conversations, in_flight, say
from benchmarks.slack.served import Workplace, workplace
from tests.servers.slack import Delivery

_IN_FLIGHT = 50
_ONE_AT_A_TIME = 70  # at most
LATENCY = 0.1  # seconds of a call to Slack itself, more or less
_ACKNOWLEDGED, _PLACED = at_most(1), at_most(700)


def measure_acknowledgements(questions: int, seed: int) -> list[Figure]:
    """With 50 questions in flight all the time, and a click under each answer as soon as it is there."""
    chance = random.Random(seed)  # noqa: S311  # no secret
    most = min(_IN_FLIGHT, questions)
    texts = itertools.cycle([gold.human_completed for turns in conversations() for gold in turns])
    with workplace("acknowledged") as place:
        asks = (_mention(place, chance, next(texts)) for _ in range(questions))
        for asked in in_flight(place.world, asks, most):
            _click(place, asked, chance)
        place.world.wait_until(lambda: not place.world.pending, 60, "acknowledgement")
        deliveries = place.world.deliveries
    events = [one for one in deliveries if one.kind != "block_actions"]
    clicks = [one for one in deliveries if one.kind == "block_actions"]
    name = f"acknowledgement of %s, {most} questions in flight, p99"
    return [_acknowledged(name % what, kind) for what, kind in (("an event", events), ("a click", clicks))]


def _mention(place: Workplace, chance: random.Random, text: str) -> Callable[[], Asked]:
    return lambda: say(place.world, chance.choice(place.people), chance.choice(place.channels), text)


def _click(place: Workplace, asked: Asked, chance: random.Random) -> None:
    message = asked.answer(place.world)
    assert message
    person = chance.choice(place.people)
    if can_be_explained(message) and chance.random() < 0.7:
        place.world.click(person, asked.channel, message.ts, chance.choice(("explain", "sources")))
    else:
        place.world.feedback(person, asked.channel, message.ts, positive=True)


def _acknowledged(name: str, deliveries: Sequence[Delivery]) -> Figure:
    failed = sum(not delivery.acknowledged for delivery in deliveries)
    seconds = [delivery.seconds for delivery in deliveries]
    note = f"{len(seconds)}; median {np.median(seconds):.3f}, longest {max(seconds):.3f}"
    if failed:
        note += f"; {failed} failed"
    return Figure(name, "s", float(np.percentile(seconds, 99)), _ACKNOWLEDGED, note)


def measure_placeholder(questions: int, latency: float = 0.0) -> Figure:
    """One question at a time, the next one when the bot has nothing to do any more."""
    texts = [gold.human_completed for turns in conversations() for gold in turns][::2][: min(questions, _ONE_AT_A_TIME)]
    milliseconds: list[float] = []
    with workplace("placeholder", latency=latency) as place:
        for number, text in enumerate(texts):
            person, channel = place.people[number % len(place.people)], place.channels[number % len(place.channels)]
            asking = iter([lambda: say(place.world, person, channel, text)])  # noqa: B023  # is called at once
            for asked in in_flight(place.world, asking, 1):
                milliseconds.append((asked.replies(place.world)[0].at - asked.at) * 1000)
            _rest(place)
    slow = f", Slack takes {latency * 1000:.0f} ms a call" if latency else ""
    note = f"{len(milliseconds)} questions; median {np.median(milliseconds):.0f}, longest {max(milliseconds):.0f}"
    return Figure(f"placeholder visible, idle{slow}, p95", "ms", float(np.percentile(milliseconds, 95)), _PLACED, note)


def _rest(place: Workplace) -> None:
    """Returns when the bot has called nothing for a while, so that nothing is under way."""
    before = -1
    while before != len(place.world.calls):
        before = len(place.world.calls)
        time.sleep(0.4 + place.world.latency)
