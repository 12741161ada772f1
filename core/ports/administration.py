"""The audit log, erasures, and the data that is stored about one person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from core.model import Turn
from core.ports.chat_stores import Feedback, Post
from core.ports.teams import Reference, TeamsUser

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
"""sync: update spaces from the wiki. forget_space, forget_person: remove a space or person with all related data.
export_feedback, export_person: write these data to a file. change_settings: the server started with changed settings.
remove_old_turns: remove turns that are older than the retention. copy_database: copy all data from another database.
erase_again: erase again what a restored backup brought back."""

Outcome = Literal["begun", "done", "refused", "failed", "cancelled"]
"""begun: not yet ended, or the process died. refused: nothing was changed, and the caller was told why."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One audited action."""

    number: int
    at: str  # ISO 8601, UTC
    actor: str  # a chat user's key, ``cli:{operating system user}``, ``schedule``, ``webhook`` or ``server``
    action: Action
    object: str  # space keys, names of settings, or a person's key; never text of pages, never a secret
    outcome: Outcome
    ended_at: str = ""  # ISO 8601, UTC; "" until it ends


ErasureKind = Literal["page", "space", "person", "database"]
"""database: not an erasure but the owner of the log, so that the log is not applied to another database."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """Something that was erased."""

    erasure_id: str
    at: str  # ISO 8601, UTC
    kind: ErasureKind
    object: str  # an id or key; for a person a salted hash


class AuditStore(Protocol):
    """The entries of the audit log."""

    async def begin(self, at: str, actor: str, action: Action, what: str) -> int:
        """Add the entry of an action that is about to begin, and return its number."""

    async def end(self, number: int, outcome: Outcome, at: str) -> None:
        """Record how an action ended."""

    async def load_entries(self, since: str = "") -> list[AuditEntry]:
        """Return the entries since a moment (ISO 8601, UTC; "" for all), oldest first."""

    async def remove_before(self, moment: str) -> int:
        """Remove the entries before a moment, and return their number."""


@dataclass(frozen=True, slots=True)
class HeardMessage:
    """A message that a person wrote in a thread in which the bot takes part. ``kept_at``: ISO 8601, UTC."""

    conversation_id: str
    message_id: str
    name: str
    text: str
    kept_at: str


@dataclass(frozen=True, slots=True)
class PersonalData:
    """Everything that the store has about one person."""

    turns: tuple[Turn, ...] = ()
    messages: tuple[HeardMessage, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    posts: tuple[Post, ...] = ()  # the bot's messages in reply to their questions, clicks and commands
    teams_users: tuple[TeamsUser, ...] = ()
    references: tuple[Reference, ...] = ()  # of their chat with the bot
    audit: tuple[AuditEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class RemovalCounts:
    """How many items of each kind were removed."""

    turns: int = 0
    messages: int = 0
    feedback: int = 0
    posts: int = 0
    traces: int = 0  # of other people's answers in the same conversation, which lost their text
