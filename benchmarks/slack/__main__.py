"""Options for a shorter run, or for the moments of an earlier one."""

import argparse

from benchmarks import slack
from benchmarks.corpus import ROOT, Corpus
from benchmarks.figure import Figure
from benchmarks.report import main

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.slack", description=slack.__doc__)
    parser.add_argument("--questions", type=int, default=slack.QUESTIONS, metavar="N", help="of each measurement")
    parser.add_argument("--kills", type=int, default=slack.KILLS, metavar="N", help="of questions, and again of clicks")
    parser.add_argument("--answers", type=int, default=slack.ANSWERS, metavar="N", help="generated ones")
    parser.add_argument("--seed", type=int, metavar="N", help="of the kills, of who asks what, and of the answers")
    parser.add_argument("--only", choices=slack.PARTS, nargs="+", default=list(slack.PARTS), help="some of the parts")
    given = parser.parse_args()

    def measure(corpus: Corpus) -> list[Figure]:
        return slack.measure(corpus, given.questions, given.kills, given.answers, given.seed, tuple(given.only))

    main(measure, written=ROOT / "build" / "slack.json")
