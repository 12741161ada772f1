"""Who may ask where, and who may see an answer again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from bot.channels import Channels
from core.identity.identities import Access, Identities
from core.identity.person import Person
from core.model import Turn
from core.ports import EvidenceStore, Member, Place, SpaceStore

Refusal = Literal["guest", "no_spaces", "outside"]
"""guest: guests ask in channels only. no_spaces: nothing may be searched in this channel. outside: the answer rests on
what may not be shown to whom it is asked for (any more)."""


@dataclass(frozen=True, slots=True)
class ChatAccess:
    """``default_spaces``: of the synced spaces, those of channels that have none of their own."""

    identities: Identities
    spaces: SpaceStore
    evidences: EvidenceStore
    channels: Callable[[], Channels]
    default_spaces: Callable[[Iterable[str]], frozenset[str]]

    async def scope(self, place: Place, member: Member) -> Access | Refusal:
        """What a question may see. In a direct message also what the asker's own account may read."""
        person = Person(place.platform, place.team, member.user, member.email)
        if place.direct:
            return "guest" if member.guest else await self.identities.scope_for(person, None)
        spaces = await self.searched(place)
        return await self.identities.scope_for(person, spaces) if spaces else "no_spaces"

    async def searched(self, place: Place) -> frozenset[str]:
        """The spaces that are enabled for a channel. One with other organisations has only those named for itself."""
        own = self.channels().of(place).spaces
        if own is not None:
            return own
        return frozenset() if place.shared else await self.defaults()

    async def defaults(self) -> frozenset[str]:
        """The default spaces, of those that are synced."""
        return self.default_spaces(await self.spaces.keys())

    async def to_see(self, turn: Turn, place: Place, member: Member) -> Access | Refusal:
        """The scope of somebody who wants to see a turn again; "outside" where that had more rights than they have."""
        access = await self.scope(place, member)
        if isinstance(access, Access) and not turn.scope.principals <= access.scope.principals:
            return "outside"
        return access

    async def visible(self, turn: Turn, access: Access) -> frozenset[str]:
        """Those of the turn's pages that may be shown now."""
        pages = {ranked.evidence.page_id for ranked in turn.evidences}
        return await self.evidences.visible(pages, access.scope)

    async def all_visible(self, turn: Turn, access: Access) -> bool:
        """Whether every source of the turn may be shown now. Of an erased one nothing is left that could be."""
        pages = {ranked.evidence.page_id for ranked in turn.evidences if ranked.evidence.text}
        return await self.evidences.visible(pages, access.scope) >= pages
