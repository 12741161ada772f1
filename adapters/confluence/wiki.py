"""A Confluence as a wiki and as a directory of accounts."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

from adapters.confluence.attachments import find_pages_with_changed_files
from adapters.confluence.cloud import CloudSite
from adapters.confluence.comments import find_commented_pages
from adapters.confluence.datacenter import DataCenterSite
from adapters.confluence.failures import NotAsListed, Refusal
from adapters.confluence.http import Connection, Http
from adapters.confluence.site import Site
from core.errors import LookupUnsupported, PageUnreadable, PageWithdrawn, SpaceUnavailable, WikiUnavailable
from core.indexing.files import FileTexts
from core.indexing.index_entries import combine_restrictions
from core.model import LinkTarget, Page
from core.ports.files import KnownFile
from core.ports.wiki import (
    Account,
    Emails,
    KnownComment,
    ListedPage,
    PageFailure,
    SpaceReaders,
    Traffic,
    WikiPerson,
)

Flavour = Literal["cloud", "datacenter"]

_PAGE_ID = re.compile("[0-9]{1,19}")


class ConfluenceWiki:
    """See :class:`core.ports.wiki.Wiki` and :class:`core.ports.wiki.Directory`.

    Whatever the account cannot see counts as missing.
    """

    def __init__(
        self,
        connection: Connection,
        flavour: Flavour,
        reads_comments: Callable[[str], bool] = lambda space: True,
        files: FileTexts | None = None,
    ) -> None:
        """``reads_comments``: whether comments of the space with this key are read.

        ``files``: reads attached files. Without it, only their names are read.
        """
        self._http = Http(connection)
        self._reads_comments = reads_comments
        flavoured = CloudSite if flavour == "cloud" else DataCenterSite
        self._files = files
        self._site: Site = flavoured(self._http, reads_comments, files)

    @property
    def name(self) -> str:
        return f"confluence {self._http.url}"

    @property
    def traffic(self) -> Traffic:
        return self._http.traffic

    async def list_spaces(self) -> Sequence[str]:
        with self._translate_refusals("The spaces cannot be listed"):
            return await self._site.list_spaces()

    async def list_pages(self, space: str) -> AsyncIterator[ListedPage | PageFailure]:
        try:
            found = await self._site.list_pages(space)
        except Refusal as refusal:
            raise self._make_unlisted_error(f"Space {space} cannot be listed", refusal) from refusal
        for page in found:
            yield page

    async def list_linked(self, space: str, targets: Collection[LinkTarget]) -> Sequence[ListedPage]:
        try:
            return await self._site.list_linked(space, targets)
        except Refusal as refusal:
            raise self._make_unlisted_error(
                f"What pages link to in space {space} cannot be listed", refusal
            ) from refusal

    async def find_commented_pages(self, space: str, known: Mapping[str, KnownComment], since: str) -> frozenset[str]:
        if not self._reads_comments(space):
            return frozenset(comment.page_id for comment in known.values())
        try:
            return await find_commented_pages(self._http, space, known, since)
        except Refusal as refusal:
            raise self._make_unlisted_error(f"The comments of space {space} cannot be listed", refusal) from refusal

    async def find_pages_with_changed_files(self, space: str, known: Set[KnownFile]) -> frozenset[str]:
        if not self._files or not self._files.reads_files(space):
            return frozenset(file.page_id for file in known)
        try:
            return await find_pages_with_changed_files(self._http, space, known)
        except Refusal as refusal:
            raise self._make_unlisted_error(
                f"The attached files of space {space} cannot be listed", refusal
            ) from refusal

    async def find_page(self, page_id: str) -> ListedPage | None:
        if not _PAGE_ID.fullmatch(page_id):
            return None
        with self._translate_refusals(f"Page {page_id} cannot be looked up"):
            return await self._site.find_page(page_id)

    async def read_page(self, listed: ListedPage) -> Page:
        try:
            page = await self._site.read_page(listed)
        except Refusal as refusal:
            if refusal.is_site_wide:
                what = f'Page "{listed.title}" ({listed.page_id}) of space {listed.space} cannot be read'
                raise self._make_unavailable_error(what, refusal) from refusal
            if refusal.status == 404:
                raise PageWithdrawn("was deleted, or hidden from the account, while it was read. Sync again") from None
            error = PageWithdrawn if isinstance(refusal, NotAsListed) else PageUnreadable
            raise error(f"cannot be read: Confluence {refusal}") from refusal
        return replace(page, read_restrictions=combine_restrictions(listed.read_restrictions, page.read_restrictions))

    @property
    def people_per_request(self) -> int:
        return self._site.people.people_per_request

    async def find_people(self, accounts: Collection[str]) -> Mapping[str, WikiPerson]:
        with self._translate_refusals("The names of people cannot be looked up"):
            return await self._site.people.find_people(accounts)

    async def find_readers(self, space: str) -> SpaceReaders:
        with self._translate_refusals(f"The readers of space {space} cannot be looked up", optional=True):
            return await self._site.find_readers(space)

    async def find_account(self, account_id: str) -> Account | None:
        """``account_id``: an account id on Cloud, a username on Data Center."""
        with self._translate_refusals(f"Account {account_id} cannot be looked up"):
            return await self._site.people.find_account(account_id)

    async def list_emails(self) -> Emails:
        with self._translate_refusals("E-mail addresses cannot be looked up", optional=True):
            return await self._site.people.list_emails()

    async def find_groups(self, account_id: str) -> frozenset[str]:
        with self._translate_refusals(f"The groups of account {account_id} cannot be listed"):
            return await self._site.people.find_groups(account_id)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    @contextmanager
    def _translate_refusals(self, what: str, optional: bool = False) -> Iterator[None]:
        """``optional``: not every version and account supports the request, so trying again does not help."""
        try:
            yield
        except Refusal as refusal:
            unavailable = self._make_unavailable_error(what, refusal)
            if optional and refusal.status in {403, 404, 410} and not refusal.is_site_wide:
                raise LookupUnsupported(str(unavailable)) from refusal
            raise unavailable from refusal

    def _make_unlisted_error(self, what: str, refusal: Refusal) -> WikiUnavailable | SpaceUnavailable:
        unavailable = self._make_unavailable_error(what, refusal)
        return unavailable if refusal.is_site_wide else SpaceUnavailable(str(unavailable))

    def _make_unavailable_error(self, what: str, refusal: Refusal) -> WikiUnavailable:
        return WikiUnavailable(f"{what}: Confluence at {self._http.host} {refusal}")
