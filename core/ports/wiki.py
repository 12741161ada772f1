"""Wikis: their pages, their accounts, and who may read their spaces."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.model import Page
from core.ports.files import KnownFile


@dataclass(frozen=True, slots=True)
class PageFailure:
    """A page that the wiki has but could not give; ``space`` is None where even that is unknown."""

    page_id: str
    title: str
    cause: str
    space: str | None = None


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page as a wiki lists it, without its body. ``version`` is opaque: it changes whenever the page does.

    ``warning``: what is wrong with it that does not keep it from being read, "" if nothing. ``is_post``: it is a blog
    post. ``above``: the ids of what it hangs below, pages and folders, from the nearest to the top. ``labels``: None
    where they are not known, or count as part of its version.
    """

    page_id: str
    space: str
    title: str
    version: str
    read_restrictions: tuple[frozenset[str], ...] = ()
    warning: str = ""
    is_post: bool = False
    above: tuple[str, ...] = ()
    labels: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class KnownComment:
    """A comment as it is stored: on which page, and which version of it."""

    page_id: str
    version: str


@dataclass(frozen=True, slots=True)
class Traffic:
    """Requests to a wiki's server, and waits because it was busy, in all ``seconds_waited``."""

    requests: int = 0
    waits: int = 0
    seconds_waited: float = 0.0

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
    """Who an account is now. ``name``: "" where there is no such account any more, or not for whoever asks."""

    name: str
    active: bool = True


@dataclass(frozen=True, slots=True)
class Issue:
    """What an issue of a tracker is about, as everybody may read it."""

    summary: str
    status: str


class IssueTracker(Protocol):
    """Where the issues are that pages show by their keys."""

    def covers(self, key: str) -> bool:
        """Whether everybody may read the issues of this one's project."""
        ...

    async def issues(self, keys: Collection[str]) -> Mapping[str, Issue | None]:
        """The issues that were found out about; None for one that is not there, or that not everybody may read.

        Raises :class:`core.errors.IssuesUnavailable`.
        """
        ...


class Wiki(Protocol):
    """A source of pages: listed first, so that only changed bodies are read."""

    @property
    def source(self) -> str:
        """What the pages come from, for people: ``folder /path`` or ``confluence https://…``."""
        ...

    @property
    def traffic(self) -> Traffic:
        """The requests since this object was made; nothing where there is no server."""
        ...

    async def spaces(self) -> Sequence[str]:
        """The keys of all its spaces. Raises :class:`core.errors.WikiUnavailable` if it cannot be listed."""
        ...

    def list_pages(self, space: str) -> AsyncIterator[ListedPage | PageFailure]:
        """Every page of a space. A failure whose ``space`` is None may belong to any space.

        Raises :class:`core.errors.SpaceUnknown` or :class:`core.errors.SpaceUnavailable` where other spaces may be
        listed all the same, else :class:`core.errors.WikiUnavailable`; never ends early without saying so.
        """
        ...

    async def find_page(self, page_id: str) -> ListedPage | None:
        """One page as :meth:`list_pages` gives it, read now; None if there is no such page, or not for the account.

        Its labels may be missing. Raises :class:`core.errors.WikiUnavailable` if that is not known.
        """
        ...

    async def find_commented_pages(self, space: str, known: Mapping[str, KnownComment], since: str) -> frozenset[str]:
        """The ids of the pages whose comments are others than the known ones: new, changed or deleted since then.

        ``known``: by ids. ``since``: ISO 8601, UTC, when they were all known; "" for never. No page where comments
        count as part of a page's version. Raises :class:`core.errors.SpaceUnavailable` or
        :class:`core.errors.WikiUnavailable` as :meth:`list_pages` does.
        """
        ...

    async def find_pages_with_changed_files(self, space: str, known: Mapping[str, KnownFile]) -> frozenset[str]:
        """The ids of the pages whose attached files are others than the known ones: new, changed, moved or removed.

        ``known``: by ids. No page where attached files count as part of a page's version. Raises
        :class:`core.errors.SpaceUnavailable` or :class:`core.errors.WikiUnavailable` as :meth:`list_pages` does.
        """
        ...

    async def page(self, listed: ListedPage) -> Page:
        """The page with its body, its version, its comments, its attached files, and its readers.

        May be called for several pages at once.

        ``version`` and ``read_restrictions`` are those of this body and not of ``listed``: whoever passes the
        restrictions could read this very version, and these comments and files, in the wiki. Restrictions of ``listed``
        go on to hold: where they are others, both count.

        Raises :class:`core.errors.PageWithdrawn` where the page is not there any more, or in another space; another
        :class:`core.errors.PageUnreadable`, or :class:`core.errors.WikiUnavailable` where no other page could
        be read either.
        """
        ...

    @property
    def people_at_once(self) -> int:
        """Of how many accounts it tells in one request; more than there ever are where that costs no request."""
        ...

    async def people(self, accounts: Collection[str]) -> Mapping[str, WikiPerson]:
        """Who these accounts are, by :attr:`core.model.NamedPerson.account`; those of whom it cannot know are left out.

        Raises :class:`core.errors.WikiUnavailable`.
        """
        ...


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
        """The same as of the :class:`core.ports.wiki.Wiki` whose spaces it knows."""
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
