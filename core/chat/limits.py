"""Limits on how much is asked: per person and per channel in a minute, and tokens a day."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

from core.timing import Clock

Exceeded = Literal["person", "channel", "tokens"]

WINDOW = 60.0
"""Seconds that the limits on questions count."""

_MOST_NAMES = 10_000  # whose questions are remembered; then those that have not asked for a minute are forgotten


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """Questions in a minute, and tokens of language models in a day (UTC); 0 means as many as there are."""

    person: int = 60
    channel: int = 240
    daily_tokens: int = 0


class Limits:
    """Counts questions in a sliding window. The clock gives seconds, monotonic."""

    def __init__(self, settings: LimitSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._asked: dict[str, deque[tuple[float, str]]] = {}

    @property
    def of_tokens(self) -> bool:
        """Whether it matters how many tokens were used today."""
        return self._settings.daily_tokens > 0

    def check(self, person: str, channel: str, key: str, tokens_today: int) -> Exceeded | None:
        """Which limit a question of this key would exceed; else it is counted, once however often it comes."""
        now = self._clock()
        if self._settings.daily_tokens and tokens_today >= self._settings.daily_tokens:
            return "tokens"
        if self._full(f"person {person}", self._settings.person, key, now):
            return "person"
        if self._full(f"channel {channel}", self._settings.channel, key, now):
            return "channel"
        for name in (f"person {person}", f"channel {channel}"):
            if all(known != key for _, known in self._asked.setdefault(name, deque())):
                self._asked[name].append((now, key))
        self._forget_idle(now)
        return None

    def forget(self, person: str) -> None:
        """Forgets what somebody asked."""
        self._asked.pop(f"person {person}", None)

    def _full(self, name: str, most: int, key: str, now: float) -> bool:
        asked = self._asked.get(name, deque())
        while asked and asked[0][0] <= now - WINDOW:
            asked.popleft()
        return bool(most) and len(asked) >= most and all(known != key for _, known in asked)

    def _forget_idle(self, now: float) -> None:
        if len(self._asked) > _MOST_NAMES:
            self._asked = {name: asked for name, asked in self._asked.items() if asked and asked[-1][0] > now - WINDOW}
