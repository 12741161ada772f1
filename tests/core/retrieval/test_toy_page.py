"""The paper's example (RAGonite, section 1) over the real embedder, dense index, full-text index and store."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.index.dense import ChromaDenseIndex
from adapters.index.lexical import Fts5LexicalIndex
from adapters.store.database import Database, sqlite_url
from core.evidence.extract import extract
from core.indexing.indexer import Indexer, IndexerPorts
from core.model import Page, RankedEvidence, Scope
from core.ports import IndexedPage
from core.retrieval.entries import make_entry
from core.retrieval.retriever import RetrievalMode, RetrievalSettings, Retriever
from core.timing import Stopwatch
from tests.adapters.store.opened import stores_of
from tests.core.evidence.pages import rows

SAMPLES = Path(__file__).parents[3] / "samples" / "documents"

TASKS = rows(
    "th:Task | th:Owner | th:Due",
    "Measure recall of the hybrid index | Alice | 18 October",
    "Book a room for the demo | Bob | 21 October",
    "Write the release notes | Carol | 30 October",
)
TOY_PAGE = Page(
    page_id="4711",
    space="ENG",
    title="RAG Meeting October 2024",
    url="https://acme.atlassian.net/wiki/spaces/ENG/pages/4711/RAG+Meeting+October+2024",
    content=(
        "<p>Owned by Alice Example\nLast updated: Oct 03, 2024 by Bob Example\n\n</p>"
        "<h2>Agenda</h2><ul><li>State of retrieval</li><li>Demo for the customers</li><li>Release</li></ul>"
        f"<h2>To do</h2>{TASKS}<p>Whoever cannot make a due date tells the others in the channel.</p>"
    ),
)


def sample_pages() -> list[Page]:
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(SAMPLES.glob("*.json"))]
    return [
        Page(str(found["id"]), found["space"], found["title"], found["url"], found["content"], found.get("date", ""))
        for found in documents
    ]


def as_indexed(page: Page) -> IndexedPage:
    return IndexedPage(page, page.page_id, tuple(make_entry(evidence, "") for evidence in extract(page).evidences))


@pytest.fixture
async def wiki(tmp_path: Path, embedder: E5Embedder) -> AsyncIterator[dict[RetrievalMode, Retriever]]:
    """The sample wiki with the toy page, found in each mode."""
    database = Database.open(sqlite_url(tmp_path / "wikiwhy.db"))
    stores = stores_of(database)
    dense = ChromaDenseIndex.open(tmp_path / "chroma", embedder.name)
    lexical = Fts5LexicalIndex.open(tmp_path / "lexical.db")
    ports = IndexerPorts(stores.pages, stores.stale, stores.vectors, embedder, dense, lexical)
    await Indexer(ports).put([as_indexed(page) for page in [*sample_pages(), TOY_PAGE]], lambda _: None)
    modes: tuple[RetrievalMode, ...] = ("hybrid", "lexical", "dense")
    yield {mode: Retriever(embedder, dense, lexical, stores.evidences, RetrievalSettings(mode=mode)) for mode in modes}
    database.close()


async def found(retriever: Retriever, question: str) -> list[RankedEvidence]:
    return await retriever.retrieve(question, Scope(), Stopwatch(time.perf_counter))


async def test_alices_row_comes_first_with_title_heading_and_footer(wiki: dict[RetrievalMode, Retriever]) -> None:
    [best, *_] = await found(wiki["hybrid"], "todo for alice in oct rag meeting?")
    assert best.evidence.text == (
        "Row 1 in Table 1: Task is Measure recall of the hybrid index, and Owner is Alice, and Due is 18 October"
    )
    assert best.evidence.context.title == "RAG Meeting October 2024"
    assert best.evidence.context.heading_path == ("To do",)
    assert best.evidence.context.after == "Whoever cannot make a due date tells the others in the channel."
    assert best.evidence.url == f"{TOY_PAGE.url}#To-do"
    [bob, *_] = await found(wiki["hybrid"], "todo for bob in oct rag meeting?")
    assert bob.evidence.text.startswith("Row 2 in Table 1: Task is Book a room")
    for mode in ("lexical", "dense"):
        page_ids = [ranked.evidence.page_id for ranked in await found(wiki[mode], "todo for alice in oct rag meeting?")]
        assert page_ids[0] == TOY_PAGE.page_id, mode
