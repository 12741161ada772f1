"""A large wiki in a store and a full-text index, inserted in bulk; no dense index, whose graph would take hours.

Each text is computed from its page's number, so that the wiki needs no memory during a sync.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sqlalchemy import Connection, Table, insert

from adapters.index.lexical import SqliteLexicalIndex
from adapters.store import schema
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from adapters.store.statements import hash_title
from adapters.store.wiki.counting import EVIDENCES_BY_KIND, PAGES_BY_ACCESS
from adapters.store.wiki.page_rows import make_evidence_row, make_page_row
from core.indexing.index_entries import make_access_id, make_entry, sort_restrictions
from core.indexing.page_reader import SyncSettings, digest_page
from core.model import Context, Evidence, IndexEntry, LinkTarget, Page
from core.ports.files import KnownFile
from core.ports.indexes import AccessFilter, Hit
from core.ports.models import Vectors
from core.ports.pages import IndexedPage
from core.ports.wiki import KnownComment, ListedPage, PageFailure, Traffic, WikiPerson

EVIDENCES = 5  # of a page
GROUPS = 100
_AT_ONCE = 2000  # pages
_BEGINNINGS, _MIDDLES, _ENDS = ("tra", "bo", "ke", "lu", "mi"), ("vel", "nus", "ra", "dok"), ("", "s", "ung")
_WORDS = [f"{a}{b}{c}" for a in _BEGINNINGS for b in _MIDDLES for c in _ENDS]


@dataclass
class LargeWiki:
    """``pages`` pages in ``number_of_spaces`` spaces. One in twenty is restricted to one of a hundred groups.

    ``edits``: the number of later edits by page; ``removed``: removed pages.
    """

    pages: int
    number_of_spaces: int = 30
    edits: dict[int, int] = field(default_factory=dict)
    removed: set[int] = field(default_factory=set)
    name: str = "folder of no place"
    traffic: Traffic = field(default_factory=Traffic)

    def texts(self, number: int) -> list[str]:
        rng = random.Random(f"{number} {self.edits.get(number, 0)}")  # noqa: S311 - the same each time
        return [f"{' '.join(rng.choices(_WORDS, k=9))} n{number}" for _ in range(EVIDENCES)]

    def make_page(self, number: int) -> Page:
        listed = self.make_listed(number)
        content = "".join(f"<p>{text}</p>" for text in self.texts(number))
        restrictions = listed.read_restrictions
        return Page(listed.page_id, listed.space, listed.title, f"/p/{number}", content, "2026-01-01", restrictions)

    def make_listed(self, number: int) -> ListedPage:
        readers = (frozenset({f"group:g{number // 20 % GROUPS}"}),) if number % 20 == 0 else ()
        space = f"S{number % self.number_of_spaces:02}"
        return ListedPage(str(number), space, f"Page {number}", str(self.edits.get(number, 0)), readers)

    async def list_spaces(self) -> Sequence[str]:
        return [f"S{number:02}" for number in range(self.number_of_spaces)]

    async def list_pages(self, space: str) -> AsyncIterator[ListedPage | PageFailure]:
        for number in range(int(space[1:]), self.pages, self.number_of_spaces):
            if number not in self.removed:
                yield self.make_listed(number)

    async def find_page(self, page_id: str) -> ListedPage | None:
        return None if int(page_id) in self.removed else self.make_listed(int(page_id))

    async def find_pages_with_changed_files(self, space: str, known: Set[KnownFile]) -> frozenset[str]:
        return frozenset()

    async def list_linked(self, space: str, targets: Collection[LinkTarget]) -> Sequence[ListedPage]:
        return ()

    async def find_commented_pages(self, space: str, known: Mapping[str, KnownComment], since: str) -> frozenset[str]:
        return frozenset()

    @property
    def people_per_request(self) -> int:
        return 1

    async def find_people(self, accounts: Collection[str]) -> Mapping[str, WikiPerson]:
        return {}

    async def read_page(self, listed: ListedPage) -> Page:
        return self.make_page(int(listed.page_id))


class NoVectors:
    """An embedder without computation."""

    name = "none"
    dimension = 8

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self.embed_passages(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), self.dimension), dtype=np.float32) / np.float32(np.sqrt(self.dimension))


class CountedDense:
    """A dense index that only counts its entries."""

    def __init__(self, counts: dict[str, int]) -> None:
        self._counts = counts

    async def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        for entry in entries:
            self._counts[entry.space] = self._counts.get(entry.space, 0) + 1

    async def remove(self, space: str, keys: Collection[str]) -> None:
        self._counts[space] = self._counts.get(space, 0) - len(keys)

    async def search(self, vector: Vectors, access_filter: AccessFilter, limit: int) -> list[Hit]:
        return []

    async def load_keys(self, space: str) -> set[str]:
        return set()

    async def count(self, space: str) -> int:
        return self._counts.get(space, 0)


async def build(folder: Path, wiki: LargeWiki) -> None:
    """Fill ``wikiwhy.db`` and ``lexical.db`` in an empty folder."""
    database = Database.open(make_sqlite_url(folder / "wikiwhy.db"))
    lexical = SqliteLexicalIndex.open(folder / "lexical.db")
    with database.write() as connection:
        keys = [
            {"key": key, "source": wiki.name, "synced_at": "x", "last_error": ""} for key in await wiki.list_spaces()
        ]
        connection.execute(insert(schema.spaces), keys)
    for start in range(0, wiki.pages, _AT_ONCE):
        pages = [_indexed_page(wiki, number) for number in range(start, min(start + _AT_ONCE, wiki.pages))]
        with database.write() as connection:
            for table, rows in _rows(pages):
                if rows:
                    connection.execute(insert(table), list(rows))
            _add_accesses(connection, pages)
        await lexical.add([evidence.entry for page in pages for evidence in page.evidences])
    with database.write() as connection:
        _recount(connection)
    await lexical.tidy(0)
    lexical.close()
    database.close()


def _indexed_page(wiki: LargeWiki, number: int) -> IndexedPage:
    page = wiki.make_page(number)
    access = make_access_id(page.read_restrictions)
    context = Context(page.title)
    evidences = [
        Evidence(f"{number}-{at}", page.page_id, page.space, "passage", at, text, context, page.url, (text,), ())
        for at, text in enumerate(wiki.texts(number))
    ]
    digest = digest_page(wiki.make_listed(number), SyncSettings().fingerprint)
    return IndexedPage(page, digest, tuple(make_entry(evidence, access, "ALL") for evidence in evidences))


def _rows(pages: Sequence[IndexedPage]) -> Iterator[tuple[Table, Sequence[Mapping[str, object]]]]:
    yield schema.pages, [make_page_row(page, 1) for page in pages]
    titles = [{"page_id": page.page.page_id, "title_hash": hash_title(page.page.title)} for page in pages]
    yield schema.page_titles, titles
    evidences = [make_evidence_row(page, evidence) for page in pages for evidence in page.evidences]
    yield schema.evidences, evidences
    vector = np.ones(8, dtype="<f4").tobytes()
    hashes = {str(row["text_hash"]) for row in evidences}
    yield schema.vectors, [{"embedder": "none", "text_hash": each, "vector": vector} for each in sorted(hashes)]


def _recount(connection: Connection) -> None:
    """Update the counts of pages and evidences, which bulk insertion skips."""
    for table, query in ((schema.page_counts, PAGES_BY_ACCESS), (schema.evidence_counts, EVIDENCES_BY_KIND)):
        connection.execute(insert(table).from_select([column.name for column in table.columns], query))


def _add_accesses(connection: Connection, pages: Sequence[IndexedPage]) -> None:
    for page in pages:
        if restrictions := page.page.read_restrictions:
            row = {"access": make_access_id(restrictions), "read_restrictions": sort_restrictions(restrictions)}
            connection.execute(insert(schema.accesses).prefix_with("OR IGNORE"), row)
