"""How to ask, where somebody is."""

from __future__ import annotations

from dataclasses import dataclass

from bot.chat.access import ChatAccess
from core.ports import Place
from core.text import Language
from core.views.notices import HelpView


@dataclass(frozen=True, slots=True)
class Helping:
    """``bot``: how people call it. ``admins``: as the settings name them."""

    access: ChatAccess
    admins: frozenset[str]
    bot: str = "@WikiWhy"

    async def view(self, place: Place, user: str, spoken: Language) -> HelpView:
        """What can be asked in this place, and by this person."""
        spaces = await self.access.defaults() if place.direct else await self.access.searched(place)
        return HelpView(spoken, self.bot, tuple(sorted(spaces)), place.direct, is_admin(place, user, self.admins))


def is_admin(place: Place, user: str, admins: frozenset[str]) -> bool:
    """Whether the settings name this person: by the id, or by ``team:id``."""
    return not admins.isdisjoint({user, f"{place.team}:{user}"})
