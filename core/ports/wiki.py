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
    """A page as a wiki lists it, without its body. ``version`` is opaque: it changes whenever the page does."""

    page_id: str
    space: str
    title: str
    version: str
    read_restrictions: tuple[frozenset[str], ...] = ()


class Wiki(Protocol):
    """A source of pages: listed first, so that only changed bodies are read."""

    @property
    def source(self) -> str:
        """What the pages come from, for people: ``folder /path`` or ``confluence https://…``."""
        ...

    async def spaces(self) -> Sequence[str]:
        """The keys of all its spaces. Raises :class:`core.errors.WikiUnavailable` if it cannot be listed."""
        ...

    def listing(self, space: str) -> AsyncIterator[ListedPage | PageFailure]:
        """Every page of a space. A failure whose ``space`` is None may belong to any space."""
        ...

    async def page(self, listed: ListedPage) -> Page:
        """The page with its body. Raises :class:`core.errors.PageUnreadable`."""
        ...
