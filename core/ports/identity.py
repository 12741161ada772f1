"""A wiki's accounts, their groups, and who may read its spaces."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Account:
    """An account as the wiki has it. ``account_id``: as in the principal ``user:{account_id}``.

    ``active``: it may log in and use the wiki. ``guest``: it is none of "everybody with an account".
    """

    account_id: str
    active: bool
    guest: bool = False


@dataclass(frozen=True, slots=True)
class Emails:
    """The e-mail addresses that the wiki gives, each with an account's id; an address may come more than once.

    ``complete``: False where the wiki hides some, so that an address that is missing here may still be somebody's.
    """

    of_accounts: tuple[tuple[str, str], ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class SpaceReaders:
    """Who may read a space, before any page's restriction.

    ``principals``: users and groups. ``anonymous``: also who has not logged in. ``everybody``: whoever has an account.
    """

    principals: frozenset[str] = frozenset()
    anonymous: bool = False
    everybody: bool = False

    def admit(self, account: Account, principals: Collection[str]) -> bool:
        """Whether an active account with these principals, its groups' among them, may read the space."""
        if self.anonymous or not self.principals.isdisjoint(principals):
            return True
        return self.everybody and not account.guest


class Directory(Protocol):
    """The accounts of one wiki. Each method raises WikiUnavailable where the wiki cannot be asked."""

    @property
    def source(self) -> str:
        """The same as of the :class:`core.ports.Wiki` whose spaces it knows."""
        ...

    async def account(self, account_id: str) -> Account | None:
        """The account of that id, None if there is none. Its ``account_id`` is spelt as principals spell it."""
        ...

    async def emails(self) -> Emails:
        """All addresses at once. Raises LookupUnsupported where the wiki gives none: that does not mean nobody."""
        ...

    async def groups(self, account_id: str) -> frozenset[str]:
        """The names of all groups that the account is a member of."""
        ...

    async def readers(self, space: str) -> SpaceReaders:
        """Who may read a space. Raises SpaceUnknown, and LookupUnsupported where the wiki does not say."""
        ...
