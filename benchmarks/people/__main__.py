"""``python -m benchmarks.people [--answers FILE.tsv]``: print figures; exit code 1 if a rename costs too much."""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from pathlib import Path

from benchmarks.people.measure import measure_flavour, read_pages
from tests.servers.confluence import Flavour


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.people")
    parser.add_argument("--answers", type=Path, help="a file of tab-separated values, to read every answer")
    options = parser.parse_args(arguments)
    flavours: tuple[Flavour, ...] = ("cloud", "datacenter")
    rows, kept = [], True
    for flavour in flavours:
        with tempfile.TemporaryDirectory() as data:
            found = measure_flavour(flavour, read_pages(), Path(data))
        answers = found.answers
        shares = {
            "right": sum(one.is_right for one in answers),
            "named first": sum(one.is_first for one in answers),
            "nobody else": sum(one.is_alone for one in answers),
        }
        print(flavour, *(f"{name} {count / len(answers):.3f}" for name, count in shares.items()), f"of {len(answers)}")
        print(f"  rename: {found.bodies} bodies read, {found.embedded} texts embedded, {found.carrying} carry the name")
        kept = kept and found.bodies == 0 and found.embedded <= found.carrying and found.is_renamed
        rows += [
            (flavour, one.is_right, one.is_first, one.is_alone, one.question, ", ".join(one.who), one.text)
            for one in answers
        ]
    if options.answers:
        with options.answers.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter="\t")
            writer.writerows([("flavour", "right", "first", "alone", "question", "who", "answer"), *rows])
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
