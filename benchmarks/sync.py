"""Sync of the whole documents folder: from nothing, and again with nothing changed."""

from __future__ import annotations

import shutil

from benchmarks.child import WORK, Run, wikiwhy
from benchmarks.corpus import Corpus
from benchmarks.figure import Figure, at_most
from benchmarks.report import main

DATA = WORK / "sync"


def measure(corpus: Corpus) -> list[Figure]:
    """Also builds the embedder's file anew, as the first sync on a machine does."""
    shutil.rmtree(DATA, ignore_errors=True)
    shutil.rmtree(WORK / "cache", ignore_errors=True)
    first = sync(corpus)
    again = sync(corpus)
    pages = sum(space["pages"]["seen"] for space in first.json["spaces"])
    note = f"{pages} pages, {embedded(first)} texts embedded"
    return [
        Figure("first sync, CPU", "s", first.cpu, corpus.required(at_most(400)), note),
        Figure("first sync", "s", first.wall, corpus.required(at_most(300)), note),
        Figure("second sync", "s", again.wall, corpus.required(at_most(5)), f"{again.cpu:.1f} s of CPU"),
        Figure("second sync, embedded", "texts", embedded(again), corpus.required(at_most(0))),
    ]


def sync(corpus: Corpus) -> Run:
    """Syncs the corpus into this benchmark's data directory."""
    arguments = ("sync", "folder", corpus.documents, "--data-dir", DATA, "--json")
    return wikiwhy(*arguments, cache=WORK / "cache")


def embedded(run: Run) -> int:
    """How many texts a sync embedded."""
    return sum(int(space["embedded"]) for space in run.json["spaces"])


if __name__ == "__main__":
    main(measure)
