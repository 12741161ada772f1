"""Wikis: sources of pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.model import Page


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

    ``warning``: what is wrong with it that does not keep it from being read, "" if nothing.
    """

    page_id: str
    space: str
    title: str
    version: str
    read_restrictions: tuple[frozenset[str], ...] = ()
    warning: str = ""


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

        Raises :class:`core.errors.WikiUnavailable` if that is not known.
        """
        ...

    async def page(self, listed: ListedPage) -> Page:
        """The page with its body, its version, and its readers; may be called for several pages at once.

        ``version`` and ``read_restrictions`` are those of this body and not of ``listed``: whoever passes the
        restrictions could read this very version in the wiki. Restrictions of ``listed`` go on to hold: where they
        are others, both count.

        Raises :class:`core.errors.PageWithdrawn` where the page is not there any more, or in another space; another
        :class:`core.errors.PageUnreadable`, or :class:`core.errors.WikiUnavailable` where no other page could
        be read either.
        """
        ...
