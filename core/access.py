"""What a person may see at a place now: in a channel its spaces, in a direct message what their account may read.

Code that sends text of pages must ask :class:`ChatAccess` immediately before sending.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.accounts import ChatAccounts
from core.chat.listening import FollowUps
from core.errors import ChatRefused, ChatUnavailable, LookupUnsupported, SpaceUnknown, WikiWhyError
from core.history import find_pages_with_text, has_rights_of, hide_words
from core.model import PageFacts, Person, RankedEvidence, Scope, Turn, normalize_email
from core.model.reasons import AccountReason, NoAccessReason
from core.ports.chat import Audience, ChatPlatform, Member, Place, Platform
from core.ports.pages import SpaceStore, SpaceSummary
from core.ports.store import EvidenceStore
from core.ports.wiki import Account, Directory, Emails, SpaceReaders
from core.timing import Clock, TtlCache

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Access:
    """The scope of a question.

    ``reason``: why the asker's own account is not used; None if it is, and always in a channel.
    """

    scope: Scope
    reason: AccountReason | None = None


@dataclass(frozen=True, slots=True)
class Channel:
    """Settings of a channel. ``spaces``: None if it has no spaces of its own."""

    spaces: frozenset[str] | None = None
    follow_ups: FollowUps = "thread"


@dataclass(frozen=True, slots=True)
class Channels:
    """Settings of channels by ``platform:team:channel``, and contacts by space.

    A contact is a person, a channel or text, as written in the file.
    """

    channels: Mapping[str, Channel] = field(default_factory=dict)
    contacts: Mapping[str, str] = field(default_factory=dict)

    def find_channel(self, place: Place) -> Channel:
        return self.channels.get(f"{place.platform}:{place.team}:{place.room}", Channel())

    def find_contact(self, evidences: Iterable[RankedEvidence]) -> str:
        """Return the contact of the space of the first evidence whose space has one, or ""."""
        spaces = (ranked.evidence.space for ranked in evidences)
        return next((self.contacts[space] for space in spaces if space in self.contacts), "")


@dataclass(frozen=True, slots=True)
class IdentitySettings:
    """Settings of :class:`Identities`.

    ``open_spaces``: selects from the synced spaces those whose unrestricted pages everybody may ask about in a direct
    message. ``seconds``: how long Confluence's responses are cached. ``patience``: seconds that a question waits for
    them; a slower look-up continues in the background, for the next question.
    """

    open_spaces: Callable[[Iterable[str]], frozenset[str]] = lambda synced: frozenset()
    seconds: float = 900.0
    patience: float = 15.0


class Identities:
    """Maps chat users to accounts, and accounts to scopes.

    ``accounts``: reads the admin's accounts file, or raises AccountsUnreadable. ``without_accounts``: whether the pages
    of a wiki with this name have no accounts. ``directory``: None without Confluence.
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
        self._accounts_by_id: TtlCache[Account | None] = TtlCache(settings.seconds, clock)
        self._emails: TtlCache[Emails] = TtlCache(settings.seconds, clock)
        self._groups: TtlCache[frozenset[str]] = TtlCache(settings.seconds, clock)
        self._readers: TtlCache[SpaceReaders] = TtlCache(settings.seconds, clock)
        self._synced: TtlCache[Sequence[SpaceSummary]] = TtlCache(settings.seconds, clock)

    @property
    def has_directory(self) -> bool:
        """Whether a Confluence with accounts is connected."""
        return self._directory is not None

    async def find_account_access(self, person: Person) -> Access:
        """Return what a person's account may read in the synced spaces.

        If that cannot be determined: the unrestricted pages of the open spaces, with the reason why.
        """
        try:
            async with asyncio.timeout(self._patience):
                return await self._find_own_access(person)
        except (WikiWhyError, TimeoutError) as error:
            cause = str(error) or f"the wiki did not answer within {self._patience:g} seconds"
            logger.warning("Only open spaces are searched for %s: permissions unknown: %s", person.key, cause)
            return await self._limit_to_open_spaces("unavailable")

    def clear(self) -> None:
        """Clear cached accounts, e-mail addresses and groups."""
        self._accounts_by_id.forget()
        self._emails.forget()
        self._groups.forget()

    async def _find_own_access(self, person: Person) -> Access:
        if self._directory is None:
            return await self._limit_to_open_spaces("unmapped")
        found = await self._find_account(person, self._directory)
        if not isinstance(found, Account):
            return await self._limit_to_open_spaces(found)
        principals = await self._list_principals(found, self._directory)
        return Access(Scope(await self._find_readable_spaces(found, principals, self._directory), principals))

    async def _limit_to_open_spaces(self, reason: AccountReason) -> Access:
        synced = await self._synced.get("", self._spaces.load_summaries)
        return Access(Scope(self._open(space.key for space in synced)), reason)

    async def _find_account(self, person: Person, directory: Directory) -> Account | AccountReason:
        mapped = self._accounts().of.get(person.key)
        candidates = await self._find_by_email(person.email, directory) if mapped is None else mapped
        if not isinstance(candidates, frozenset):
            return candidates
        if len(candidates) != 1:
            logger.warning("%s matches several accounts, or the accounts file gives them none.", person.key)
            return "ambiguous"
        (account_id,) = candidates
        account = await self._accounts_by_id.get(account_id, lambda: directory.find_account(account_id))
        if account is None:
            logger.warning("%s is mapped to account %s, which does not exist.", person.key, account_id)
            return "missing"
        return account if account.active else "deactivated"

    async def _find_by_email(self, email: str | None, directory: Directory) -> frozenset[str] | AccountReason:
        """Return the accounts with this e-mail address (at least one), or a reason."""
        wanted = normalize_email(email)
        if not wanted:
            return "unmapped"
        try:
            emails = await self._emails.get("", directory.list_emails)
        except LookupUnsupported as error:
            logger.info("Users cannot be found by e-mail, only in the accounts file: %s", error)
            return "hidden"
        found = frozenset(account for address, account in emails.of_accounts if normalize_email(address) == wanted)
        return found or ("unmapped" if emails.complete else "hidden")

    async def _list_principals(self, account: Account, directory: Directory) -> frozenset[str]:
        groups = await self._groups.get(account.account_id, lambda: directory.find_groups(account.account_id))
        return frozenset({f"user:{account.account_id}", *(f"group:{name}" for name in groups if name)})

    async def _find_readable_spaces(
        self, account: Account, principals: frozenset[str], directory: Directory
    ) -> frozenset[str]:
        """Return the synced spaces that the account may read.

        An open space that the account may not read is left out: with principals, a scope would admit its restricted
        pages too.
        """
        synced = await self._synced.get("", self._spaces.load_summaries)
        own = [space.key for space in synced if space.wiki_name == directory.name]
        found = await asyncio.gather(*(self._load_readers(space, directory) for space in own))
        if own and all(isinstance(each, LookupUnsupported) for each in found):
            raise LookupUnsupported(str(found[0]))
        readable = {
            space
            for space, each in zip(own, found, strict=True)
            if isinstance(each, SpaceReaders) and each.admit(account, principals)
        }
        others = self._open(space.key for space in synced if self._without_accounts(space.wiki_name))
        return frozenset(readable | others)

    async def _load_readers(self, space: str, directory: Directory) -> SpaceReaders | LookupUnsupported:
        try:
            return await self._readers.get(space, lambda: directory.find_readers(space))
        except SpaceUnknown:
            return SpaceReaders()  # the syncing account lost access, so no reader is known
        except LookupUnsupported as error:
            logger.warning("Space %s is not searched in direct messages: %s", space, error)
            return error


@dataclass(frozen=True, slots=True)
class ChatAccess:
    """Decides what may be shown at a place now.

    ``default_spaces``: selects from the synced spaces those for channels that the channels file does not name.
    """

    identities: Identities
    spaces: SpaceStore
    evidences: EvidenceStore
    platforms: Mapping[Platform, ChatPlatform]
    channels: Callable[[], Channels]
    default_spaces: Callable[[Iterable[str]], frozenset[str]]

    @property
    def has_accounts(self) -> bool:
        """Whether people may have accounts in the wiki."""
        return self.identities.has_directory

    async def find_access(self, place: Place, user: str) -> Access | NoAccessReason:
        """Return what a new question by this person at this place may see now, or why nothing.

        ``place``: of the current action; the ``shared`` flag of an earlier message may be out of date. Raises
        ChatUnavailable if the platform does not answer who the person is or who can read the place.
        """
        if place.direct:
            try:
                member = await self.platforms[place.platform].find_member(place, user)
            except ChatRefused:
                return "unknown_person"
            person = Person(place.platform, place.team, member.user, member.email)
            return "guest" if member.guest else await self.identities.find_account_access(person)
        spaces = await self._find_channel_spaces(place, user)
        return Access(Scope(spaces)) if isinstance(spaces, frozenset) else spaces

    async def _find_channel_spaces(self, place: Place, user: str) -> frozenset[str] | NoAccessReason:
        """Return the spaces enabled for a channel. A channel with other organisations has only those named for it."""
        own = self.channels().find_channel(place).spaces
        if own is None:
            synced = await self.spaces.load_keys()
            audience = await self._find_audience(place, user)
            own = self.channels().find_channel(place).spaces  # may have changed meanwhile
            if own is None and audience == "unknown":
                return "unknown_audience"
            if own is None and audience == "own":
                own = self.default_spaces(synced)
        return own or "no_spaces"

    async def _find_audience(self, place: Place, user: str) -> Audience:
        """Return the channel's audience. A person of another organisation who acts there makes it mixed."""
        if place.shared:
            return "mixed"
        platform = self.platforms[place.platform]
        audience, member = await asyncio.gather(platform.find_audience(place), _find_member(platform, place, user))
        return "mixed" if member and member.foreign else audience

    async def warm(self, place: Place, user: str) -> None:
        """Look up a channel's audience if the scope of its questions depends on it, so that it is cached."""
        if not place.direct and self.channels().find_channel(place).spaces is None:
            await self._find_audience(place, user)

    async def is_shared(self, place: Place, user: str) -> bool:
        """Whether people of other organisations can read at a place, or may join."""
        return not place.direct and await self._find_audience(place, user) == "mixed"

    async def find_access_to(self, turn: Turn, place: Place, user: str) -> Access | NoAccessReason:
        """Return the access of a person who wants to see a turn again; "outside" if it was asked with more rights."""
        access = await self.find_access(place, user)
        if isinstance(access, Access) and not turn.scope.principals <= access.scope.principals:
            return "outside"
        return access

    async def find_visible_pages(self, pages: Collection[str], scope: Scope) -> frozenset[str]:
        """Return the ids of the pages that are current and may be shown in this scope now."""
        return await self.evidences.filter_visible(pages, scope)

    async def load_visible_facts(self, pages: Collection[str], scope: Scope) -> dict[str, PageFacts]:
        """Return the facts of the visible pages; one query, so that nothing can change in between."""
        return await self.evidences.load_facts(pages, scope)

    async def may_show_turn(self, turn: Turn, access: Access) -> bool:
        """Whether all evidences of the turn may be shown now. Erased evidences have no text and do not count."""
        return await self.may_show(find_pages_with_text(turn), access.scope)

    async def may_show(self, pages: Collection[str], scope: Scope) -> bool:
        """Whether all of these pages are current and may be shown in this scope now."""
        return await self.evidences.filter_visible(pages, scope) >= frozenset(pages)

    async def may_still_show(self, place: Place, user: str, asked_with: Access, pages: Collection[str]) -> bool:
        """Whether text made from these pages, with these rights, may be shown at the place now."""
        access = await self._find_access_unless_reduced(place, user, asked_with)
        return access is not None and await self.may_show(pages, access.scope)

    async def load_still_visible_facts(
        self, place: Place, user: str, read_with: Access, pages: Collection[str]
    ) -> dict[str, PageFacts]:
        """:meth:`load_visible_facts` of pages that were read with these rights, filtered by the current rights."""
        access = await self._find_access_unless_reduced(place, user, read_with)
        return await self.load_visible_facts(pages, access.scope) if access else {}

    async def _find_access_unless_reduced(self, place: Place, user: str, before: Access) -> Access | None:
        """Return the current access, or None if it has fewer rights than before."""
        access = await self.find_access(place, user)
        return access if isinstance(access, Access) and has_rights_of(access.scope, before.scope) else None

    async def redact(self, turn: Turn, access: Access) -> Turn:
        """Return the turn without words of its question that may not be shown now (:func:`core.history.hide_words`)."""
        visible = await self.evidences.filter_visible(turn.question.provenance.page_ids, access.scope)
        return hide_words(turn, visible)


async def _find_member(platform: ChatPlatform, place: Place, user: str) -> Member | None:
    """Return the member, or None if the platform does not tell."""
    try:
        return await platform.find_member(place, user) if user else None
    except (ChatRefused, ChatUnavailable):
        return None
