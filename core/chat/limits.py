"""Rate limits: questions per minute, and tokens of language models per day."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.model import Usage
from core.person import person_key
from core.ports.chat import Place
from core.ports.chat_store import AskedRecently, RecentQuestions, TokenStore
from core.timing import Clock

WINDOW = 60.0
"""Length in seconds of the sliding window in which questions are counted."""

_MOST_NAMES = 10_000  # people and channels in memory; above this, entries older than the window are dropped

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """Questions per minute, and tokens of language models per day (UTC); 0 means no limit."""

    person: int = 60
    channel: int = 240
    daily_tokens: int = 0


class ChatLimits:
    """Counts questions and explanations per minute, and tokens per day. Token counts survive a restart.

    ``today``: returns the date in UTC, ISO 8601.
    """

    def __init__(
        self, settings: LimitSettings, recent: RecentQuestions, tokens: TokenStore, today: Callable[[], str]
    ) -> None:
        self._settings = settings
        self._recent = recent
        self._tokens = tokens
        self._today = today
        self._adding: set[asyncio.Task[None]] = set()

    async def find_exceeded(self, place: Place, user: str, key: str) -> str:
        """Count a question or explanation. Return the name of the limit that it would exceed, or "" if it may begin.

        A key is counted only once, however often it is delivered.
        """
        if self._settings.daily_tokens and await self.tokens_today() >= self._settings.daily_tokens:
            return "limit_tokens"
        person = f"person {person_key(place.platform, place.team, user)}"
        limits = {person: self._settings.person, f"channel {place.team}:{place.room}": self._settings.channel}
        full = await self._recent.count(key, {name: limit for name, limit in limits.items() if limit})
        if not full:
            return ""
        return "limit_person" if full == person else "limit_channel"

    def note_usage(self, usage: Usage) -> None:
        """Add the tokens of a call to today's count, in the background."""
        task = asyncio.create_task(self._add(usage.prompt_tokens + usage.completion_tokens))
        self._adding.add(task)
        task.add_done_callback(self._adding.discard)

    async def tokens_today(self) -> int:
        """Return today's tokens, after all pending additions."""
        await asyncio.gather(*self._adding)
        return await self._tokens.of(self._today())

    async def _add(self, tokens: int) -> None:
        try:
            await self._tokens.add(self._today(), tokens)
        except Exception:  # an answer must not fail because its tokens could not be counted
            logger.exception("%d tokens of a language model could not be counted.", tokens)


class RecentQuestionsInMemory:
    """Implements :class:`core.ports.chat_store.RecentQuestions` in memory, for one process.

    ``clock``: monotonic, in seconds.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._asked: dict[str, list[AskedRecently]] = {}

    async def count(self, key: str, limits: Mapping[str, int]) -> str:
        now = self._clock()
        asked = {name: drop_old(self._asked.get(name, []), now) for name in limits}
        if full := find_full(key, limits, asked):
            return full
        self._asked |= {name: add_question(key, now, before) for name, before in asked.items()}
        if len(self._asked) > _MOST_NAMES:
            await self.remove_old()
        return ""

    async def clear(self) -> None:
        self._asked.clear()

    async def remove_old(self) -> None:
        now = self._clock()
        self._asked = {name: kept for name, asked in self._asked.items() if (kept := drop_old(asked, now))}


def drop_old(asked: Sequence[AskedRecently], now: float) -> list[AskedRecently]:
    """Return the questions that are still inside the window."""
    return [each for each in asked if each.at > now - WINDOW]


def find_full(key: str, limits: Mapping[str, int], asked: Mapping[str, Sequence[AskedRecently]]) -> str:
    """Return the first name whose limit is reached by other questions, or ""."""
    for name, limit in limits.items():
        if len(asked[name]) >= limit and all(each.key != key for each in asked[name]):
            return name
    return ""


def add_question(key: str, now: float, asked: Sequence[AskedRecently]) -> list[AskedRecently]:
    """Return the questions with this one added, unless its key is already there."""
    is_known = any(each.key == key for each in asked)
    return [*asked] if is_known else [*asked, AskedRecently(key, now)]
