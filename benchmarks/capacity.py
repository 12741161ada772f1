"""What both indexes need by their number of entries: processor time of a search, disk, memory, time to build.

``python -m benchmarks.capacity`` measures files and PostgreSQL with the synthetic wiki of :mod:`benchmarks.postgres`,
in half of its 100 spaces, one question at a time. Processor time includes that of PostgreSQL. docs/capacity.md
computes from it what larger wikis need.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sqlalchemy import text

from adapters.index.pgvector import PgvectorDenseIndex
from adapters.index.postgres import SCHEMA, IndexDatabase
from adapters.index.postgres_lexical import PostgresLexicalIndex
from benchmarks.chat.bots import empty
from benchmarks.chat.processor import read_processor_seconds
from benchmarks.child import WORK, default_settings
from benchmarks.postgres import SERVER, SyntheticWiki, fill
from bot.settings import Settings
from bot.wiring import open_application
from core.model import IndexEntry
from core.ports.indexes import AccessFilter, DenseIndex, LexicalIndex
from tests.servers import postgres

_SPACES = 100
_AT_ONCE = 500
_FOUND = 100
_WARM_UP = 10
_SIZE = """
SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relnamespace = to_regnamespace(:schema) AND relkind = 'r'
"""


@dataclass(frozen=True, slots=True)
class Filled:
    """Both indexes with entries. ``bytes``: on disk; ``seconds``: processor time to add them; ``pids``: of a server."""

    lexical: LexicalIndex
    dense: DenseIndex
    bytes: int
    seconds: float
    pids: Sequence[int]


@contextmanager
def fill_files(wiki: SyntheticWiki) -> Iterator[Filled]:
    data = empty(WORK / "capacity") / str(wiki.evidences)  # not one for all, since chromadb keeps clients by path
    with default_settings():
        settings = Settings(data_dir=data)
    with open_application(settings) as application:
        before = _read_seconds([])
        for space in range(wiki.spaces):
            of_space = range(space, wiki.evidences, wiki.spaces)
            for start in range(0, len(of_space), _AT_ONCE):
                some = of_space[start : start + _AT_ONCE]
                asyncio.run(_add(application.lexical, application.dense, wiki, some))
        seconds = _read_seconds([]) - before
        size = sum(path.stat().st_size for path in data.rglob("*") if path.is_file())
        yield Filled(application.lexical, application.dense, size, seconds, [])


async def _add(lexical: LexicalIndex, dense: DenseIndex, wiki: SyntheticWiki, some: Sequence[int]) -> None:
    entries = [_make_entry(wiki, entry) for entry in some]
    await lexical.add(entries)
    await dense.add(entries, np.stack([wiki.vector_of(entry) for entry in some]))


def _make_entry(wiki: SyntheticWiki, entry: int) -> IndexEntry:
    words = " ".join(wiki.vocabulary[word] for word in wiki.words_of(entry))
    return IndexEntry(f"k{entry:07}", wiki.space_of(entry), wiki.access_of(entry), "", "", words, "")


@contextmanager
def fill_postgres(wiki: SyntheticWiki) -> Iterator[Filled]:
    programs = postgres.find_programs()
    if programs is None:
        raise SystemExit("There is no PostgreSQL for this machine.")
    with postgres.running(programs, *SERVER) as server, server.new_database() as url:
        pids = [server.pid or 0]
        database = IndexDatabase.open(url)
        before = _read_seconds(pids)
        fill(database, wiki)
        seconds = _read_seconds(pids) - before
        size = database.run(lambda connection: connection.execute(text(_SIZE), {"schema": SCHEMA}).scalar_one())
        lexical, dense = PostgresLexicalIndex.open(database), PgvectorDenseIndex(database, "synthetic")
        yield Filled(lexical, dense, int(size), seconds, pids)
        database.close()


STORES = {"files": fill_files, "postgres": fill_postgres}


async def search(filled: Filled, wiki: SyntheticWiki, questions: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of each question, elapsed and of the processor."""
    access_filter = AccessFilter(
        tuple(f"S{number:03}" for number in range(_SPACES // 2)), frozenset({"group1", "group2"})
    )
    elapsed, spent = [], []
    for number in range(-_WARM_UP, questions):
        question, vector = wiki.question(number + 1000)
        before, began = _read_seconds(filled.pids), time.perf_counter()
        await asyncio.gather(
            filled.lexical.search(question, access_filter, _FOUND), filled.dense.search(vector, access_filter, _FOUND)
        )
        ended = time.perf_counter()
        if number >= 0:
            elapsed.append(1000 * (ended - began))
            spent.append(1000 * (_read_seconds(filled.pids) - before))
    return elapsed, spent


def _read_seconds(pids: Sequence[int]) -> float:
    return time.process_time() + read_processor_seconds(pids)


def _read_memory() -> int:
    """Return the resident bytes of this process."""
    return int(Path("/proc/self/statm").read_text("utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capacity")
    parser.add_argument("--evidences", nargs="+", type=int, default=[10_000, 50_000, 200_000])
    parser.add_argument("--stores", nargs="+", choices=tuple(STORES), default=[*STORES])
    parser.add_argument("--questions", type=int, default=100)
    given = parser.parse_args()
    print("| entries | store | processor ms a question | median ms | p95 ms | bytes an entry | this process, MB |"
          " processor ms to add an entry |")  # fmt: skip
    print("|---:|---|---:|---:|---:|---:|---:|---:|")
    for evidences in given.evidences:
        for store in given.stores:
            wiki = SyntheticWiki(evidences, _SPACES)
            with STORES[store](wiki) as filled:
                elapsed, spent = asyncio.run(search(filled, wiki, given.questions))
                fields = [
                    f"{evidences:,}",
                    store,
                    f"{np.mean(spent):.1f}",
                    f"{np.median(elapsed):.1f}",
                    f"{np.percentile(elapsed, 95):.1f}",
                    f"{filled.bytes / evidences:,.0f}",
                    f"{_read_memory() / 2**20:.0f}",
                    f"{1000 * filled.seconds / evidences:.2f}",
                ]
                print(f"| {' | '.join(fields)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
