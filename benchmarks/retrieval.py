"""The time of retrieval without embedding the query, with 4,000 evidences in the real store and indexes."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import sync
from benchmarks.child import WORK, default_settings, wikiwhy
from benchmarks.corpus import Corpus, pages_of
from benchmarks.figure import Figure, at_most
from benchmarks.report import main
from bot.settings import Settings
from bot.threads import open_runner
from bot.wiring import open_application
from core.evidence.extract import extract
from core.model import Page, Scope
from core.ports.models import Embedder, Vectors, WordMatcher
from core.retrieval.retriever import Retriever
from core.trace import Stopwatch

EVIDENCES = 4000
_DATA = WORK / "retrieval"
_WARM_UP = 20


@dataclass(frozen=True, slots=True)
class Precomputed:
    """An embedder with precomputed queries."""

    name: str
    dimension: int
    queries: Mapping[str, Vectors]

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self.queries[text] for text in texts])

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        raise RuntimeError("only queries are precomputed")


def measure(corpus: Corpus) -> list[Figure]:
    """Measure the 95th percentile and the median of the elapsed time, one question at a time."""
    _prepare(corpus)
    with default_settings():
        settings = Settings(data_dir=_DATA)
    with open_application(settings) as application:
        evidences = sum(sum(space.evidences.values()) for space in asyncio.run(application.spaces.load_summaries()))
        asked = questions(corpus.questions)
        embedder = asyncio.run(precompute(application.embedder, asked))
        parts = (embedder, application.dense, application.lexical, application.evidences)
        retriever = Retriever(*parts, settings.retrieval_settings, matcher=application.matcher)
        with open_runner() as runner:  # as the processes that answer questions
            runner.run(application.load_models())
            spent = runner.run(_milliseconds(retriever, application.matcher, asked))
    note = f"{len(asked)} questions, {evidences:,} evidences"
    return [
        Figure("retrieval, p95", "ms", float(np.percentile(spent, 95)), corpus.required(at_most(40)), note),
        Figure("retrieval, median", "ms", float(np.median(spent)), None, note),
    ]


def _prepare(corpus: Corpus) -> None:
    """Sync the corpus, and copy pages up to 4,000 evidences. The texts of copies are known, so none is embedded."""
    sync.sync(corpus)
    shutil.rmtree(_DATA, ignore_errors=True)
    shutil.copytree(sync.DATA, _DATA)
    documents = WORK / "documents"
    shutil.rmtree(documents, ignore_errors=True)
    shutil.copytree(corpus.documents, documents)
    for page in copies(pages_of(corpus.documents), EVIDENCES):
        fields = {"id": page.page_id, "title": page.title, "url": page.url, "space": page.space, "date": page.date}
        (documents / f"{page.page_id}.json").write_text(json.dumps(fields | {"content": page.content}), "utf-8")
    wikiwhy("sync", "folder", documents, "--data-dir", _DATA, "--json", cache=WORK / "cache")


def copies(pages: Sequence[Page], evidences: int) -> list[Page]:
    """Yield copies of pages with new ids, until there are at least ``evidences`` with the originals'."""
    counts = [len(extract(page).evidences) for page in pages]
    total, made = sum(counts), list[Page]()
    if total == 0:
        raise ValueError("these pages have no evidence to copy")
    while total < evidences:
        page, count = pages[len(made) % len(pages)], counts[len(made) % len(pages)]
        made.append(_copy(page, len(made) // len(pages) + 1))
        total += count
    return made


def _copy(page: Page, number: int) -> Page:
    return Page(f"{page.page_id}-copy-{number}", page.space, page.title, page.url, page.content, page.date)


def questions(path: Path) -> list[str]:
    """Return all completed questions in English and German."""
    turns = [turn for conversation in json.loads(path.read_text("utf-8")) for turn in conversation["turns"]]
    return list(dict.fromkeys(turn[f"completed_q_{language}"] for turn in turns for language in ("en", "de")))


async def precompute(embedder: Embedder, asked: Sequence[str]) -> Precomputed:
    """Return an embedder with the vectors for these questions."""
    vectors = await embedder.embed_queries(asked)
    return Precomputed(embedder.name, embedder.dimension, dict(zip(asked, vectors, strict=True)))


async def _milliseconds(retriever: Retriever, matcher: WordMatcher, asked: Sequence[str]) -> list[float]:
    for question in asked[:_WARM_UP]:
        await retriever.retrieve(question, Scope(), Stopwatch(time.perf_counter))
    spent: list[float] = []
    for question in asked:
        await matcher.match_stored(question, ())  # with the tokens of its vector
        started = time.perf_counter()
        await retriever.retrieve(question, Scope(), Stopwatch(time.perf_counter))
        spent.append((time.perf_counter() - started) * 1000)
    return spent


if __name__ == "__main__":
    main(measure)
