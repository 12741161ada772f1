"""The speed of the extraction of evidences from storage format."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

from benchmarks.corpus import Corpus, pages_of
from benchmarks.figure import Figure, at_least
from benchmarks.report import main
from core.evidence.extract import extract
from core.model import Page

_PASSES = 3


def measure(corpus: Corpus) -> list[Figure]:
    """Measure pages per CPU second, as the median of three passes over all pages."""
    pages = pages_of(corpus.documents)
    evidences = sum(len(extract(page).evidences) for page in pages)
    rate = len(pages) / statistics.median(_cpu_seconds(pages) for _ in range(_PASSES))
    note = f"{len(pages)} pages, {evidences} evidences"
    return [Figure("extraction", "pages/CPU s", rate, corpus.required(at_least(150)), note)]


def _cpu_seconds(pages: Sequence[Page]) -> float:
    started = time.process_time()
    for page in pages:
        extract(page)
    return time.process_time() - started


if __name__ == "__main__":
    main(measure)
