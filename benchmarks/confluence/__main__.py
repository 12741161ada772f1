"""``python -m benchmarks.confluence``, with options for a shorter run or to repeat an earlier run's moments."""

import argparse

from benchmarks import confluence
from benchmarks.corpus import Corpus
from benchmarks.figure import Figure
from benchmarks.report import main

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.confluence", description=confluence.__doc__)
    parser.add_argument("--pages", type=int, default=confluence.PAGES, metavar="N", help="short pages in one space")
    parser.add_argument("--kills", type=int, default=confluence.KILLS, metavar="N")
    parser.add_argument("--seed", type=int, metavar="N", help="of the moments of the kills")
    given = parser.parse_args()

    def measure(corpus: Corpus) -> list[Figure]:
        return confluence.measure(corpus, given.pages, given.kills, given.seed)

    main(measure)
