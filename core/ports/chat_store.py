"""Stored data of chats other than turns: the bot's messages, people's messages in its threads, and feedback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from core.ports.chat import Place, Platform, ThreadMessage


@dataclass(frozen=True, slots=True)
class Post:
    """A message of the bot."""

    key: str  # of the work that it belongs to, such as ``ask:slack:…``
    place: Place
    message_id: str  # "" until it is posted
    turn_id: str = ""
    finished: bool = False  # it shows the result of the work
    person: str = ""  # key (core.person.person_key) of whoever asked, clicked or gave the command; "" for nobody
    edition: str = ""  # when the question was last edited or deleted, by the platform's clock; "" for never
    follows: str = ""  # the thread whose conversation the question continues; "" for its own thread


class PostStore(Protocol):
    """The bot's messages by the key of their work, so that nothing is posted twice."""

    async def post(self, key: str) -> Post | None: ...

    async def keep(self, post: Post) -> None:
        """Store a post. For an existing key only a first message id and the change to finished are stored."""

    async def note_edition(self, post: Post) -> None:
        """Record that a post's question was edited or deleted, unless a later edition is recorded.

        Stores the post if it is unknown.
        """

    async def replace(self, post: Post) -> None:
        """Replace the message, turn and state of an existing post, after its question was edited or deleted."""

    async def of_message(self, place: Place, message_id: str) -> Post | None:
        """Return the post with this message. Only platform, team and channel of the place are compared."""

    async def in_conversation(self, conversation_id: str) -> list[Post]:
        """Return the posts of a thread in the order in which they were stored."""

    async def last_in_channel(self, place: Place, person: str = "") -> Post | None:
        """Return the last post in any thread of the place's channel; the place's thread is ignored.

        ``person``: only posts for this person's key; "" for everybody's.
        """


class ThreadStore(Protocol):
    """People's messages in the threads that the bot takes part in."""

    async def add(self, conversation_id: str, messages: Sequence[ThreadMessage]) -> None:
        """Add messages. The text of a message that is already stored is replaced, because it was edited."""

    async def remove(self, conversation_id: str, message_id: str) -> None: ...

    async def messages(self, conversation_id: str) -> list[ThreadMessage]:
        """Return the messages by increasing id."""

    async def mark_read(self, conversation_id: str) -> None:
        """Record that the thread has been read from the platform, which is done only once."""

    async def was_read(self, conversation_id: str) -> bool: ...


Reaction = Literal["good", "bad"]


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person thinks of an answer."""

    turn_id: str
    person: str  # key as in the accounts file
    reaction: Reaction
    reason: str
    at: str  # ISO 8601, UTC


class FeedbackStore(Protocol):
    """Feedback, at most one per person and turn: the last one counts."""

    async def keep(self, feedback: Feedback) -> None:
        """Store feedback. An empty reason keeps the stored reason if the reaction is the same."""

    async def all(self) -> list[Feedback]:
        """Return all feedback, oldest first."""


@dataclass(frozen=True, slots=True)
class AskedRecently:
    """A question that counts towards a rate limit."""

    key: str
    at: float  # seconds, by the clock of the store that counts it


class RecentQuestions(Protocol):
    """The questions of the last minute under the names that limits apply to: who asked, and where."""

    async def count(self, key: str, limits: Mapping[str, int]) -> str:
        """Count a question under all names of ``limits``, or under none if one has reached its limit: return that name.

        Returns "" otherwise. A key that is already counted is not counted again and never exceeds a limit.
        """

    async def clear(self) -> None:
        """Remove everything, because a person is forgotten: names of places may contain their id too."""

    async def remove_old(self) -> None:
        """Remove questions that no longer count."""


class TokenStore(Protocol):
    """The number of tokens that language models used per day (``2026-11-22``, UTC)."""

    async def add(self, day: str, tokens: int) -> None: ...

    async def of(self, day: str) -> int: ...


@dataclass(frozen=True, slots=True)
class Reference:
    """The data needed to post into a conversation of Teams."""

    team: str
    conversation: str  # id without thread
    service_url: str
    bot: str  # the bot's id there


@dataclass(frozen=True, slots=True)
class TeamsUser:
    """A person of Teams."""

    team: str
    user: str  # Entra object id
    account: str  # their id as seen by the bot
    direct: str = ""  # id of their chat with the bot


class ReferenceStore(Protocol):
    """References to conversations and people of Teams, which Teams sends only with incoming activities."""

    async def keep(self, reference: Reference) -> None:
        """Store a reference, replacing the previous one."""

    async def of(self, team: str, conversation: str) -> Reference | None: ...

    async def save_user(self, person: TeamsUser) -> None:
        """Store a person, replacing the previous data. A known ``direct`` stays if the new one is ""."""

    async def person(self, team: str, user: str) -> TeamsUser | None: ...

    async def move(self, team: str, conversation: str, message_id: str, to: str) -> None:
        """Record that another message replaces one that can no longer be updated. The first such record stays."""

    async def resolve_message(self, team: str, conversation: str, message_id: str) -> str:
        """Return the message that replaces this one, or its own id."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as a person typed it, with the message that answers it."""

    text: str
    asked_at: str  # ISO 8601, UTC
    answered: bool
    place: Place
    message_id: str


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """Feedback together with the question that the answer was for."""

    reaction: Reaction
    reason: str
    question: AskedQuestion | None  # None if it may not be shown


class AskedQuestionStore(Protocol):
    """Questions in people's own words. Suggested questions (words of pages) and erased ones are excluded."""

    async def latest_of(self, asker: str, most: int) -> list[AskedQuestion]:
        """Return the latest questions of a person (by key) that got a reply, newest first."""

    async def find_unanswered(self, platform: Platform, team: str, moment: str, most: int) -> list[AskedQuestion]:
        """Return channel questions that the wiki did not answer, newest first. Direct messages are private."""

    async def find_judged(self, platform: Platform, team: str, moment: str) -> list[JudgedQuestion]:
        """Return the feedback since a moment, newest first; for direct messages only the reaction."""
