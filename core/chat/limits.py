"""Limits on how much is asked in chats: per person and per channel in a minute, and tokens a day."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.model import Usage
from core.person import PersonId, person_key
from core.ports.chat import Place
from core.ports.chat_store import TokenStore
from core.timing import Clock

Exceeded = Literal["person", "channel", "tokens"]

WINDOW = 60.0
"""Seconds that the limits on questions count."""

_MOST_NAMES = 10_000  # whose questions are remembered; then those that have not asked for a minute are forgotten


logger = logging.getLogger(__name__)


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


class ChatLimits:
    """Counts questions and explanations, and tokens by day: these also through restarts.

    ``today``: the date in UTC, ISO 8601.
    """

    def __init__(self, settings: LimitSettings, clock: Clock, store: TokenStore, today: Callable[[], str]) -> None:
        self._limits = Limits(settings, clock)
        self._store = store
        self._today = today
        self._adding: set[asyncio.Task[None]] = set()

    async def find_exceeded(self, place: Place, user: str, key: str) -> str:
        """The name of the limit that a question or explanation would exceed; "" if it may begin, and is counted."""
        today = await self.tokens_today() if self._limits.of_tokens else 0
        person = person_key(place.platform, place.team, user)
        exceeded = self._limits.check(person, f"{place.team}:{place.room}", key, today)
        return f"limit_{exceeded}" if exceeded else ""

    def forget(self, person: PersonId) -> None:
        """Forgets what a person asked."""
        self._limits.forget(person.key)

    def note_usage(self, usage: Usage) -> None:
        """Notes what a call used, soon."""
        task = asyncio.create_task(self._add(usage.prompt_tokens + usage.completion_tokens))
        self._adding.add(task)
        task.add_done_callback(self._adding.discard)

    async def tokens_today(self) -> int:
        """The tokens of today, with all that was noted."""
        await asyncio.gather(*self._adding)
        return await self._store.of(self._today())

    async def _add(self, tokens: int) -> None:
        try:
            await self._store.add(self._today(), tokens)
        except Exception:  # of whatever kind: an answer must not fail for it, but the budget counts too little
            logger.exception("%d tokens of a language model could not be counted.", tokens)
