"""What the store keeps of one person, and how that is removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.identity.person import PersonId
from core.model import Turn
from core.ports.audit import AuditEntry
from core.ports.chat_store import Feedback, Post, Reference, TeamsUser


@dataclass(frozen=True, slots=True)
class HeardMessage:
    """A message of a person in a thread that the bot took part in. ``kept_at``: ISO 8601, UTC."""

    conversation_id: str
    message_id: str
    name: str
    text: str
    kept_at: str


@dataclass(frozen=True, slots=True)
class PersonalData:
    """Everything that the store keeps of one person. ``posts``: our messages that their actions led to.

    ``references``: how their chat with the bot is reached.
    """

    turns: tuple[Turn, ...] = ()
    messages: tuple[HeardMessage, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    posts: tuple[Post, ...] = ()
    teams_users: tuple[TeamsUser, ...] = ()
    references: tuple[Reference, ...] = ()
    audit: tuple[AuditEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Removed:
    """How much was removed. ``traces``: of other people's answers, those that lost the words of a conversation."""

    turns: int = 0
    messages: int = 0
    feedback: int = 0
    posts: int = 0
    traces: int = 0


class PersonStore(Protocol):
    """What the store keeps of one person."""

    async def export(self, person: PersonId) -> PersonalData: ...

    async def chats(self, person: PersonId) -> frozenset[str]:
        """The channels of their direct messages with the bot."""
        ...

    async def turn_ids(self, person: PersonId) -> frozenset[str]:
        """The turns that they asked."""
        ...

    async def forget(self, person: PersonId, names: Sequence[str], pseudonym: str) -> Removed:
        """Removes everything of a person, in one transaction, and takes it out of the database's files.

        What of their data is needed so that nothing is answered twice stays without anything that names them. In what
        other people said, their id and their names are replaced; ``names``: those that are known besides the stored
        ones. In the audit log ``pseudonym`` takes their place.
        """
        ...


class RetentionStore(Protocol):
    """What is older than the retention. Moments are ISO 8601, UTC; ``posts_before`` is that of our messages' keys."""

    async def has_some(self, before: str, posts_before: str) -> bool: ...

    async def remove_some(self, before: str, posts_before: str) -> int:
        """Removes some of what is older, in one short transaction; returns how many rows, 0 once all are gone."""
        ...
