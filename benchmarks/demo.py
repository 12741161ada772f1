"""The time of ``make demo`` after installation, without a terminal, on a machine without earlier runs."""

from __future__ import annotations

import shutil

from benchmarks.child import WORK, run
from benchmarks.corpus import ROOT, Corpus
from benchmarks.figure import Figure, at_most
from benchmarks.report import main


def measure(corpus: Corpus) -> list[Figure]:
    """Measure the demo, which always uses the samples."""
    data, cache = WORK / "demo", WORK / "demo-cache"
    make = ["make", "-C", str(ROOT)]
    run([*make, "setup"])
    for folder in (data, cache):
        shutil.rmtree(folder, ignore_errors=True)
    played = run([*make, "demo", f"DEMO_DATA={data.relative_to(ROOT)}"], cache)
    return [Figure("demo without a terminal", "s", played.wall, at_most(90))]


if __name__ == "__main__":
    main(measure)
