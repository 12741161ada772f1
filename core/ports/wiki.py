"""Wikis: their pages, accounts, and the readers of their spaces."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Protocol

from core.model import LinkTarget, NamedPerson, Page, ReadRestrictions
from core.ports.files import KnownFile


@dataclass(frozen=True, slots=True)
class PageFailure:
    """A page of the wiki that could not be read. ``space`` is None if even the space is unknown."""

    page_id: str
    title: str
    cause: str
    space: str | None = None


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page as a wiki lists it, without its body."""

    page_id: str
    space: str
    title: str
    version: str  # opaque: differs after every change of the page
    read_restrictions: ReadRestrictions = ()
    warning: str = ""  # a defect that does not prevent reading the page
    is_post: bool = False  # it is a blog post
    above: tuple[str, ...] = ()  # ids of its ancestors, pages and folders, from the parent to the top
    labels: frozenset[str] | None = None  # None if they are unknown or count as part of the version
    editor: NamedPerson | None = None  # who made this version, if the listing has the name


@dataclass(frozen=True, slots=True)
class KnownComment:
    """The page and version of a stored comment."""

    page_id: str
    version: str


@dataclass(frozen=True, slots=True)
class Traffic:
    """The load on a wiki's server: requests, and waits because the server was busy."""

    requests: int = 0
    waits: int = 0
    seconds_waited: float = 0.0  # in total

    def __add__(self, other: Traffic) -> Traffic:
        return Traffic(
            self.requests + other.requests, self.waits + other.waits, self.seconds_waited + other.seconds_waited
        )

    def __sub__(self, other: Traffic) -> Traffic:
        return Traffic(
            self.requests - other.requests, self.waits - other.waits, self.seconds_waited - other.seconds_waited
        )


@dataclass(frozen=True, slots=True)
class WikiPerson:
    """The current data of an account."""

    name: str  # "" if the account does not exist, or is not visible to the account that asks
    active: bool = True


@dataclass(frozen=True, slots=True)
class Issue:
    """The public data of an issue of a tracker."""

    summary: str
    status: str


class IssueTracker(Protocol):
    """The tracker of the issues that pages show by key."""

    def covers(self, key: str) -> bool:
        """Whether everybody may read the issues of this issue's project."""

    async def find_issues(self, keys: Collection[str]) -> Mapping[str, Issue | None]:
        """Return the issues that the tracker gave an answer for; None for one that is missing or not public.

        Raises :class:`core.errors.IssuesUnavailable`.
        """


class Wiki(Protocol):
    """What pages are from. Pages are listed first, so that only changed ones have to be read."""

    @property
    def name(self) -> str:
        """``folder /path`` or ``confluence https://…``."""

    @property
    def traffic(self) -> Traffic:
        """The requests since this object was created; none if there is no server."""

    async def list_spaces(self) -> Sequence[str]:
        """Return the keys of all spaces. Raises :class:`core.errors.WikiUnavailable` if they cannot be listed."""

    def list_pages(self, space: str) -> AsyncIterator[ListedPage | PageFailure]:
        """Iterate over all pages of a space. A failure whose ``space`` is None may belong to any space.

        Never ends early without an error: raises :class:`core.errors.SpaceUnknown` or
        :class:`core.errors.SpaceUnavailable` if other spaces may still be listed, otherwise
        :class:`core.errors.WikiUnavailable`.
        """

    async def find_page(self, page_id: str) -> ListedPage | None:
        """Return the current data of one page as :meth:`list_pages` would, or None if the account sees no such page.

        Labels may be missing. Raises :class:`core.errors.WikiUnavailable` if the wiki cannot tell.
        """

    async def list_linked(self, space: str, targets: Collection[LinkTarget]) -> Sequence[ListedPage]:
        """Return those of the folders and the like that are in a space and that :meth:`list_pages` may leave out.

        Raises :class:`core.errors.SpaceUnavailable` or :class:`core.errors.WikiUnavailable`, as :meth:`list_pages`
        does.
        """

    async def find_commented_pages(self, space: str, known: Mapping[str, KnownComment], since: str) -> frozenset[str]:
        """Return the ids of pages with comments that are new, changed or deleted compared to ``known`` (by id).

        ``since``: when all comments were known, ISO 8601, UTC; "" for never. Returns nothing if comments count as part
        of a page's version. Raises :class:`core.errors.SpaceUnavailable` or :class:`core.errors.WikiUnavailable`, as
        :meth:`list_pages` does.
        """

    async def find_pages_with_changed_files(self, space: str, known: Set[KnownFile]) -> frozenset[str]:
        """Return the ids of pages with files that are new, changed, moved or removed compared to ``known``.

        Returns nothing if files count as part of a page's version. Raises :class:`core.errors.SpaceUnavailable` or
        :class:`core.errors.WikiUnavailable`, as :meth:`list_pages` does.
        """

    async def read_page(self, listed: ListedPage) -> Page:
        """Read a page with body, version, comments, attached files and read restrictions. May be called concurrently.

        ``version`` and ``read_restrictions`` are those of the body that is returned, not of ``listed``: whoever passes
        the restrictions may read exactly this version, with these comments and files, in the wiki. If the restrictions
        differ from those of ``listed``, both apply.

        Raises :class:`core.errors.PageWithdrawn` if the page no longer exists or is in another space, another
        :class:`core.errors.PageUnreadable` if only this page cannot be read, and :class:`core.errors.WikiUnavailable`
        if no page can be read.
        """

    @property
    def people_per_request(self) -> int:
        """The number of accounts that one request of :meth:`find_people` covers; very large if no request is needed."""

    async def find_people(self, accounts: Collection[str]) -> Mapping[str, WikiPerson]:
        """Return the people of these accounts (as in :attr:`core.model.NamedPerson.account`), without unknown ones.

        Raises :class:`core.errors.WikiUnavailable`.
        """


@dataclass(frozen=True, slots=True)
class Account:
    """An account of the wiki."""

    account_id: str  # as in the principal ``user:{account_id}``
    active: bool  # it may log in and use the wiki
    guest: bool = False  # it does not count as "everybody with an account"


@dataclass(frozen=True, slots=True)
class Emails:
    """The e-mail addresses that the wiki shows."""

    of_accounts: tuple[tuple[str, str], ...]  # pairs of address and account id; an address may occur more than once
    complete: bool  # False if the wiki hides some addresses


@dataclass(frozen=True, slots=True)
class SpaceReaders:
    """The readers of a space, before page restrictions."""

    principals: frozenset[str] = frozenset()  # users and groups
    anonymous: bool = False  # everybody, without login
    everybody: bool = False  # everybody with an account

    def admit(self, account: Account, principals: Collection[str]) -> bool:
        """Whether an active account with these principals (its own and its groups') may read the space."""
        if self.anonymous or not self.principals.isdisjoint(principals):
            return True
        return self.everybody and not account.guest


class Directory(Protocol):
    """The accounts of one wiki. All methods raise WikiUnavailable if the wiki cannot be reached."""

    @property
    def name(self) -> str:
        """The :attr:`core.ports.wiki.Wiki.name` of the wiki whose spaces it knows."""

    async def find_account(self, account_id: str) -> Account | None:
        """Return an account, or None. Its ``account_id`` is spelt as in principals."""

    async def list_emails(self) -> Emails:
        """Return all addresses. Raises LookupUnsupported if the wiki gives none; accounts may still have some."""

    async def find_groups(self, account_id: str) -> frozenset[str]:
        """Return the names of all groups that the account is a member of."""

    async def find_readers(self, space: str) -> SpaceReaders:
        """Return the readers of a space. Raises SpaceUnknown, and LookupUnsupported if the wiki does not tell."""
