"""A Confluence as a wiki: its spaces, their pages with everybody who may read them, and one page's body."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Literal

from adapters.confluence.cloud import CloudSite
from adapters.confluence.datacenter import DataCenterSite
from adapters.confluence.failures import NotAsListed, Refusal
from adapters.confluence.http import Connection, Http
from adapters.confluence.restrictions import effective
from adapters.confluence.site import Site
from core.errors import (
    LookupUnsupported,
    PageUnreadable,
    PageWithdrawn,
    SpaceUnavailable,
    WikiUnavailable,
    WikiWhyError,
)
from core.model import Page
from core.ports.wiki import Account, Emails, ListedPage, PageFailure, SpaceReaders, Traffic
from core.retrieval.access import narrow

Flavour = Literal["cloud", "datacenter"]

_PAGE_ID = re.compile("[0-9]{1,19}")


class ConfluenceWiki:
    """See :class:`core.ports.wiki.Wiki` and :class:`core.ports.wiki.Directory`.

    What the account cannot see is not there.
    """

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
        try:
            return await self._site.spaces()
        except Refusal as refusal:
            raise self._unavailable_error("The spaces cannot be listed", refusal) from refusal

    async def list_pages(self, space: str) -> AsyncIterator[ListedPage | PageFailure]:
        try:
            found = await self._site.pages(space)
        except Refusal as refusal:
            unavailable = self._unavailable_error(f"Space {space} cannot be listed", refusal)
            raise unavailable if refusal.of_site else SpaceUnavailable(str(unavailable)) from refusal
        for page in found.pages:
            readers = effective(page.page_id, found.nodes)
            yield ListedPage(
                page.page_id, space, page.title, page.version, readers.read_restrictions, warning=readers.defect
            )

    async def find_page(self, page_id: str) -> ListedPage | None:
        if not _PAGE_ID.fullmatch(page_id):
            return None
        try:
            found = await self._site.find(page_id)
        except Refusal as refusal:
            raise self._unavailable_error(f"Page {page_id} cannot be looked at", refusal) from refusal
        if found is None:
            return None
        page, readers = found.page, effective(page_id, found.nodes)
        restrictions = narrow(readers.read_restrictions, found.read_restrictions)
        return ListedPage(page.page_id, found.space, page.title, page.version, restrictions, warning=readers.defect)

    async def page(self, listed: ListedPage) -> Page:
        try:
            page = await self._site.page(listed)
        except Refusal as refusal:
            if refusal.of_site:
                what = f'Page "{listed.title}" ({listed.page_id}) of space {listed.space} cannot be read'
                raise self._unavailable_error(what, refusal) from refusal
            if refusal.status == 404:
                raise PageWithdrawn("was deleted, or hidden from the account, while it was read. Sync again") from None
            error = PageWithdrawn if isinstance(refusal, NotAsListed) else PageUnreadable
            raise error(f"cannot be read: Confluence {refusal}") from refusal
        return replace(page, read_restrictions=narrow(listed.read_restrictions, page.read_restrictions))

    async def readers(self, space: str) -> SpaceReaders:
        try:
            return await self._site.readers(space)
        except Refusal as refusal:
            raise self._lookup_error(f"Who may read space {space} cannot be told", refusal) from refusal

    async def account(self, account_id: str) -> Account | None:
        """``account_id``: an id on Cloud, a username on Data Center."""
        try:
            return await self._site.account(account_id)
        except Refusal as refusal:
            raise self._unavailable_error(f"Account {account_id} cannot be looked up", refusal) from refusal

    async def emails(self) -> Emails:
        try:
            return await self._site.emails()
        except Refusal as refusal:
            raise self._lookup_error("E-mail addresses cannot be looked up", refusal) from refusal

    async def groups(self, account_id: str) -> frozenset[str]:
        try:
            return await self._site.groups(account_id)
        except Refusal as refusal:
            raise self._unavailable_error(f"The groups of account {account_id} cannot be listed", refusal) from refusal

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def _unavailable_error(self, what: str, refusal: Refusal) -> WikiUnavailable:
        return WikiUnavailable(f"{what}: Confluence at {self._http.host} {refusal}")

    def _lookup_error(self, what: str, refusal: Refusal) -> WikiWhyError:
        """What is forbidden, or what this version does not have, stays so: asking again later does not help."""
        unavailable = self._unavailable_error(what, refusal)
        lasting = refusal.status in {403, 404, 410} and not refusal.of_site
        return LookupUnsupported(str(unavailable)) if lasting else unavailable
