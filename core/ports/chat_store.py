"""What is kept of chats besides turns: what we posted, what people said around it, and what they thought of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from core.ports.chat import Place, Platform, ThreadMessage


@dataclass(frozen=True, slots=True)
class Post:
    """A message of ours. ``key``: of the work that it is for, as ``ask:slack:…``; ``turn_id``: "" where it has none.

    ``message_id``: "" as long as it is only meant to be posted. ``finished``: False as long as it does not show the
    result of the work. ``person``: whose question, click or command led to it, by their key (core.person.person_key),
    "" for nobody's. ``edition``: when the question was edited or deleted last, by the platform's clock, "" for never.
    ``follows``: the thread whose conversation the question goes on with, "" for its own.
    """

    key: str
    place: Place
    message_id: str
    turn_id: str = ""
    finished: bool = False
    person: str = ""
    edition: str = ""
    follows: str = ""


class PostStore(Protocol):
    """Our messages by the key of their work, so that nothing is posted twice."""

    async def post(self, key: str) -> Post | None: ...

    async def keep(self, post: Post) -> None:
        """Keeps a post. Of the same key the first one stays; it only gets a message, once, and becomes finished."""
        ...

    async def note_edition(self, post: Post) -> None:
        """Notes that the question of a post was edited or deleted, unless a later edition is known.

        A post that is not there is kept.
        """
        ...

    async def replace(self, post: Post) -> None:
        """Gives a post that is there another message, turn and state: its question was edited or deleted."""
        ...

    async def of_message(self, place: Place, message_id: str) -> Post | None:
        """The post whose message that is; of the place only platform, team and channel count."""
        ...

    async def in_conversation(self, conversation_id: str) -> list[Post]:
        """What we posted into a thread, in the order of keeping."""
        ...

    async def last_in_channel(self, place: Place, person: str = "") -> Post | None:
        """What we posted last into a thread of a channel; of the place only platform, team and channel count.

        ``person``: only what was posted for them, by their key; "" for anybody.
        """
        ...


class ThreadStore(Protocol):
    """What people said in the threads that the bot takes part in."""

    async def add(self, conversation_id: str, messages: Sequence[ThreadMessage]) -> None:
        """Adds messages; of one that is there the text is replaced (it was edited)."""
        ...

    async def remove(self, conversation_id: str, message_id: str) -> None: ...

    async def messages(self, conversation_id: str) -> list[ThreadMessage]:
        """By rising id."""
        ...

    async def mark_read(self, conversation_id: str) -> None:
        """Notes that the thread was read from the platform, which is done once."""
        ...

    async def was_read(self, conversation_id: str) -> bool: ...


Reaction = Literal["good", "bad"]


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person thinks of an answer. ``person``: as in the file of accounts. ``at``: ISO 8601, UTC."""

    turn_id: str
    person: str
    reaction: Reaction
    reason: str
    at: str


class FeedbackStore(Protocol):
    """Feedback, one a person and turn: the last counts."""

    async def keep(self, feedback: Feedback) -> None:
        """Keeps it; an empty reason leaves the one that was given before with the same reaction."""
        ...

    async def all(self) -> list[Feedback]:
        """All of it, oldest first."""
        ...


@dataclass(frozen=True, slots=True)
class AskedRecently:
    """A question that counts towards a limit. ``at``: seconds, by the clock of what counts it."""

    key: str
    at: float


class RecentQuestions(Protocol):
    """The questions of the last minute, by name: of who asked them and where."""

    async def count(self, key: str, limits: Mapping[str, int]) -> str:
        """Counts a question under all of these names, or under none: then returns one that has reached its limit.

        One whose key is counted already is not counted again, and never too much.
        """
        ...

    async def clear(self) -> None:
        """Removes all of it, as where a person is forgotten: places may name them too."""
        ...

    async def remove_old(self) -> None:
        """Removes what does not count any more."""
        ...


class TokenStore(Protocol):
    """How many tokens language models used, a day (``2026-11-22``, UTC)."""

    async def add(self, day: str, tokens: int) -> None: ...

    async def of(self, day: str) -> int: ...


@dataclass(frozen=True, slots=True)
class Reference:
    """How a conversation of Teams is reached. ``conversation``: its id without a thread; ``bot``: our own id there."""

    team: str
    conversation: str
    service_url: str
    bot: str


@dataclass(frozen=True, slots=True)
class TeamsUser:
    """A person of Teams. ``user``: the Entra object id; ``account``: their id for us; ``direct``: the chat."""

    team: str
    user: str
    account: str
    direct: str = ""


class ReferenceStore(Protocol):
    """How conversations and people of Teams are reached: it tells that with what comes from there, and never else."""

    async def keep(self, reference: Reference) -> None:
        """Keeps it in place of the one before."""
        ...

    async def of(self, team: str, conversation: str) -> Reference | None: ...

    async def save_user(self, person: TeamsUser) -> None:
        """Keeps it in place of the one before, whose ``direct`` stays where the new one has none."""
        ...

    async def person(self, team: str, user: str) -> TeamsUser | None: ...

    async def move(self, team: str, conversation: str, message_id: str, to: str) -> None:
        """Notes that another message stands for one that cannot be updated any more; the first such note stays."""
        ...

    async def resolve_message(self, team: str, conversation: str, message_id: str) -> str:
        """The message that stands for this one, itself if none does."""
        ...


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as a person typed it, and the message that answers it. ``asked_at``: ISO 8601, UTC."""

    text: str
    asked_at: str
    answered: bool
    place: Place
    message_id: str


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """Feedback on the answer to a question; ``question`` None where that may not be told."""

    reaction: Reaction
    reason: str
    question: AskedQuestion | None


class AskedQuestionStore(Protocol):
    """Questions in people's own words: what was suggested or erased has words of pages, or none, and is left out."""

    async def latest_of(self, asker: str, most: int) -> list[AskedQuestion]:
        """The latest questions of a person, by their key, that are answered or were told why not; newest first."""
        ...

    async def find_unanswered(self, platform: Platform, team: str, moment: str, most: int) -> list[AskedQuestion]:
        """Those in channels that the wiki did not answer, newest first. Direct messages are nobody else's."""
        ...

    async def find_judged(self, platform: Platform, team: str, moment: str) -> list[JudgedQuestion]:
        """Feedback since a moment, newest first; of direct messages only the reaction."""
        ...
