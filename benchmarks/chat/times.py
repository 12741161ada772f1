"""The time in which the bot answers a platform's requests while many questions are in flight."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.chat.talk import Asked, Chat, Delivered, Reply, conversations, in_flight
from benchmarks.figure import Bound, Figure

IN_FLIGHT = 50


def keep_asking(chat: Chat, questions: int, chance: random.Random, click: Callable[[Asked, Reply], object]) -> None:
    """Keep 50 questions in flight, and click under each answer as soon as it is posted."""
    texts = itertools.cycle([gold.human_completed for turns in conversations() for gold in turns])
    asks = (chat.asking(chance, next(texts)) for _ in range(questions))
    for asked, reply in in_flight(chat, asks, min(IN_FLIGHT, questions)):
        click(asked, reply)
    chat.world.wait_until(lambda: not chat.world.pending, 60, "acknowledgement")


def measure_acknowledgement(what: str, questions: int, deliveries: Sequence[Delivered], bound: Bound) -> Figure:
    """Return the 99th percentile of the seconds to the bot's answer to these requests."""
    failed = sum(not delivery.acknowledged for delivery in deliveries)
    seconds = [delivery.seconds for delivery in deliveries]
    note = f"{len(seconds)}; median {np.median(seconds):.3f}, longest {max(seconds):.3f}"
    if failed:
        note += f"; {failed} failed"
    name = f"{what}, {min(IN_FLIGHT, questions)} questions in flight, p99"
    return Figure(name, "s", float(np.percentile(seconds, 99)), bound, note)
