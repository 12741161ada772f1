"""The first sync of the documents folder, and a second one without changes."""

from __future__ import annotations

import shutil

from benchmarks.child import WORK, Run, wikiwhy
from benchmarks.corpus import Corpus
from benchmarks.figure import Figure, at_most
from benchmarks.report import main

DATA = WORK / "sync"


def measure(corpus: Corpus) -> list[Figure]:
    """Measure both syncs. The embedder's file is built anew, as by the first sync on a machine."""
    shutil.rmtree(DATA, ignore_errors=True)
    shutil.rmtree(WORK / "cache", ignore_errors=True)
    first = sync(corpus)
    again = sync(corpus)
    pages = sum(space["pages"]["seen"] for space in first.json["spaces"])
    note = f"{pages} pages, {count_embedded(first)} texts embedded"
    return [
        Figure("first sync, CPU", "s", first.cpu, corpus.required(at_most(350)), note),
        Figure("first sync", "s", first.wall, corpus.required(at_most(200)), note),
        Figure("second sync", "s", again.wall, corpus.required(at_most(5)), f"{again.cpu:.1f} s of CPU"),
        Figure("second sync, embedded", "texts", count_embedded(again), corpus.required(at_most(0))),
    ]


def sync(corpus: Corpus) -> Run:
    """Sync the corpus into this benchmark's data directory."""
    arguments = ("sync", "folder", corpus.documents, "--data-dir", DATA, "--json")
    return wikiwhy(*arguments, cache=WORK / "cache")


def count_embedded(run: Run) -> int:
    """Return the number of texts that a sync embedded."""
    return sum(int(space["embedded"]) for space in run.json["spaces"])


if __name__ == "__main__":
    main(measure)
