"""Sync of Confluence: complete, frugal, safe against kills, and what readers may no longer see is gone.

Against the test server in ``tests/servers/confluence``, which runs in this process; the syncs run in their own.
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
    """The corpus is only listed and read; what is embedded are the samples, and ``pages`` short pages."""
    drawn = random.randrange(1_000_000) if seed is None else seed  # noqa: S311  # no secret
    with ConfluenceServer(from_documents(_SAMPLES), "cloud") as server:
        of_kills = measure_kills(server, kills, drawn)
    return [*measure_complete(corpus.documents, _SAMPLES), *measure_withdrawn(), *of_kills, *measure_many(pages)]
