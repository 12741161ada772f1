"""Requests for durable work: their keys, how they are stored, and how many there may be in a minute or a day.

A request is stored as JSON when its workflow starts, and read again after a restart, also by a later version of
WikiWhy: the names in the JSON stay as they are. Whatever is delivered twice has the same key.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, Self

from core.languages import Language
from core.model import Usage
from core.person import PersonId, person_key
from core.ports.chat import Place
from core.ports.chat_store import TokenStore
from core.timing import Clock

Json = dict[str, Any]

QuestionKind = Literal["message", "correction", "suggestion", "command"]
"""How a question is asked: by a message, in the form that corrects one, by the button of a suggested one, or after the
name of a command, which no message shows."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class QuestionRequest:
    """Answer a question.

    ``message_id``: of the message that asks; of a suggestion ``{turn}.{index}``; of a correction the form's id, of a
    command its run's. A command is in no thread: we post its question, and its answer below that.
    ``text``: at most as long as a question may be. That of a suggestion is "": its words are a page's, so they stay in
    the turn only, where they are erased with the page. ``characters``: of the text as it was written.
    ``notice``: the name of the reason why the question is not to be answered, "" if it is. ``follows``: the thread
    whose conversation it goes on with, "" for its own.
    """

    workflow: ClassVar[str] = "ask"

    key: str
    place: Place
    message_id: str
    user: str
    text: str
    spoken: Language
    kind: QuestionKind = "message"
    characters: int = 0
    notice: str = ""
    follows: str = ""

    @property
    def turn_id(self) -> str:
        """Of the turn that the question becomes."""
        return turn_id_of(self.key)

    def to_json(self) -> Json:
        stored = asdict(self)
        return stored if self.follows else {name: value for name, value in stored.items() if name != "follows"}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**{**stored, "place": Place(**stored["place"])})


@dataclass(frozen=True, slots=True)
class RevisionRequest:
    """Let the answer to a question follow its message, which was edited or deleted (``text`` None).

    ``of``: the key of the question. ``edition``: when that was, as the platform counts time; it rises with each change.
    """

    workflow: ClassVar[str] = "revise"

    of: str
    place: Place
    message_id: str
    user: str
    edition: str
    text: str | None
    spoken: Language

    @property
    def key(self) -> str:
        return f"revise:{self.edition}:{self.of}"

    def to_json(self) -> Json:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**{**stored, "place": Place(**stored["place"])})


@dataclass(frozen=True, slots=True)
class PrivateClick:
    """A click whose result only the person who clicked sees. ``message_id``: of the message with the button.

    ``trigger``: what opens a window for a few seconds, "" on a platform without windows.
    """

    action_id: str
    message_id: str
    trigger: str = ""


@dataclass(frozen=True, slots=True)
class ExplanationRequest:
    """Explain a turn. ``user``: who clicked first.

    ``click``: where only this person sees it; None where it is posted for everybody in the thread.
    """

    workflow: ClassVar[str] = "explain"

    place: Place
    turn_id: str
    user: str
    click: PrivateClick | None = None

    @property
    def key(self) -> str:
        return explain_key(self.turn_id, self.click.action_id if self.click else "")

    def to_json(self) -> Json:
        stored: Json = {"place": asdict(self.place), "turn": self.turn_id, "user": self.user, "key": self.key}
        return {**stored, "click": asdict(self.click)} if self.click else stored

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        click = PrivateClick(**stored["click"]) if "click" in stored else None
        return cls(Place(**stored["place"]), stored["turn"], stored["user"], click)


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """Sync spaces. ``place``, ``user`` and ``spoken``: of the command in a chat; None and "" of a schedule."""

    workflow: ClassVar[str] = "sync"

    key: str
    spaces: tuple[str, ...]
    reason: str
    place: Place | None = None
    user: str = ""
    spoken: Language = "en"

    def to_json(self) -> Json:
        stored: Json = {"spaces": list(self.spaces), "reason": self.reason, "key": self.key}
        if self.place:
            stored |= {"place": asdict(self.place), "user": self.user, "spoken": self.spoken}
        return stored

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        place = Place(**stored["place"]) if "place" in stored else None
        spaces, reason = tuple(stored["spaces"]), stored["reason"]
        return cls(stored["key"], spaces, reason, place, stored.get("user", ""), stored.get("spoken", "en"))


def ask_key(place: Place, message_id: str, with_team: bool = True) -> str:
    """Of the question that a message asks, whatever kinds of events deliver it.

    ``with_team``: False on a platform whose channel ids are unique among all teams.
    """
    team = (place.team,) if with_team else ()
    return ":".join(("ask", place.platform, *team, place.channel, message_id))


def question_message_key(key: str) -> str:
    """Of the message that shows the question of a command. ``key``: of the question."""
    return f"{key}:question"


def explain_key(turn_id: str, action_id: str = "") -> str:
    """Of a turn's explanation for everybody, however often it is asked for; with a click's id, of the clicker's own."""
    return f"explain:{turn_id}:{action_id}" if action_id else f"explain:{turn_id}"


def sync_key(space: str, run: str) -> str:
    """Of one run of a space's sync. ``run``: a time, or the id of the message that asked for it."""
    return f"sync:{space}:{run}"


def turn_id_of(key: str) -> str:
    """The id of the turn that a question with this key becomes: opaque, and the same at each try."""
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def mark_of(key: str) -> str:
    """What a message of ours carries, so that it can be found by its key."""
    return f"ww-{hashlib.sha256(key.encode()).hexdigest()[:24]}"


# -------------------------------------------------------------------------------------------------------------- limits

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
