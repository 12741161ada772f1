"""Rate limits: questions and explanations per minute, and tokens of language models per day."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.model import Usage
from core.model.reasons import LimitReason, NoReason
from core.ports.chat import Place
from core.ports.chat_stores import AskedRecently, RecentQuestions, TokenStore
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

    async def find_exceeded(self, place: Place, user: str, key: str) -> LimitReason | NoReason:
        """Count a question or explanation. Return the limit that it would exceed, or "" if it may begin.

        A key is counted only once, however often it is delivered.
        """
        if self._settings.daily_tokens and await self.count_tokens_today() >= self._settings.daily_tokens:
            return "limit_tokens"
        person = f"person {place.make_person_key(user)}"
        limits = {person: self._settings.person, f"channel {place.team}:{place.room}": self._settings.channel}
        full = await self._recent.note_question(key, {name: limit for name, limit in limits.items() if limit})
        if not full:
            return ""
        return "limit_person" if full == person else "limit_channel"

    def note_usage(self, usage: Usage) -> None:
        """Add the tokens of a call to today's count, in the background."""
        task = asyncio.create_task(self._add(usage.prompt_tokens + usage.completion_tokens))
        self._adding.add(task)
        task.add_done_callback(self._adding.discard)

    async def count_tokens_today(self) -> int:
        """Return today's tokens, after all pending additions."""
        await asyncio.gather(*self._adding)
        return await self._tokens.load(self._today())

    async def _add(self, tokens: int) -> None:
        try:
            await self._tokens.add(self._today(), tokens)
        except Exception:  # an answer must not fail because its tokens could not be counted
            logger.exception("%d tokens of a language model could not be counted.", tokens)


class RecentQuestionsInMemory:
    """Implements :class:`core.ports.chat_stores.RecentQuestions` in memory, for one process.

    ``clock``: monotonic, in seconds.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._asked: dict[str, Sequence[AskedRecently]] = {}

    async def note_question(self, key: str, limits: Mapping[str, int]) -> str:
        full, counted = count_question(key, self._clock(), limits, self._asked)
        self._asked |= counted
        if len(self._asked) > _MOST_NAMES:
            await self.remove_old()
        return full

    async def clear(self) -> None:
        self._asked.clear()

    async def remove_old(self) -> None:
        now = self._clock()
        self._asked = {name: kept for name, asked in self._asked.items() if (kept := _drop_old(asked, now))}


def count_question(
    key: str, now: float, limits: Mapping[str, int], asked: Mapping[str, Sequence[AskedRecently]]
) -> tuple[str, Mapping[str, Sequence[AskedRecently]]]:
    """Count a question under the names of ``limits``, except where its key is already counted.

    ``asked``: the stored questions by name. Returns the first name whose limit is reached, or "", and the questions to
    store; none if a limit is reached.
    """
    recent = {name: _drop_old(asked.get(name, ()), now) for name in limits}
    counted = {name: [*some, AskedRecently(key, now)] for name, some in recent.items() if key not in _list_keys(some)}
    full = next((name for name, some in counted.items() if len(some) > limits[name]), "")
    return full, {} if full else counted


def _list_keys(asked: Sequence[AskedRecently]) -> list[str]:
    return [each.key for each in asked]


def _drop_old(asked: Sequence[AskedRecently], now: float) -> Sequence[AskedRecently]:
    """Return the questions that are still inside the window."""
    return [each for each in asked if each.at > now - WINDOW]
