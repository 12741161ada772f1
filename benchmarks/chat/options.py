"""Command-line options of a platform's measurements, for shorter runs or to repeat an earlier run's moments."""

from __future__ import annotations

import argparse
from typing import Protocol

from benchmarks.corpus import ROOT, Corpus
from benchmarks.figure import Figure
from benchmarks.report import main


class Measure(Protocol):
    """See :func:`benchmarks.slack.measure`."""

    def __call__(
        self,
        corpus: Corpus,
        questions: int = ...,
        kills: int = ...,
        answers: int = ...,
        seed: int | None = ...,
        parts: tuple[str, ...] = ...,
    ) -> list[Figure]: ...


class Group(Protocol):
    """A package of measurements."""

    __name__: str
    __doc__: str | None
    QUESTIONS: int
    KILLS: int
    ANSWERS: int
    PARTS: tuple[str, ...]
    measure: Measure


def measure_group(group: Group) -> None:
    """Measure by the options of the command line, and write the figures to ``build/`` by the package's name."""
    parser = argparse.ArgumentParser(prog=f"python -m {group.__name__}", description=group.__doc__)
    parser.add_argument("--questions", type=int, default=group.QUESTIONS, metavar="N", help="of each measurement")
    parser.add_argument("--kills", type=int, default=group.KILLS, metavar="N", help="of questions, and again of clicks")
    parser.add_argument("--answers", type=int, default=group.ANSWERS, metavar="N", help="generated ones")
    parser.add_argument("--seed", type=int, metavar="N", help="of the kills, of who asks what, and of the answers")
    parser.add_argument("--only", choices=group.PARTS, nargs="+", default=list(group.PARTS), help="some of the parts")
    given = parser.parse_args()

    def measure(corpus: Corpus) -> list[Figure]:
        return group.measure(corpus, given.questions, given.kills, given.answers, given.seed, tuple(given.only))

    measure.__module__ = group.__name__  # the name in the report of failures
    main(measure, written=ROOT / "build" / f"{group.__name__.rpartition('.')[2]}.json")
