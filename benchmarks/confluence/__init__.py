"""Sync of Confluence: completeness, number of requests, kills, and pages that readers may no longer see.

The server is ``tests/servers/confluence``, which runs in this process. The syncs run in their own processes.
"""

from __future__ import annotations

import random

from benchmarks.confluence.complete import measure_complete
from benchmarks.confluence.kills import measure_kills
from benchmarks.confluence.many import measure_many
from benchmarks.confluence.withdrawn import measure_withdrawn
from benchmarks.corpus import ROOT, Corpus
from benchmarks.figure import Figure
from tests.servers.confluence import ConfluenceServer, from_documents

PAGES = 10_000
KILLS = 20
_SAMPLES = ROOT / "samples" / "documents"


def measure(corpus: Corpus, pages: int = PAGES, kills: int = KILLS, seed: int | None = None) -> list[Figure]:
    """Measure. The corpus is only listed and read; only the samples and ``pages`` short pages are embedded."""
    drawn = random.randrange(1_000_000) if seed is None else seed  # noqa: S311  # no secret
    with ConfluenceServer(from_documents(_SAMPLES), "cloud") as server:
        of_kills = measure_kills(server, kills, drawn)
    return [*measure_complete(corpus.documents, _SAMPLES), *measure_withdrawn(), *of_kills, *measure_many(pages)]
