"""The audit log, what the store keeps of one person, and what is older than the retention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from core.model import Turn
from core.ports.chat_store import Feedback, Post, Reference, TeamsUser

Action = Literal[
    "sync",
    "forget_space",
    "export_feedback",
    "export_person",
    "forget_person",
    "change_settings",
    "remove_old_turns",
    "upgrade_database",
    "rebuild_indexes",
    "copy_database",
    "erase_again",
]
"""sync: spaces were brought up to date. forget_space, forget_person: removed with all that is kept of them.
export_feedback, export_person: written out. change_settings: the server started with other settings than before.
remove_old_turns: what is older than the retention. copy_database: everything came from another database.
erase_again: what a restored backup brought back."""

ACTIONS: tuple[Action, ...] = get_args(Action)

Outcome = Literal["begun", "done", "refused", "failed", "cancelled"]
"""begun: it has not ended, or the process died. refused: nothing was changed, and somebody was shown why."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One action. ``at``, ``ended_at``: ISO 8601, UTC; ``ended_at`` is "" as long as it has not ended.

    ``actor``: a chat user's key, ``cli:{user of the operating system}``, ``schedule``, ``webhook`` or ``server``.
    ``object``: keys of spaces, names of settings, a person's key; never words of pages, never a secret.
    """

    number: int
    at: str
    actor: str
    action: Action
    object: str
    outcome: Outcome
    ended_at: str = ""


ErasureKind = Literal["page", "space", "person", "database"]
"""database: nothing was erased; whose list it is, so that no other database is changed by it."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """Something that was erased. ``at``: ISO 8601, UTC. ``object``: an id, a key, or of a person a salted hash."""

    erasure_id: str
    at: str
    kind: ErasureKind
    object: str


class AuditStore(Protocol):
    """The entries of the audit log."""

    async def begin(self, at: str, actor: str, action: Action, what: str) -> int:
        """Adds an entry before its action begins; returns its number."""
        ...

    async def end(self, number: int, outcome: Outcome, at: str) -> None:
        """Notes how the action ended."""
        ...

    async def entries(self, since: str = "") -> list[AuditEntry]:
        """Those from a moment on, oldest first; ``since``: ISO 8601, UTC, "" for all."""
        ...

    async def remove_before(self, moment: str) -> int:
        """Removes those before a moment; returns how many."""
        ...


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
