"""What a chat user may see: the scope of a question in a channel, and in a direct message."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from core.errors import LookupUnsupported, SpaceUnknown, WikiWhyError
from core.model import Scope
from core.person import ChatAccounts, Person, comparable
from core.ports.store import SpaceStore, SpaceSummary
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
        wanted = comparable(email)
        if not wanted:
            return "unmapped"
        try:
            emails = await self._emails.get("", directory.emails)
        except LookupUnsupported as error:
            logger.info("Nobody is known by e-mail, only by the file of accounts: %s", error)
            return "hidden"
        found = frozenset(account for address, account in emails.of_accounts if comparable(address) == wanted)
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
