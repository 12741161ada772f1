"""A Confluence as a wiki: its spaces, their pages with everybody who may read them, and one page's body."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Literal

from adapters.confluence.cloud import CloudSite
from adapters.confluence.datacenter import DataCenterSite
from adapters.confluence.failures import Refusal
from adapters.confluence.http import Connection, Http
from adapters.confluence.restrictions import effective
from adapters.confluence.site import Site, SpaceReaders
from core.errors import PageUnreadable, SpaceUnavailable, WikiUnavailable
from core.model import Page
from core.ports import ListedPage, PageFailure, Traffic

Flavour = Literal["cloud", "datacenter"]


class ConfluenceWiki:
    """Reads one Confluence with one account: what that cannot see is not there."""

    def __init__(self, connection: Connection, flavour: Flavour) -> None:
        self._http = Http(connection)
        self._site: Site = CloudSite(self._http) if flavour == "cloud" else DataCenterSite(self._http)

    @property
    def source(self) -> str:
        return f"confluence {self._http.url}"

    @property
    def traffic(self) -> Traffic:
        return self._http.traffic

    async def spaces(self) -> Sequence[str]:
        """The keys of all spaces that the account may read. Raises WikiUnavailable."""
        try:
            return await self._site.spaces()
        except Refusal as refusal:
            raise self._unavailable("The spaces cannot be listed", refusal) from refusal

    async def listing(self, space: str) -> AsyncIterator[ListedPage | PageFailure]:
        """The current pages of a space.

        Raises SpaceUnknown, SpaceUnavailable where the listing breaks off, WikiUnavailable where any other would too.
        """
        try:
            found = await self._site.pages(space)
        except Refusal as refusal:
            unavailable = self._unavailable(f"Space {space} cannot be listed", refusal)
            raise unavailable if refusal.of_site else SpaceUnavailable(str(unavailable)) from refusal
        for page in found.pages:
            readers = effective(page.page_id, found.nodes)
            yield ListedPage(
                page.page_id, space, page.title, page.version, readers.read_restrictions, warning=readers.defect
            )

    async def page(self, listed: ListedPage) -> Page:
        """The page with its body.

        Raises PageUnreadable, or WikiUnavailable where no other page could be read either.
        """
        try:
            return await self._site.page(listed)
        except Refusal as refusal:
            if refusal.of_site:
                what = f'Page "{listed.title}" ({listed.page_id}) of space {listed.space} cannot be read'
                raise self._unavailable(what, refusal) from refusal
            if refusal.status == 404:
                raise PageUnreadable("was deleted, or hidden from the account, while it was read. Sync again") from None
            raise PageUnreadable(f"cannot be read: Confluence {refusal}") from refusal

    async def readers(self, space: str) -> SpaceReaders:
        """Who may read a space at all, to tell which principals ``space:{key}`` are. Raises WikiUnavailable."""
        try:
            return await self._site.readers(space)
        except Refusal as refusal:
            raise self._unavailable(f"Who may read space {space} cannot be told", refusal) from refusal

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def _unavailable(self, what: str, refusal: Refusal) -> WikiUnavailable:
        return WikiUnavailable(f"{what}: Confluence at {self._http.host} {refusal}")
