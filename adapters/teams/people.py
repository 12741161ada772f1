"""Teams users as members, and the audiences of conversations from their rosters.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/get-teams-context
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from adapters.teams.connector import Connector
from core.errors import ChatRefused
from core.ports.chat import Audience, Member
from core.timing import Clock, TtlCache, WarningLog

_AUDIENCE_SECONDS = 60.0
"""How long an audience is cached. An event that a person joined or left drops it at once."""

_MOST_PAGES = 60
"""Pages of 500 members: more than a team can have (25,000)."""


_GUESTS = frozenset({"guest", "anonymous", "bot"})
_FOREIGN_ROLES = _GUESTS - {"bot"}
_FOREIGN = "#EXT#"  # in the user principal names of guests
_APP = "28:"  # prefix of an app's id

logger = logging.getLogger(__name__)


def parse_member(found: Mapping[str, Any], tenant: str, user: str) -> Member:
    """Parse the connector's record of a person. The e-mail address is used only for members of the own organisation.

    A person with an incomplete record is a guest.
    """
    role = str(found.get("userRole") or "").lower()
    account = str(found.get("id") or "")
    foreign = is_foreign(found, tenant)
    guest = foreign or role in _GUESTS or account.startswith(_APP)
    email = str(found.get("email") or "") or None
    return Member(user, str(found.get("name") or user), None if guest else email, guest, foreign)


def is_foreign(found: Mapping[str, Any], tenant: str) -> bool:
    """Whether a person of a roster belongs to another organisation, as guests and people with incomplete records do.

    An app does not count: it does not read messages.
    """
    if str(found.get("id") or "").startswith(_APP):
        return False
    role = str(found.get("userRole") or "").lower()
    home = bool(tenant) and found.get("tenantId") == tenant
    return not home or role in _FOREIGN_ROLES or _FOREIGN in str(found.get("userPrincipalName") or "").upper()


class TeamsAudiences:
    """The audiences of conversations. The clock returns monotonic seconds."""

    def __init__(self, connector: Connector, clock: Clock) -> None:
        self._connector = connector
        self._audiences: TtlCache[Audience] = TtlCache(_AUDIENCE_SECONDS, clock, failure_seconds=0)
        self._warnings = WarningLog(logger, clock)

    async def find_audience(self, service_url: str, tenant: str, room: str) -> Audience:
        """Return a conversation's audience. Raises ChatUnavailable if Teams does not answer after retries."""
        try:
            return await self._audiences.get((tenant, room), lambda: self._request_audience(service_url, tenant, room))
        except ChatRefused as error:
            self.warn(tenant, room, error)
            return "unknown"

    def warn(self, tenant: str, room: str, cause: object) -> None:
        """Log why an audience is unknown, at most once a minute per conversation."""
        self._warnings.warn((tenant, room), "Teams does not tell who can read %s (pagedmembers): %s", room, cause)

    def forget(self) -> None:
        """Drop all audiences after a person joined or left: for a team, Teams does not name each channel."""
        self._audiences.forget()

    async def _request_audience(self, service_url: str, tenant: str, room: str) -> Audience:
        token = ""
        for _ in range(_MOST_PAGES):
            page = await self._connector.list_members(service_url, room, token)
            members = page.get("members")
            if not isinstance(members, list) or not members or not all(isinstance(one, dict) for one in members):
                self.warn(tenant, room, "a page of the roster is empty or has another format.")
                return "unknown"
            if any(is_foreign(one, tenant) for one in members):
                return "mixed"
            token = str(page.get("continuationToken") or "")
            if not token:
                return "own"
        self.warn(tenant, room, f"the roster has more than {_MOST_PAGES} pages.")
        return "unknown"
