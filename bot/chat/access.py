"""What a person may see at a place now. Every way to text goes through here at the moment the text leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from bot.channels import Channels
from core.chat.history import may_be_told, pages_with_text, with_showable_question
from core.errors import ChatUnavailable
from core.identity.identities import Access, Identities
from core.identity.person import Person
from core.model import Scope, Turn
from core.ports import Audience, ChatPlatform, EvidenceStore, Member, Place, Platform, SpaceStore, TurnStore

Refusal = Literal["guest", "no_spaces", "unknown_audience", "outside"]
"""guest: guests ask in channels only. no_spaces: nothing may be searched in this channel. unknown_audience: nobody
tells who can read there. outside: the answer rests on what may not be shown to whom it is asked for (any more)."""


@dataclass(frozen=True, slots=True)
class ChatAccess:
    """``default_spaces``: of the synced spaces, those of channels that have none of their own."""

    identities: Identities
    spaces: SpaceStore
    evidences: EvidenceStore
    turns: TurnStore
    platforms: Mapping[Platform, ChatPlatform]
    channels: Callable[[], Channels]
    default_spaces: Callable[[Iterable[str]], frozenset[str]]

    async def now(self, place: Place, user: str) -> Access | Refusal:
        """What a question by this person at this place may see at this moment, and so what anything may show there.

        ``place``: as what the person did tells of it; ``shared`` of an earlier message is out of date. Raises
        ChatUnavailable where the platform does not tell who that is, or who can read there.
        """
        if place.direct:
            member = await self.platforms[place.platform].member(place, user)
            person = Person(place.platform, place.team, member.user, member.email)
            return "guest" if member.guest else await self.identities.scope_for(person, None)
        spaces = await self._searched(place, user)
        if not isinstance(spaces, frozenset):
            return spaces
        return await self.identities.scope_for(Person(place.platform, place.team, user, None), spaces)

    async def _searched(self, place: Place, user: str) -> frozenset[str] | Refusal:
        """The spaces that are enabled for a channel. One with other organisations has only those named for itself."""
        own = self.channels().of(place).spaces
        if own is None:
            synced = await self.spaces.keys()
            audience = await self._audience(place, user)
            own = self.channels().of(place).spaces  # which may have changed meanwhile
            if own is None and audience == "unknown":
                return "unknown_audience"
            if own is None and audience == "own":
                own = self.default_spaces(synced)
        return own or "no_spaces"

    async def _audience(self, place: Place, user: str) -> Audience:
        """Whoever acts there can read there."""
        if place.shared:
            return "mixed"
        platform = self.platforms[place.platform]
        audience, member = await asyncio.gather(platform.audience(place), _known_member(platform, place, user))
        return "mixed" if member and member.foreign else audience

    async def to_see(self, turn: Turn, place: Place, user: str) -> Access | Refusal:
        """:meth:`now`, of somebody who wants to see a turn again; "outside" where that was asked with more rights."""
        access = await self.now(place, user)
        if isinstance(access, Access) and not turn.scope.principals <= access.scope.principals:
            return "outside"
        return access

    async def visible(self, turn: Turn, access: Access) -> frozenset[str]:
        """Those of the turn's pages that may be shown now."""
        pages = {ranked.evidence.page_id for ranked in turn.evidences}
        return await self.evidences.visible(pages, access.scope)

    async def all_visible(self, turn: Turn, access: Access) -> bool:
        """Whether every source of the turn may be shown now. Of an erased one nothing is left that could be."""
        return await self.may_show(pages_with_text([turn]), access.scope)

    async def may_show(self, pages: Collection[str], scope: Scope) -> bool:
        """Whether all of these pages are there now, and may be shown."""
        return await self.evidences.visible(pages, scope) >= frozenset(pages)

    async def showable(self, turn: Turn, access: Access) -> Turn:
        """The turn with its question in words that may be shown now: see :func:`with_showable_question`."""
        earlier = await self.turns.of_conversation(turn.conversation_id)
        earlier = [each for each in earlier if each.turn_id != turn.turn_id and each.asked_at <= turn.asked_at]
        visible = await self.evidences.visible(pages_with_text(earlier), access.scope)
        return with_showable_question(turn, [each for each in earlier if not may_be_told(each, access.scope, visible)])


async def _known_member(platform: ChatPlatform, place: Place, user: str) -> Member | None:
    """None where the platform does not answer: the audience of the place tells enough."""
    try:
        return await platform.member(place, user) if user else None
    except ChatUnavailable:
        return None
