"""Who a Teams user is, and who can read a channel or group chat now, by the conversation's roster.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/get-teams-context
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.teams.connector import Connector
from core.errors import ChatRefused
from core.ports.chat import Audience, Member
from core.timing import Clock
from core.ttl_cache import TtlCache

_AUDIENCE_SECONDS = 60.0
"""How long a roster counts. An event that somebody joined or left ends it at once."""

_MOST_PAGES = 60
"""Of 500 members each: more than a team can have (25,000)."""

_GUESTS = frozenset({"guest", "anonymous", "bot"})
_FOREIGN_ROLES = _GUESTS - {"bot"}
_FOREIGN = "#EXT#"  # in the name that Entra gives to guests
_APP = "28:"  # begins the id of an app


def member_of(found: Mapping[str, Any], tenant: str, user: str) -> Member:
    """A member by the connector's answer. An address counts only of a member of our own organisation.

    A person of whom it says too little is a guest.
    """
    role = str(found.get("userRole") or "").lower()
    account = str(found.get("id") or "")
    foreign = is_foreign(found, tenant)
    guest = foreign or role in _GUESTS or account.startswith(_APP)
    email = str(found.get("email") or "") or None
    return Member(user, str(found.get("name") or user), None if guest else email, guest, foreign)


def is_foreign(found: Mapping[str, Any], tenant: str) -> bool:
    """Whether a person of a roster belongs to another organisation: also a guest, who has an account of another.

    A person of whom the connector says too little does. An app is no person, and reads nothing here.
    """
    if str(found.get("id") or "").startswith(_APP):
        return False
    role = str(found.get("userRole") or "").lower()
    home = bool(tenant) and found.get("tenantId") == tenant
    return not home or role in _FOREIGN_ROLES or _FOREIGN in str(found.get("userPrincipalName") or "").upper()


class TeamsAudiences:
    """The audiences of conversations. The clock gives seconds, monotonic."""

    def __init__(self, connector: Connector, clock: Clock) -> None:
        self._connector = connector
        self._audiences: TtlCache[Audience] = TtlCache(_AUDIENCE_SECONDS, clock, failure_seconds=0)

    async def audience(self, service_url: str, tenant: str, room: str) -> Audience:
        """Raises ChatUnavailable where Teams does not answer after retries."""
        try:
            return await self._audiences.get((tenant, room), lambda: self._by_roster(service_url, tenant, room))
        except ChatRefused:
            return "unknown"

    def forget(self) -> None:
        """Forgets every roster: somebody joined or left. For a team, Teams does not name each channel."""
        self._audiences.forget()

    async def _by_roster(self, service_url: str, tenant: str, room: str) -> Audience:
        token = ""
        for _ in range(_MOST_PAGES):
            page = await self._connector.members(service_url, room, token)
            members = page.get("members")
            if not isinstance(members, list) or not members or not all(isinstance(one, dict) for one in members):
                return "unknown"
            if any(is_foreign(one, tenant) for one in members):
                return "mixed"
            token = str(page.get("continuationToken") or "")
            if not token:
                return "own"
        return "unknown"
