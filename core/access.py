"""What a person may see at a place now: in a channel its spaces, in a direct message what their own account may read.

Whatever sends text of pages asks :class:`ChatAccess` at the moment of sending.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from core.chat.listening import FollowUps
from core.errors import ChatUnavailable, LookupUnsupported, SpaceUnknown, WikiWhyError
from core.history import has_rights_of, hide_words_of, is_visible, pages_with_text
from core.model import PageFacts, Scope, Turn
from core.person import ChatAccounts, Person, normalize_email
from core.ports.chat import Audience, ChatPlatform, Member, Place, Platform
from core.ports.store import EvidenceStore, SpaceStore, SpaceSummary, TurnStore
from core.ports.wiki import Account, Directory, Emails, SpaceReaders
from core.timing import Clock
from core.ttl_cache import TtlCache

logger = logging.getLogger(__name__)

Reason = Literal["unmapped", "hidden", "ambiguous", "missing", "deactivated", "unavailable"]
"""Why a direct message shows no more than what is open to everybody."""


@dataclass(frozen=True, slots=True)
class Access:
    """What a question may see. ``reason``: why the asker's own account does not count, None where it does, or in a
    channel, where it never does.
    """

    scope: Scope
    reason: Reason | None = None


Refusal = Literal["guest", "no_spaces", "unknown_audience", "outside"]
"""guest: guests ask in channels only. no_spaces: nothing may be searched in this channel. unknown_audience: the
platform does not tell who can read there. outside: the answer rests on what may not be shown to this person (now)."""


@dataclass(frozen=True, slots=True)
class Channel:
    """``spaces``: None where the channel has none of its own."""

    spaces: frozenset[str] | None = None
    follow_ups: FollowUps = "thread"


@dataclass(frozen=True, slots=True)
class Channels:
    """``channels`` by ``platform:team:channel``, ``contacts`` by space: a person, a channel or words, as written."""

    channels: Mapping[str, Channel] = field(default_factory=dict)
    contacts: Mapping[str, str] = field(default_factory=dict)

    def of(self, place: Place) -> Channel:
        return self.channels.get(f"{place.platform}:{place.team}:{place.room}", Channel())


@dataclass(frozen=True, slots=True)
class IdentitySettings:
    """``open_spaces``: of the synced spaces, those whose unrestricted pages anybody who may write to WikiWhy may ask
    about in a direct message.

    ``seconds``: how long answers of Confluence are cached. ``patience``: seconds that a question waits for them; a
    look-up that takes longer goes on, for the next question.
    """

    open_spaces: Callable[[Iterable[str]], frozenset[str]] = lambda synced: frozenset()
    seconds: float = 900.0
    patience: float = 15.0


class Identities:
    """Maps chat users to accounts, and accounts to scopes.

    ``accounts`` reads the admin's file as it is now, or raises AccountsUnreadable. ``without_accounts`` says of a
    space's source whether its pages know no accounts at all. ``directory``: None where there is no Confluence.
    """

    def __init__(
        self,
        directory: Directory | None,
        accounts: Callable[[], ChatAccounts],
        spaces: SpaceStore,
        without_accounts: Callable[[str], bool],
        clock: Clock,
        settings: IdentitySettings,
    ) -> None:
        self._directory = directory
        self._accounts = accounts
        self._spaces = spaces
        self._without_accounts = without_accounts
        self._open = settings.open_spaces
        self._patience = settings.patience
        self._known: TtlCache[Account | None] = TtlCache(settings.seconds, clock)
        self._emails: TtlCache[Emails] = TtlCache(settings.seconds, clock)
        self._groups: TtlCache[frozenset[str]] = TtlCache(settings.seconds, clock)
        self._readers: TtlCache[SpaceReaders] = TtlCache(settings.seconds, clock)
        self._synced: TtlCache[Sequence[SpaceSummary]] = TtlCache(settings.seconds, clock)

    @property
    def has_directory(self) -> bool:
        """Whether there is a Confluence that knows accounts."""
        return self._directory is not None

    async def scope_for(self, person: Person, channel_spaces: Collection[str] | None) -> Access:
        """In a channel what all of its readers may see: its spaces, without restricted pages.

        In a direct message (``channel_spaces`` None) what the person's account may read among the synced spaces, else,
        with the reason why, only unrestricted pages of the open spaces.
        """
        if channel_spaces is not None:
            return Access(Scope(frozenset(channel_spaces)))
        try:
            async with asyncio.timeout(self._patience):
                return await self._own(person)
        except (WikiWhyError, TimeoutError) as error:
            cause = str(error) or f"the wiki takes longer than {self._patience:g} seconds to answer"
            logger.warning("What %s may read is not known, so only open spaces are searched: %s", person.key, cause)
            return await self._public("unavailable")

    def clear(self) -> None:
        """Removes what is cached of accounts."""
        self._known.forget()
        self._emails.forget()
        self._groups.forget()

    async def _own(self, person: Person) -> Access:
        if self._directory is None:
            return await self._public("unmapped")
        found = await self._account_of(person, self._directory)
        if not isinstance(found, Account):
            return await self._public(found)
        principals = await self._principals(found, self._directory)
        return Access(Scope(await self._readable(found, principals, self._directory), principals))

    async def _public(self, reason: Reason) -> Access:
        synced = await self._synced.get("", self._spaces.summaries)
        return Access(Scope(self._open(space.key for space in synced)), reason)

    async def _account_of(self, person: Person, directory: Directory) -> Account | Reason:
        mapped = self._accounts().of.get(person.key)
        candidates = await self._with_email(person.email, directory) if mapped is None else mapped
        if not isinstance(candidates, frozenset):
            return candidates
        if len(candidates) != 1:
            logger.warning("%s could be several accounts, or is given none: see the file of accounts.", person.key)
            return "ambiguous"
        (account_id,) = candidates
        account = await self._known.get(account_id, lambda: directory.account(account_id))
        if account is None:
            logger.warning("%s would be account %s, which does not exist.", person.key, account_id)
            return "missing"
        return account if account.active else "deactivated"

    async def _with_email(self, email: str | None, directory: Directory) -> frozenset[str] | Reason:
        """The accounts with that address, at least one."""
        wanted = normalize_email(email)
        if not wanted:
            return "unmapped"
        try:
            emails = await self._emails.get("", directory.emails)
        except LookupUnsupported as error:
            logger.info("Nobody is known by e-mail, only by the file of accounts: %s", error)
            return "hidden"
        found = frozenset(account for address, account in emails.of_accounts if normalize_email(address) == wanted)
        return found or ("unmapped" if emails.complete else "hidden")

    async def _principals(self, account: Account, directory: Directory) -> frozenset[str]:
        groups = await self._groups.get(account.account_id, lambda: directory.groups(account.account_id))
        return frozenset({f"user:{account.account_id}", *(f"group:{name}" for name in groups if name)})

    async def _readable(self, account: Account, principals: frozenset[str], directory: Directory) -> frozenset[str]:
        """The synced spaces that the account may read. One that is open to all here is not among them if the account
        may not read it: with principals, a scope would admit its restricted pages too.
        """
        synced = await self._synced.get("", self._spaces.summaries)
        own = [space.key for space in synced if space.source == directory.source]
        found = await asyncio.gather(*(self._readers_of(space, directory) for space in own))
        if own and all(isinstance(each, LookupUnsupported) for each in found):
            raise LookupUnsupported(str(found[0]))
        readable = {
            space
            for space, each in zip(own, found, strict=True)
            if isinstance(each, SpaceReaders) and each.admit(account, principals)
        }
        others = self._open(space.key for space in synced if self._without_accounts(space.source))
        return frozenset(readable | others)

    async def _readers_of(self, space: str, directory: Directory) -> SpaceReaders | LookupUnsupported:
        try:
            return await self._readers.get(space, lambda: directory.readers(space))
        except SpaceUnknown:
            return SpaceReaders()  # the syncing account may not read it any more: nobody is known to
        except LookupUnsupported as error:
            logger.warning("Space %s is left out of direct messages: %s", space, error)
            return error


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

    async def is_shared(self, place: Place, user: str) -> bool:
        """Whether people of other organisations can read at a place, or may join."""
        return not place.direct and await self._audience(place, user) == "mixed"

    async def to_see(self, turn: Turn, place: Place, user: str) -> Access | Refusal:
        """:meth:`now`, of somebody who wants to see a turn again; "outside" where that was asked with more rights."""
        access = await self.now(place, user)
        if isinstance(access, Access) and not turn.scope.principals <= access.scope.principals:
            return "outside"
        return access

    async def visible(self, turn: Turn, access: Access) -> frozenset[str]:
        """Those of the turn's pages that may be shown now."""
        return await self.visible_pages(turn.page_ids, access.scope)

    async def visible_pages(self, pages: Collection[str], scope: Scope) -> frozenset[str]:
        """Those of the pages that are current and may be shown in this scope now."""
        return await self.evidences.visible(pages, scope)

    async def visible_facts(self, pages: Collection[str], scope: Scope) -> dict[str, PageFacts]:
        """:meth:`visible_pages`, with what is known of each, in one look: nothing can change between the two."""
        return await self.evidences.visible_facts(pages, scope)

    async def all_visible(self, turn: Turn, access: Access) -> bool:
        """Whether every source of the turn may be shown now. An erased one has nothing left to show."""
        return await self.may_show(pages_with_text([turn]), access.scope)

    async def may_show(self, pages: Collection[str], scope: Scope) -> bool:
        """Whether all of these pages are current and may be shown in this scope now."""
        return await self.evidences.visible(pages, scope) >= frozenset(pages)

    async def still_allows(self, place: Place, user: str, asked_with: Access, pages: Collection[str]) -> bool:
        """Whether what was made from these pages, with these rights, may be shown at the place now."""
        access = await self._still(place, user, asked_with)
        return access is not None and await self.may_show(pages, access.scope)

    async def still_visible(
        self, place: Place, user: str, read_with: Access, pages: Collection[str]
    ) -> dict[str, PageFacts]:
        """:meth:`visible_facts` of pages that were read with these rights, by the rights of now."""
        access = await self._still(place, user, read_with)
        return await self.visible_facts(pages, access.scope) if access else {}

    async def _still(self, place: Place, user: str, before: Access) -> Access | None:
        """What may be searched now; None where that is less than before."""
        access = await self.now(place, user)
        return access if isinstance(access, Access) and has_rights_of(access.scope, before.scope) else None

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
