"""How to ask, where somebody is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.chat.access import ChatAccess
from core.errors import WikiWhyError
from core.identity.identities import Access
from core.ports import Place
from core.text import Language
from core.views.notices import HelpView

_PATIENCE = 2.0  # seconds


@dataclass(frozen=True, slots=True)
class HelpBuilder:
    """``bot``: how people call it. ``admins``: user ids, as ``U012AB3CD`` or ``T012AB3CD:U012AB3CD``."""

    access: ChatAccess
    admins: frozenset[str]
    bot: str = "@WikiWhy"

    async def view(self, place: Place, user: str, spoken: Language) -> HelpView:
        """What can be asked in this place, and by this person."""
        spaces = await self._searched(place, user)
        # Teams tells bots of what mentions them alone, unless a team's owners allow more.
        wanted = place.platform == "teams" or self.access.channels().of(place).follow_ups == "mention"
        return HelpView(
            spoken,
            self.bot,
            tuple(sorted(spaces)),
            direct=place.direct,
            admin=self.is_admin(place, user),
            by_mention=wanted and not place.direct,
        )

    async def _searched(self, place: Place, user: str) -> frozenset[str]:
        """None where that cannot be told soon: a command has to be answered within three seconds."""
        try:
            async with asyncio.timeout(_PATIENCE):
                access = await self.access.now(place, user)
        except (WikiWhyError, TimeoutError):
            return frozenset()
        return (access.scope.spaces or frozenset()) if isinstance(access, Access) else frozenset()

    def is_admin(self, place: Place, user: str) -> bool:
        """Whether the settings name this person."""
        return not self.admins.isdisjoint({user, f"{place.team}:{user}"})
