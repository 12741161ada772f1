"""What a person may see at a place now. Whatever sends text of pages asks this at the moment of sending."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from bot.admin_files import AccountsFile, Channels
from bot.settings import Settings
from bot.wikis import confluence_for
from core.errors import ChatUnavailable
from core.history import has_rights_of, hide_words_of, is_visible, pages_with_text
from core.identities import Access, Identities, IdentitySettings
from core.model import Scope, Turn
from core.person import Person
from core.ports.chat import Audience, ChatPlatform, Member, Place, Platform
from core.ports.store import EvidenceStore, SpaceStore, TurnStore

Refusal = Literal["guest", "no_spaces", "unknown_audience", "outside"]
"""guest: guests ask in channels only. no_spaces: nothing may be searched in this channel. unknown_audience: the
platform does not tell who can read there. outside: the answer rests on what may not be shown to this person (now)."""


@dataclass(frozen=True, slots=True)
class ChatAccess:
    """``default_spaces``: of the synced spaces, those for channels that the file of channels does not name."""

    identities: Identities
    spaces: SpaceStore
    evidences: EvidenceStore
    turns: TurnStore
    platforms: Mapping[Platform, ChatPlatform]
    channels: Callable[[], Channels]
    default_spaces: Callable[[Iterable[str]], frozenset[str]]

    @property
    def has_accounts(self) -> bool:
        """Whether people may have accounts in the wiki."""
        return self.identities.has_directory

    async def now(self, place: Place, user: str) -> Access | Refusal:
        """What a question by this person at this place may see at this moment, and so what may be shown there.

        ``place``: of the person's action; ``shared`` of an earlier message is out of date. Raises ChatUnavailable where
        the platform does not answer who that is, or who can read there.
        """
        if place.direct:
            member = await self.platforms[place.platform].member(place, user)
            person = Person(place.platform, place.team, member.user, member.email)
            return "guest" if member.guest else await self.identities.scope_for(person, None)
        spaces = await self._channel_spaces(place, user)
        if not isinstance(spaces, frozenset):
            return spaces
        return await self.identities.scope_for(Person(place.platform, place.team, user, None), spaces)

    async def _channel_spaces(self, place: Place, user: str) -> frozenset[str] | Refusal:
        """The spaces that are enabled for a channel. One with other organisations has only those named for it."""
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
        """The channel's audience. Whoever acts there can read there."""
        if place.shared:
            return "mixed"
        platform = self.platforms[place.platform]
        audience, member = await asyncio.gather(platform.audience(place), _find_member(platform, place, user))
        return "mixed" if member and member.foreign else audience

    async def to_see(self, turn: Turn, place: Place, user: str) -> Access | Refusal:
        """:meth:`now`, of somebody who wants to see a turn again; "outside" where that was asked with more rights."""
        access = await self.now(place, user)
        if isinstance(access, Access) and not turn.scope.principals <= access.scope.principals:
            return "outside"
        return access

    async def visible(self, turn: Turn, access: Access) -> frozenset[str]:
        """Those of the turn's pages that may be shown now."""
        return await self.visible_pages({ranked.evidence.page_id for ranked in turn.evidences}, access.scope)

    async def visible_pages(self, pages: Collection[str], scope: Scope) -> frozenset[str]:
        """Those of the pages that are current and may be shown in this scope now."""
        return await self.evidences.visible(pages, scope)

    async def all_visible(self, turn: Turn, access: Access) -> bool:
        """Whether every source of the turn may be shown now. An erased one has nothing left to show."""
        return await self.may_show(pages_with_text([turn]), access.scope)

    async def may_show(self, pages: Collection[str], scope: Scope) -> bool:
        """Whether all of these pages are current and may be shown in this scope now."""
        return await self.evidences.visible(pages, scope) >= frozenset(pages)

    async def still_allows(self, place: Place, user: str, asked_with: Access, pages: Collection[str]) -> bool:
        """Whether what was made from these pages, with these rights, may be shown at the place now."""
        access = await self.now(place, user)
        if not isinstance(access, Access) or not has_rights_of(access.scope, asked_with.scope):
            return False
        return await self.may_show(pages, access.scope)

    async def showable(self, turn: Turn, access: Access) -> Turn:
        """The turn with its question in words that may be shown now: see :func:`core.history.hide_words_of`."""
        earlier = await self.turns.of_conversation(turn.conversation_id)
        earlier = [each for each in earlier if each.turn_id != turn.turn_id and each.asked_at <= turn.asked_at]
        visible = await self.evidences.visible(pages_with_text(earlier), access.scope)
        return hide_words_of([each for each in earlier if not is_visible(each, access.scope, visible)], turn)


async def _find_member(platform: ChatPlatform, place: Place, user: str) -> Member | None:
    """None where the platform does not answer: the audience of the place is enough."""
    try:
        return await platform.member(place, user) if user else None
    except ChatUnavailable:
        return None


@contextmanager
def open_identities(settings: Settings, spaces: SpaceStore) -> Iterator[Identities]:
    """Maps chat users to scopes for the duration of the block. Raises SettingsInvalid and AccountsUnreadable."""
    accounts = AccountsFile(settings.accounts)
    accounts.read()
    known = IdentitySettings(settings.default_space_keys, settings.accounts_minutes * 60)
    wiki = confluence_for(settings, patience="answer") if settings.confluence_url else None
    try:
        yield Identities(wiki, accounts.read, spaces, _has_no_accounts, time.monotonic, known)
    finally:
        if wiki:
            wiki.close()


def _has_no_accounts(source: str) -> bool:
    return source.startswith("folder ")
