"""Who can read a channel or a group chat of Teams now, by the roster of the conversation.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/get-teams-context
"""

from __future__ import annotations

from adapters.teams.connector import Connector
from adapters.teams.people import is_foreign
from core.errors import ChatRefused
from core.identity.ttl_cache import TtlCache
from core.ports import Audience
from core.timing import Clock

_SECONDS = 60.0
"""How long a roster counts. An event that somebody joined or left ends it at once."""

_MOST_PAGES = 60
"""Of 500 members each: more than a team can have (25,000)."""


class TeamsAudiences:
    """The audiences of conversations. The clock gives seconds, monotonic."""

    def __init__(self, connector: Connector, clock: Clock) -> None:
        self._connector = connector
        self._told: TtlCache[Audience] = TtlCache(_SECONDS, clock, failure_seconds=0)

    async def audience(self, service_url: str, tenant: str, room: str) -> Audience:
        """Raises ChatUnavailable where Teams does not answer after retries."""
        try:
            return await self._told.get((tenant, room), lambda: self._of_roster(service_url, tenant, room))
        except ChatRefused:
            return "unknown"

    def forget(self) -> None:
        """Asks for every roster again: somebody joined or left. Of a team Teams does not name each channel."""
        self._told.forget()

    async def _of_roster(self, service_url: str, tenant: str, room: str) -> Audience:
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
