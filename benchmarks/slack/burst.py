"""Many questions at one moment, while Slack limits the rate of calls as it documents."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.chat.talk import conversations, in_flight
from benchmarks.figure import Figure, at_most, check_figure
from benchmarks.slack.served import Workplace, workplace
from tests.servers.faults import Fault

AT_ONCE = 40
_SLOWEST = at_most(20)
_POSTS = "chat.postMessage"
_MINUTE = 60.0
_PER_MINUTE: Mapping[str, int] = {
    "assistant.threads.setStatus": 100, "users.info": 100, "conversations.info": 50, "conversations.replies": 50,
    "chat.update": 50, "chat.startStream": 20, "chat.stopStream": 20, "chat.appendStream": 100,
    "chat.getPermalink": 100,
}  # fmt: skip
"""Calls per minute and workspace, each the lower bound of its tier (https://docs.slack.dev/apis/web-api/rate-limits).

``setStatus`` is in tier 5 at present, counted here as tier 4. ``chat.postMessage``: one per second and channel.
"""


@dataclass(slots=True)
class Bucket:
    """A token bucket that is full at first. ``most``: tokens; ``seconds``: until it is full again."""

    most: float
    seconds: float
    left: float = field(init=False)
    at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.left = self.most

    def is_empty(self) -> bool:
        """Take a token; return whether there was none."""
        now = time.monotonic()
        self.left = min(self.most, self.left + (now - self.at) * self.most / self.seconds)
        self.at = now
        if self.left < 1:
            return True
        self.left -= 1
        return False


@dataclass(slots=True)
class TooFast:
    """Whether a call of a method is above its rate. ``by``: the argument that has a rate for each of its values."""

    most: float
    seconds: float
    by: str = ""
    _buckets: dict[str, Bucket] = field(default_factory=dict)

    def __call__(self, arguments: Mapping[str, Any]) -> bool:
        name = str(arguments.get(self.by))
        return self._buckets.setdefault(name, Bucket(self.most, self.seconds)).is_empty()


def limit_rates(place: Workplace) -> None:
    """Let Slack answer calls above the documented rates with 429 and ``Retry-After``."""
    place.world.faults.add(_POSTS, Fault(status=429, retry_after=1), times=None, where=TooFast(1, 1.0, "channel"))
    for method, most in _PER_MINUTE.items():
        pause = math.ceil(_MINUTE / most)
        place.world.faults.add(method, Fault(status=429, retry_after=pause), times=None, where=TooFast(most, _MINUTE))


def measure_burst(seed: int, at_once: int = AT_ONCE) -> list[Figure]:
    """Ask questions at one moment, each in a thread of its own."""
    chance = random.Random(seed)  # noqa: S311  # no secret
    texts = [gold.human_completed for turns in conversations() for gold in turns]
    with workplace("burst") as place:
        limit_rates(place)
        asks = [place.asking(chance, texts[number % len(texts)]) for number in range(at_once)]
        seconds = sorted(reply.shown_at - asked.at for asked, reply in in_flight(place, iter(asks), at_once))
        delayed = sum(call.status == 429 for call in place.world.calls)
        refused = len(place.world.refusals)
    note = f"{len(seconds)} answered; median {np.median(seconds):.1f}; {delayed} calls above the rate, and repeated"
    return [
        Figure(
            f"slowest of {at_once} questions at one moment, with Slack's rate limits", "s", seconds[-1], _SLOWEST, note
        ),
        check_figure(
            f"calls refused for another reason, {at_once} questions at one moment", "calls", refused, at_most(0)
        ),
    ]
