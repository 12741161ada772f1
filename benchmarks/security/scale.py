"""The time of frequent operations in a large wiki: readiness, `spaces`, one edited page, one removed page, a search.

Durations on this machine, with the targets for 300,000 pages and 1.5 million evidences in SQLite. The first run builds
the wiki under build/scale, which takes minutes. Later runs use it again, and change a few pages.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from adapters.index.lexical import SqliteLexicalIndex
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from adapters.store.wiki.evidences import SqlEvidenceStore
from adapters.store.wiki.index_state import SqlStaleEntries, SqlVectorStore
from adapters.store.wiki.pages import SqlPageStore
from adapters.store.wiki.people import SqlPeopleStore
from adapters.store.wiki.spaces import SqlSpaceStore
from benchmarks.security._large import GROUPS, CountedDense, LargeWiki, NoVectors, build
from core.indexing.embedding import EvidenceEmbedder
from core.indexing.indexer import Indexer
from core.indexing.page_reader import SyncSettings
from core.indexing.synchroniser import Synchroniser
from core.model import Scope

BUILD = Path("build") / "scale"
PAGES = 300_000
REPEATS = 5


@dataclass(frozen=True, slots=True)
class Measure:
    """A measurement. ``most``: the target in seconds, None without one."""

    name: str
    seconds: float
    most: float | None = None

    @property
    def missed(self) -> bool:
        return self.most is not None and self.seconds > self.most


def main(arguments: list[str]) -> int:
    """Print the table. Return 1 if a target was missed at full size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.security scale", description=__doc__)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--forget", action="store_true", help="also forget a space; the next run builds the wiki anew")
    options = parser.parse_args(arguments)
    measures = run(BUILD / str(options.pages), options.pages, options.forget)
    print(f"{'':44} {'seconds':>9} {'at most':>9}")
    for each in measures:
        target = "" if each.most is None else f"{each.most:9.3f}"
        print(f"{each.name:44} {each.seconds:9.3f} {target:>9}{'  missed' if each.missed else ''}")
    return int(options.pages >= PAGES and any(each.missed for each in measures))


def run(folder: Path, pages: int, forget: bool = False) -> list[Measure]:
    """Measure with the wiki in the folder, which is built if it does not exist."""
    wiki, built, measures = LargeWiki(pages), folder / "built", []
    if not built.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        started = time.perf_counter()
        asyncio.run(build(folder, wiki))
        measures.append(Measure("building it", time.perf_counter() - started))
        built.touch()
    database = Database.open(make_sqlite_url(folder / "wikiwhy.db"))
    lexical = SqliteLexicalIndex.open(folder / "lexical.db")
    try:
        if forget:
            built.unlink()
        return measures + asyncio.run(_measure(database, lexical, wiki, forget))
    finally:
        lexical.close()
        database.close()


async def _measure(database: Database, lexical: SqliteLexicalIndex, wiki: LargeWiki, forget: bool) -> list[Measure]:
    spaces, pages, evidences = SqlSpaceStore(database), SqlPageStore(database), SqlEvidenceStore(database)
    counts = {each.key: sum(each.evidences.values()) for each in await spaces.load_summaries()}
    vectors = SqlVectorStore(database)
    embedder = EvidenceEmbedder(vectors, NoVectors())
    indexer = Indexer(pages, SqlStaleEntries(database), embedder, CountedDense(counts), lexical)
    synchroniser = Synchroniser(indexer, pages, spaces, SqlPeopleStore(database), time.perf_counter, SyncSettings())
    person = Scope(principals=frozenset({"user:ann", *(f"group:g{number}" for number in range(0, GROUPS, 10))}))

    async def sync() -> None:
        reports = await synchroniser.sync_all(wiki, ["S01"], "2026-01-02", lambda _: None)
        await vectors.prune()
        await database.scrub()
        assert not reports[0].refusal, reports[0]

    async def list_pages() -> None:
        async for _ in wiki.list_pages("S01"):
            pass

    def edit() -> None:
        number = 1 + 30 * random.randrange(wiki.pages // 30)  # noqa: S311 - any page
        wiki.edits[number] = time.time_ns()

    def remove() -> None:
        wiki.removed.add(1 + 30 * random.randrange(wiki.pages // 30))  # noqa: S311 - any page

    keys = [each.entry.key for each in (await pages.load_evidences("S02"))[:100]]
    await sync()
    measures = [
        Measure("readiness", await _time(lambda: indexer.find_incomplete_spaces(spaces)), 0.05),
        Measure("spaces", await _time(spaces.load_summaries), 0.2),
        Measure("listing a space, by the wiki alone", await _time(list_pages)),
        Measure("a space synced in which nothing changed", await _time(sync)),
        Measure("one page edited, its space synced", await _time(sync, edit), 2.0),
        Measure("one page removed, its space synced", await _time(sync, remove), 2.0),
        Measure(
            "what a person may reach, once a search", await _time(lambda: evidences.find_access_filter(person)), 0.05
        ),
        Measure("the evidences of 100 hits", await _time(lambda: evidences.load_evidences(keys, person)), 0.05),
        Measure("whether a page has this title", await _time(lambda: evidences.has_page("Page 17", person)), 0.05),
    ]
    if forget:
        measures += await _forget(database, indexer, spaces, lexical)
    return measures


async def _forget(
    database: Database, indexer: Indexer, spaces: SqlSpaceStore, lexical: SqliteLexicalIndex
) -> list[Measure]:
    async def forget() -> None:
        await indexer.drop(await spaces.forget("S03"))

    return [
        Measure("one space of thirty forgotten", await _time(forget, repeats=1)),
        Measure("db compact: the full-text index", await _time(lexical.compact, repeats=1)),
        Measure("db compact: the database", await _time(database.compact, repeats=1)),
    ]


async def _time(
    work: Callable[[], Awaitable[object]], before: Callable[[], None] = lambda: None, repeats: int = REPEATS
) -> float:
    """Return the median of the seconds."""
    taken = []
    for _ in range(repeats):
        before()
        started = time.perf_counter()
        await work()
        taken.append(time.perf_counter() - started)
    return sorted(taken)[len(taken) // 2]
