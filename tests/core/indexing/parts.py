"""A real store and real indexes in one folder, with a small deterministic embedder and a wiki made of a dict."""

from __future__ import annotations

import hashlib
import time
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from adapters.index.dense import ChromaDenseIndex
from adapters.index.lexical import SqliteLexicalIndex
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from core.errors import EmbedderUnavailable, PageUnreadable, WikiUnavailable
from core.indexing.embedding import EvidenceEmbedder, TokenIndex
from core.indexing.indexer import Indexer
from core.indexing.page_reader import SyncSettings
from core.indexing.report import SpaceReport
from core.indexing.synchroniser import Synchroniser
from core.model import Evidence, IndexEntry, LinkTarget, Page, Scope
from core.ports.files import KnownFile
from core.ports.models import TokenVectors, Vectors
from core.ports.wiki import IssueTracker, KnownComment, ListedPage, PageFailure, Traffic, Wiki, WikiPerson
from core.timing import Progress
from tests.adapters.store.opened import stores_of

_EVERYBODY = Scope()


@dataclass
class HashEmbedder:
    """Embeds a text as its hash, counts the embedded texts, and fails after ``fails_after`` texts."""

    name: str = "hash"
    dimension: int = 8
    embedded: list[str] = field(default_factory=list)
    fails_after: int | None = None

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self.embed_passages(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if self.fails_after is not None and len(self.embedded) + len(texts) > self.fails_after:
            raise EmbedderUnavailable("The embedder went away. Start it again.")
        self.embedded += texts
        rows = [np.frombuffer(hashlib.sha256(text.encode()).digest()[:8], np.uint8) for text in texts]
        drawn = np.array(rows, np.float32).reshape(-1, self.dimension) + 1
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


@dataclass
class HashTokens:
    """Token vectors are the beginning of a text. Vectors are those of the embedder, which counts embedded texts."""

    vectors: HashEmbedder
    name: str = "hash/tokens"
    unit_name: str = "hash/units"
    units: list[str] = field(default_factory=list)  # those that were embedded

    @property
    def embedder(self) -> str:
        return self.vectors.name

    async def embed(self, texts: Sequence[str]) -> tuple[Vectors, list[TokenVectors]]:
        return await self.vectors.embed_passages(texts), [text[:40].encode() for text in texts]

    async def embed_units(self, texts: Sequence[str]) -> list[TokenVectors]:
        self.units += texts
        return [text.encode() for text in texts]


@dataclass
class DictWiki:
    """Pages by id. ``broken`` ones are listed but cannot be read, ``failures`` cannot even be listed."""

    pages: dict[str, Page] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    failures: list[PageFailure] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)  # of people, by account
    parents: dict[str, str] = field(default_factory=dict)  # of pages and folders, by ids
    silent: bool = False  # it tells no names
    asked_for: list[str] = field(default_factory=list)  # accounts
    name: str = "wiki"
    traffic: Traffic = field(default_factory=Traffic)

    async def list_spaces(self) -> Sequence[str]:
        return sorted({page.space for page in self.pages.values()})

    async def list_pages(self, space: str) -> AsyncIterator[ListedPage | PageFailure]:
        for page in self.pages.values():
            if page.space == space:
                yield self._list(page)
        for failure in self.failures:
            yield failure

    async def find_page(self, page_id: str) -> ListedPage | None:
        page = self.pages.get(page_id)
        return self._list(page) if page else None

    async def find_pages_with_changed_files(self, space: str, known: Set[KnownFile]) -> frozenset[str]:
        return frozenset()

    async def list_linked(self, space: str, targets: Collection[LinkTarget]) -> Sequence[ListedPage]:
        return ()

    async def find_commented_pages(self, space: str, known: Mapping[str, KnownComment], since: str) -> frozenset[str]:
        return frozenset()

    async def read_page(self, listed: ListedPage) -> Page:
        if listed.page_id in self.broken:
            raise PageUnreadable("is locked away")
        return self.pages[listed.page_id]

    @property
    def people_per_request(self) -> int:
        return 2

    async def find_people(self, accounts: Collection[str]) -> Mapping[str, WikiPerson]:
        self.asked_for += accounts
        if self.silent:
            raise WikiUnavailable("The wiki does not say who anybody is.")
        return {account: WikiPerson(self.names.get(account, "")) for account in accounts}

    def put(self, page_id: str, content: str, space: str = "DOC", title: str = "", readers: str = "") -> None:
        restrictions = (frozenset({readers}),) if readers else ()
        self.pages[page_id] = Page(page_id, space, title or f"Page {page_id}", "", content, "", restrictions)

    def _list(self, page: Page) -> ListedPage:
        above: dict[str, None] = {}
        at = self.parents.get(page.page_id)
        while at and at not in above and at != page.page_id:
            above[at] = None
            at = self.parents.get(at)
        return replace(_listed(page), above=tuple(above))


def _listed(page: Page) -> ListedPage:
    version = page.version or hashlib.sha256(f"{page.title}|{page.content}".encode()).hexdigest()
    return ListedPage(page.page_id, page.space, page.title, version, page.read_restrictions)


class Stores:
    """Stores, indexes and synchroniser in one folder."""

    def __init__(self, folder: Path, database: Database) -> None:
        self.folder = folder
        self.stores = stores_of(database)
        self.embedder = HashEmbedder()
        self.lexical = SqliteLexicalIndex.open(folder / "lexical.db")
        self.dense = ChromaDenseIndex.open(folder / "chroma", self.embedder.name)
        stores = self.stores
        self.token_embedder = HashTokens(self.embedder)
        tokens = TokenIndex(stores.token_vectors, self.token_embedder)
        embedder = EvidenceEmbedder(stores.vectors, self.embedder, tokens)
        self.indexer = Indexer(stores.pages, stores.stale, embedder, self.dense, self.lexical)
        self.tracker: IssueTracker | None = None

    def synchroniser(self, settings: SyncSettings) -> Synchroniser:
        parts = (self.indexer, self.stores.pages, self.stores.spaces, self.stores.people)
        return Synchroniser(*parts, time.perf_counter, settings, self.tracker)

    async def sync(
        self, wiki: Wiki, now: str = "2026-01-01", allow_mass_delete: bool = False, full: bool = False
    ) -> list[SpaceReport]:
        synchroniser = self.synchroniser(SyncSettings(allow_mass_delete=allow_mass_delete, full=full, read_at_once=4))
        self.progress: list[Progress] = []

        def show(progress: Progress) -> None:
            self.progress.append(progress)

        reports = await synchroniser.sync_all(wiki, await synchroniser.find_spaces(wiki), now, show)
        await self.stores.vectors.prune()
        return reports

    async def sync_spaces(self, wiki: Wiki, *spaces: str, now: str = "2026-01-01") -> list[SpaceReport]:
        """Sync only these spaces."""
        return await self.synchroniser(SyncSettings()).sync_all(wiki, spaces, now, lambda _: None)

    async def state(self) -> dict[str, set[IndexEntry]]:
        """Return the store's entries by space, after checking that both indexes have the same and none is stale."""
        assert await self.stores.stale.list_entries() == []
        state: dict[str, set[IndexEntry]] = {}
        for summary in await self.stores.spaces.load_summaries():
            entries = {evidence.entry for evidence in await self.stores.pages.load_evidences(summary.key)}
            keys = {entry.key for entry in entries}
            assert await self.lexical.load_keys(summary.key) == keys
            assert await self.dense.load_keys(summary.key) == keys
            state[summary.key] = entries
        return state

    async def read_evidences(self, scope: Scope = _EVERYBODY) -> list[Evidence]:
        """Return the evidences that a scope admits, by page and ordinal, after the checks of :meth:`state`."""
        keys = [entry.key for entries in (await self.state()).values() for entry in entries]
        current = await self.stores.evidences.load_evidences(keys, scope)
        return sorted(current.values(), key=lambda evidence: (evidence.page_id, evidence.ordinal))


@contextmanager
def open_stores(folder: Path) -> Iterator[Stores]:
    folder.mkdir(exist_ok=True)
    database = Database.open(make_sqlite_url(folder / "wikiwhy.db"))
    opened = Stores(folder, database)
    try:
        yield opened
    finally:
        opened.lexical.close()
        database.close()
