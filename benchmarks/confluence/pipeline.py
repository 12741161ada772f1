"""A first sync with an embedding endpoint: pages a second, memory by the number of pages, and where the time goes.

The endpoint takes 20 ms a batch. Both servers are in this process, the sync is in a process of its own.

``python -m benchmarks.confluence.pipeline``
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.child import MeasurementFailed, json_object
from benchmarks.confluence.served import FOLDER, Synced, sync
from benchmarks.corpus import Corpus
from benchmarks.figure import Figure, at_least, at_most
from benchmarks.report import main
from tests.servers.confluence import ConfluenceServer, Flavour, Site, many_pages
from tests.servers.embedding_server import EmbeddingServer

PAGES = (2_000, 10_000)
LATENCY = 0.02
_GROWTH = 1.15  # of memory, from the first number of pages to the last: lists of the pages themselves are small


@dataclass(frozen=True, slots=True)
class Pipelined:
    """A sync. ``seconds``: from the first request to the end. ``stages``: calls, seconds and processor seconds by name.

    ``committed``: seconds from the first request to the last commit of pages, and processor seconds until then.
    """

    done: Synced
    seconds: float
    committed: tuple[float, float]
    stages: dict[str, list[float]]
    requests: int
    batches: int
    batches_at_once: int


def measure_pipeline(flavour: Flavour, numbers: Sequence[int], spaces: int, latency: float) -> Iterator[Figure]:
    """Measure first syncs of sites with these numbers of pages."""
    peaks = {}
    for pages in numbers:
        found = _sync(flavour, pages, spaces, latency)
        peaks[pages] = found.done.peak
        name = f"{pages:,} pages, {flavour}"
        note = f"{found.requests:,} requests, {found.batches:,} batches, at most {found.batches_at_once} in flight"
        yield Figure(f"{name}: read and committed", "pages/s", pages / found.committed[0], at_least(200), note)
        yield Figure(f"{name}: processor time until then", "ms/page", found.committed[1] / pages * 1000)
        yield Figure(f"{name}: whole sync", "s", found.seconds)
        yield Figure(f"{name}: processor time", "ms/page", found.done.cpu / pages * 1000, None, _describe(found, pages))
        yield Figure(f"{name}: memory", "MB", found.done.peak)
    growth = peaks[numbers[-1]] / peaks[numbers[0]]
    yield Figure(f"memory, {numbers[-1]:,} pages to {numbers[0]:,}, {flavour}", "", growth, at_most(_GROWTH))


def _describe(found: Pipelined, pages: int) -> str:
    """Return the milliseconds of each stage and page: elapsed, and of processor time."""
    rest = found.done.cpu - sum(used for name, (_, _, used) in found.stages.items())
    stages = [
        f"{name} {elapsed / pages * 1000:.2f} ({used / pages * 1000:.2f})"
        for name, (_, elapsed, used) in found.stages.items()
    ]
    return f"elapsed (CPU) in ms/page: {', '.join(stages)}; other threads ({rest / pages * 1000:.2f})"


def _sync(flavour: Flavour, pages: int, spaces: int, latency: float) -> Pipelined:
    data, written = FOLDER / "pipeline", FOLDER / "pipeline.json"
    shutil.rmtree(data, ignore_errors=True)
    written.unlink(missing_ok=True)
    site = _make_site(pages, spaces)
    with EmbeddingServer(latency) as model, ConfluenceServer(site, flavour) as server:
        settings = {
            "WIKIWHY_EMBEDDER": "openai",
            "WIKIWHY_EMBEDDING_BASE_URL": model.url,
            "WIKIWHY_EMBEDDING_MODEL": "benchmark",
        }
        module = ("-m", "benchmarks.confluence.stages", str(written))
        done = sync(server, data, *sorted(site.spaces), module=module, settings=settings)
        first = server.requests[0].at
        used = _read(written)
        at, cpu = used["committed"]
        return Pipelined(
            done, done.ended - first, (at - first, cpu), used["stages"], len(server.requests), model.batches,
            model.at_once,
        )  # fmt: skip


def _make_site(pages: int, spaces: int) -> Site:
    site = Site()
    for number in range(spaces):
        some = pages // spaces + (number < pages % spaces)
        many_pages(some, f"BIG{number}", site, first=number * pages)
    return site


def _read(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise MeasurementFailed("the sync wrote no times")
    return json_object(path.read_text("ascii"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.confluence.pipeline", description=__doc__)
    parser.add_argument("--pages", type=int, nargs="+", default=PAGES, metavar="N")
    parser.add_argument("--spaces", type=int, default=1, metavar="N", help="the pages are in so many spaces")
    parser.add_argument("--latency", type=float, default=LATENCY, metavar="SECONDS", help="of a batch of texts")
    parser.add_argument("--flavours", nargs="+", default=["datacenter", "cloud"])
    given = parser.parse_args()

    def measure(corpus: Corpus) -> list[Figure]:
        return [
            figure
            for flavour in given.flavours
            for figure in measure_pipeline(flavour, given.pages, given.spaces, given.latency)
        ]

    main(measure)
