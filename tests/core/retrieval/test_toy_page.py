"""The paper's example (RAGonite, section 1) over the real embedder, dense index, full-text index and store."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from bot.settings import Settings
from bot.wiring import open_application
from core.evidence.extract import extract
from core.indexing.index_entries import make_entry
from core.model import Page, RankedEvidence, Scope
from core.ports.pages import IndexedPage
from core.retrieval.retriever import RetrievalMode, RetrievalSettings, Retriever
from core.trace import Stopwatch
from tests.core.evidence.pages import rows
from tests.servers.sample_data import copy_sample_data

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


def as_indexed(page: Page) -> IndexedPage:
    return IndexedPage(page, page.page_id, tuple(make_entry(evidence, "") for evidence in extract(page).evidences))


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    return copy_sample_data(tmp_path / "data")


@pytest.fixture
async def wiki(samples: Path, embedder: E5Embedder) -> AsyncIterator[dict[RetrievalMode, Retriever]]:
    """The sample wiki with the toy page, found in each mode."""
    modes: tuple[RetrievalMode, ...] = ("hybrid", "lexical", "dense")
    with open_application(Settings(data_dir=samples)) as application:
        application.__dict__["embedder"] = embedder  # the cached property: one model for the whole session
        await application.indexer.put([as_indexed(TOY_PAGE)], lambda _: None)
        parts = (application.dense, application.lexical, application.evidences)
        yield {mode: Retriever(embedder, *parts, RetrievalSettings(mode=mode)) for mode in modes}


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
