"""A store of pages in memory, without evidences and indexes, for tests of what a sync stores."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import cast

from core.indexing.indexer import Indexer
from core.model import IndexedEvidence, LinkTarget, Page, PageQuery, PageReference
from core.ports.files import FileText, KnownFile
from core.ports.pages import (
    NOT_STORED,
    IndexedPage,
    NarrowedPage,
    Outline,
    PagesReplaced,
    SpaceSummary,
    StaleEntry,
    StoredPerson,
    UnclearNames,
)
from core.ports.wiki import KnownComment
from tests.core.indexing.store_only import StoreOnly


class MemoryPages:
    """A :class:`core.ports.pages.PageStore`."""

    def __init__(self) -> None:
        self.indexed: dict[str, IndexedPage] = {}

    async def load_digests(self, space: str) -> dict[str, str]:
        return {key: each.digest for key, each in self.indexed.items() if each.page.space == space}

    async def load_page(self, page_id: str) -> Page | None:
        return self.indexed[page_id].page if page_id in self.indexed else None

    async def load_comments(self, space: str) -> dict[str, KnownComment]:
        pages = [each.page for each in self.indexed.values() if each.page.space == space]
        return {
            comment.comment_id: KnownComment(page.page_id, comment.version)
            for page in pages
            for comment in page.comments
        }

    async def load_files(self, space: str) -> set[KnownFile]:
        pages = [each.page for each in self.indexed.values() if each.page.space == space]
        return {KnownFile(file.file_id, page.page_id, file.version) for page in pages for file in page.files}

    async def load_labels(self, space: str) -> dict[str, frozenset[str]]:
        pages = [each.page for each in self.indexed.values() if each.page.space == space]
        return {page.page_id: frozenset(page.labels) for page in pages}

    async def load_file_text(self, page_id: str, file_id: str, version: str) -> FileText | None:
        page = await self.load_page(page_id)
        found = [each for each in page.files if (each.file_id, each.version) == (file_id, version)] if page else []
        return FileText(found[0].content, found[0].problem) if found else None

    async def load_digest(self, page_id: str) -> str:
        return self.indexed[page_id].digest if page_id in self.indexed else NOT_STORED

    async def find_referenced(self, references: Collection[PageReference]) -> dict[PageReference, str]:
        """Return none: without evidences, no page shows another."""
        return {}

    async def find_selected(self, queries: Collection[PageQuery]) -> dict[PageQuery, list[str]]:
        return {}

    async def find_outlines(self, page_ids: Collection[str]) -> dict[str, Outline]:
        return {}

    async def save_parents(self, space: str, parents: Mapping[str, str], is_all: bool) -> bool:
        return False

    async def find_outdated_inclusions(self, wiki_name: str, space: str) -> list[str]:
        return []

    async def find_linked(self, wiki_name: str, space: str) -> list[LinkTarget]:
        return []

    async def find_naming(self, wiki_name: str, space: str) -> list[str]:
        return []

    async def find_naming_former(self, page_ids: Collection[str]) -> list[str]:
        return []

    async def note_unclear(self, names: Collection[PageReference]) -> None:
        """Do nothing: there are no references."""

    async def find_unclear(self, wiki_name: str, space: str) -> UnclearNames:
        return UnclearNames((), ())

    async def forget_unclear(self, space: str, titles: Collection[str]) -> None:
        """Do nothing: there are no references."""

    async def replace(self, pages: Sequence[IndexedPage]) -> list[StaleEntry]:
        expected = {each.page.page_id: each.replaces for each in pages if each.replaces is not None}
        replaced = [page_id for page_id in expected if await self.load_digest(page_id) != expected[page_id]]
        if replaced:
            raise PagesReplaced(replaced)
        self.indexed.update({each.page.page_id: each for each in pages})
        return []

    async def narrow(self, pages: Sequence[NarrowedPage]) -> None:
        """Do nothing: without outlines, no page is narrowed before it is replaced."""

    async def remove(self, page_ids: Collection[str], space: str | None = None) -> list[StaleEntry]:
        for page_id in page_ids:
            if page_id in self.indexed and space in {None, self.indexed[page_id].page.space}:
                del self.indexed[page_id]
        return []

    async def load_evidences(self, space: str) -> list[IndexedEvidence]:
        return []


class MemorySpaces:
    """A :class:`core.ports.pages.SpaceStore`."""

    def __init__(self, pages: MemoryPages) -> None:
        self._pages = pages
        self._synced: dict[str, SpaceSummary] = {}

    async def load_summaries(self) -> list[SpaceSummary]:
        return list(self._synced.values())

    async def load_keys(self) -> frozenset[str]:
        return frozenset(self._synced)

    async def finish_sync(self, space: str, wiki_name: str, at: str, error: str) -> None:
        pages = len(await self._pages.load_digests(space))
        before = self._synced.get(space)
        comments_at = before.comments_at if before else ""
        self._synced[space] = SpaceSummary(space, wiki_name, pages, {}, at, error, comments_at=comments_at)

    async def note_comments(self, space: str, at: str) -> None:
        self._synced[space] = replace(self._synced[space], comments_at=at)

    async def forget(self, space: str) -> list[StaleEntry]:
        self._synced.pop(space, None)
        return await self._pages.remove(await self._pages.load_digests(space))


class MemoryPeople:
    """The requested people. Mentions on pages are not part of this test."""

    def __init__(self) -> None:
        self._people: dict[str, StoredPerson] = {}

    async def find_people(self, wiki_name: str, accounts: Collection[str]) -> dict[str, StoredPerson]:
        return {account: self._people[account] for account in accounts if account in self._people}

    async def save(self, wiki_name: str, people: Mapping[str, StoredPerson]) -> None:
        self._people |= people

    async def list_accounts(self, wiki_name: str, space: str) -> dict[str, str]:
        return {}

    async def find_outdated_pages(self, wiki_name: str, space: str) -> list[str]:
        return []

    async def prune(self) -> None:
        pass


class MemoryStores:
    """All stores that a sync writes to."""

    def __init__(self) -> None:
        self.pages = MemoryPages()
        self.spaces = MemorySpaces(self.pages)
        self.people = MemoryPeople()
        self.indexer = cast(Indexer, StoreOnly(self.pages))

    @property
    def stored(self) -> list[Page]:
        """Return the stored pages."""
        return [each.page for each in self.pages.indexed.values()]
