"""The stores of what the chats leave behind, apart from turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from core.ports.chat import Place, Platform, ThreadMessage


@dataclass(frozen=True, slots=True)
class Post:
    """What is stored of a message of the bot: first the intent to post it, then the message."""

    key: str  # of the workflow that it belongs to, such as ``ask:slack:…``
    place: Place
    message_id: str  # "" until it is posted
    turn_id: str = ""
    finished: bool = False  # nothing more is posted: the result is shown, it was stopped, or its person was forgotten
    person: str = ""  # key (core.model.make_person_key) of whoever asked, clicked or gave the command; "" for nobody
    changed_at: str = ""  # when the question was last edited or deleted, by the platform's clock; "" for never
    follows: str = ""  # the thread whose conversation the question continues; "" for its own thread


class PostStore(Protocol):
    """The bot's messages by the key of their work, so that nothing is posted twice."""

    async def load_post(self, key: str) -> Post | None: ...

    async def save(self, post: Post) -> None:
        """Store a post. For an existing key only a first message id and the change to finished are stored."""

    async def note_change(self, post: Post) -> None:
        """Record that a post's question was edited or deleted, unless a later change is recorded.

        Stores the post if it is unknown.
        """

    async def replace(self, post: Post) -> None:
        """Overwrite message id, turn id and ``finished`` of an existing post.

        Also to take them back, unlike :meth:`save`.
        """

    async def find_by_message(self, place: Place, message_id: str) -> Post | None:
        """Return the post with this message. Only platform, team and channel of the place are compared."""

    async def find_in_conversation(self, conversation_id: str) -> list[Post]:
        """Return the posts of a thread in the order in which they were stored."""

    async def has_some(self, conversation_id: str) -> bool:
        """Whether the bot has posted in a thread, or is about to."""

    async def find_newest(self, conversation_id: str, most: int) -> list[Post]:
        """Return the posts of a thread that were stored last, in that order."""

    async def find_questions(self, conversation_id: str, before: str, first: int, newest: int) -> list[Post]:
        """Return the first and the newest posts of a thread that answer questions, in the order of storing.

        Only those that were stored before the post of the question that the message ``before`` asked, if there is one.
        """

    async def find_of_turn(self, turn_id: str) -> list[Post]:
        """Return the posts about a turn: its answer and its explanations."""

    async def find_last_in_channel(self, place: Place, person: str = "") -> Post | None:
        """Return the last post in any thread of the place's channel; the place's thread is ignored.

        ``person``: only posts for this person's key; "" for everybody's.
        """


class ThreadStore(Protocol):
    """People's messages in the threads that the bot takes part in."""

    async def add(self, conversation_id: str, messages: Sequence[ThreadMessage]) -> None:
        """Add messages. The text of a message that is already stored is replaced, because it was edited."""

    async def remove(self, conversation_id: str, message_id: str) -> None: ...

    async def load_messages(self, conversation_id: str) -> list[ThreadMessage]:
        """Return the messages by increasing id."""

    async def load_some(
        self, conversation_id: str, after: str, before: str, first: int, newest: int
    ) -> list[ThreadMessage]:
        """Return the first and the newest messages between two ids, by increasing id. ``after``: "" for all."""

    async def has_message(self, conversation_id: str, message_id: str) -> bool:
        """Whether a message is stored."""

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

    async def save(self, feedback: Feedback) -> None:
        """Store feedback. An empty reason keeps the stored reason if the reaction is the same."""

    async def load_all(self) -> list[Feedback]:
        """Return all feedback, oldest first."""


@dataclass(frozen=True, slots=True)
class AskedRecently:
    """A question that counts towards a rate limit."""

    key: str
    at: float  # seconds, by the clock of the store that counts it


class RecentQuestions(Protocol):
    """The questions of the last minute under the names that limits apply to: who asked, and where."""

    async def note_question(self, key: str, limits: Mapping[str, int]) -> str:
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

    async def load(self, day: str) -> int: ...


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

    async def find_latest(self, asker: str, most: int) -> list[AskedQuestion]:
        """Return the latest questions of a person (by key) that got a reply, newest first."""

    async def find_unanswered(self, platform: Platform, team: str, moment: str, most: int) -> list[AskedQuestion]:
        """Return channel questions that the wiki did not answer, newest first. Direct messages are private."""

    async def find_judged(self, platform: Platform, team: str, moment: str) -> list[JudgedQuestion]:
        """Return the feedback since a moment, newest first; for direct messages only the reaction."""
