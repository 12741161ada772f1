"""What Teams tells only with incoming activities, and is needed later to post: conversations and people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


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

    async def save(self, reference: Reference) -> None:
        """Store a reference, replacing the previous one."""

    async def load(self, team: str, conversation: str) -> Reference | None: ...

    async def save_user(self, person: TeamsUser) -> None:
        """Store a person, replacing the previous data. A known ``direct`` stays if the new one is ""."""

    async def load_user(self, team: str, user: str) -> TeamsUser | None: ...

    async def move(self, team: str, conversation: str, message_id: str, to: str) -> None:
        """Record that another message replaces one that can no longer be updated. The first such record stays."""

    async def resolve_message(self, team: str, conversation: str, message_id: str) -> str:
        """Return the message that replaces this one, or its own id."""
