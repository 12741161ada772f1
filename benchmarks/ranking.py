"""How often retrieval finds the right page: ``python -m benchmarks.ranking QUESTIONS DOCUMENTS [--vary CHANGES]…``.

QUESTIONS is an exam (`benchmarks/questions/`) or a set in the format of ConfQuestions, which is asked as a person
completed it. CHANGES are fields of `RetrievalSettings`, "NAME=VALUE …"; each adds a row of P@1 and hit@10. Unlike
`benchmarks.exam` nothing is answered, so a row takes seconds once the pages are synced.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.exam import open_wiki
from benchmarks.exam import read_questions as read_exam
from bot.cli.options import run
from core.model import Scope
from core.retrieval.retriever import RetrievalSettings, Retriever
from core.trace import Stopwatch
from evaluation.questions import parse_page_number
from evaluation.questions import read_questions as read_conversations

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question and its gold pages, by id or by the number in their URL."""

    language: str
    question: str
    pages: frozenset[str]


def read_wanted(path: Path) -> list[Wanted]:
    """Read the answerable questions of an exam, or of conversations as a person completed them."""
    text = path.read_text("utf-8")
    if "conv_id" not in json.loads(text)[0]:
        exam = [each for each in read_exam(path) if each.answerable]
        return [Wanted(each.language, each.question, frozenset(each.page_ids)) for each in exam]
    turns = [turn for conversation in read_conversations(text) for turn in conversation if turn.answerable]
    return [
        Wanted(turn.language, turn.human_completed, frozenset(map(parse_page_number, turn.gold_urls))) for turn in turns
    ]


def change(settings: RetrievalSettings, changes: str) -> RetrievalSettings:
    """Return the settings with ``NAME=VALUE …`` changes of numbers."""
    values = dict(each.split("=", 1) for each in changes.split())
    return replace(settings, **{name: type(getattr(settings, name))(value) for name, value in values.items()})


async def measure(retriever: Retriever, wanted: Sequence[Wanted]) -> dict[str, list[int]]:
    """Return the rank of the first evidence of a gold page, 0 if it is not among the ten, by language."""
    ranks: dict[str, list[int]] = defaultdict(list)
    for each in wanted:
        ranked = await retriever.retrieve(each.question, Scope(), Stopwatch(time.perf_counter))
        first = retriever.settings.limit
        found = [
            place.rank
            for place in ranked[:first]
            if each.pages & {place.evidence.page_id, parse_page_number(place.evidence.url)}
        ]
        ranks[each.language].append(min(found, default=0))
    return ranks


def main(arguments: list[str]) -> int:
    """Print a row for each configuration."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ranking", description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("documents", type=Path)
    parser.add_argument("--vary", action="append", default=[DEFAULT], metavar="CHANGES")
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    options = parser.parse_args(arguments)
    wanted = read_wanted(options.questions)
    with open_wiki(options.data_dir, options.documents, []) as application:
        for row in options.vary:
            settings = application.retriever.settings
            settings = settings if row == DEFAULT else change(settings, row)
            started = time.process_time()
            ranks = run(measure(replace(application.retriever, settings=settings), wanted))
            spent = (time.process_time() - started) * 1000 / len(wanted)
            print(f"{row:48}", *map(_format, sorted(ranks.items())), f"{spent:.0f} ms of processor time a question")
    return 0


def _format(ranks: tuple[str, Sequence[int]]) -> str:
    language, found = ranks
    count = len(found)
    return f"{language} P@1 {found.count(1) / count:.3f} hit@10 {sum(map(bool, found)) / count:.3f} of {count},"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
