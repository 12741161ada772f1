"""A reading exam: questions with regular expressions that the answer must and must not contain.

`python -m benchmarks.exam QUESTIONS DOCUMENTS [--half tune|held] [--set KEY=VALUE …] [--answers FILE.tsv]`

QUESTIONS is a file of `benchmarks/questions/` or one in the same format, DOCUMENTS the folder of the pages that it
asks about. The index stays in the data directory and is used again.

An answer is right if it contains every expression of `must`, and none of `must_not`. An unanswerable question is right
if it is refused, or if the answer contains what `must` names, if it names anything. Citations are removed before the
expressions are tried.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.cli.options import run
from bot.cli.sync import sync_with_progress
from bot.operations.operation import LocalOperations
from bot.operations.sync import SyncSpaces
from bot.settings import load_settings
from bot.wiring import Application, open_application
from core.conversation import QuestionToAnswer
from core.model import Scope, Turn
from evaluation.configuration import change_settings, use_documents

_CITATION = re.compile(r"\s*\[(?:\d+|\?)\]")


@dataclass(frozen=True, slots=True)
class ExamQuestion:
    """One question in one language. ``half``: "tune" or "held", "" if the set has no halves."""

    question_id: str
    kind: str
    language: str
    question: str
    page_ids: tuple[str, ...]
    must: tuple[str, ...]
    must_not: tuple[str, ...]
    answerable: bool
    half: str
    quotes: tuple[str, ...] = ()  # verbatim from the page, cells of a row joined by " | "

    def is_right(self, turn: Turn) -> bool:
        """Whether the answer of a turn is right."""
        if not turn.answer.answered:
            return not self.answerable
        if not self.answerable and not self.must:
            return False
        return self.is_right_text(turn.answer.text)

    def is_right_text(self, text: str) -> bool:
        """Whether a text contains all of ``must`` and none of ``must_not``."""
        text = _CITATION.sub("", text)
        wrong = any(re.search(each, text, re.IGNORECASE) for each in self.must_not)
        return not wrong and all(re.search(each, text, re.IGNORECASE) for each in self.must)


@dataclass(frozen=True, slots=True)
class Graded:
    """A question with the turn that answered it."""

    question: ExamQuestion
    turn: Turn

    @property
    def is_right(self) -> bool:
        return self.question.is_right(self.turn)

    @property
    def begins_right(self) -> bool:
        """Whether the first line of the answer has the whole fact."""
        return self.turn.answer.answered and self.question.is_right_text(self.turn.answer.text.split("\n")[0])

    @property
    def rank(self) -> int:
        """The rank of the first evidence from a gold page, 0 if there is none."""
        gold = set(self.question.page_ids)
        return next((each.rank for each in self.turn.evidences if each.evidence.page_id in gold), 0)


def read_questions(path: Path, half: str = "") -> list[ExamQuestion]:
    """Read the questions of a file, each in all its languages."""
    return [
        each for entry in json.loads(path.read_text("utf-8")) for each in _questions(entry) if half in {"", each.half}
    ]


def _questions(entry: dict[str, Any]) -> Iterator[ExamQuestion]:
    texts = (
        {entry["language"]: entry["question"]} if "question" in entry else {"en": entry["q_en"], "de": entry["q_de"]}
    )
    for language, text in texts.items():
        yield ExamQuestion(
            entry["id"],
            entry["kind"],
            language,
            text,
            tuple(entry["page_ids"]),
            tuple(entry["must"]),
            tuple(entry["must_not"]),
            entry["answerable"],
            entry.get("half", ""),
            tuple(entry.get("quote", ())),
        )


def summarise(graded: Sequence[Graded]) -> list[tuple[str, str, int, float]]:
    """Return rows of measure, language, number of questions and share."""
    found: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for each in graded:
        question, language = each.question, each.question.language
        found[f"right: {question.kind}", language].append(each.is_right)
        found["right", language].append(each.is_right)
        refused = not each.turn.answer.answered
        found["refused, answerable" if question.answerable else "refused, unanswerable", language].append(refused)
        if question.answerable and question.must and each.is_right:
            found["right: whole fact in the first line", language].append(each.begins_right)
        if question.answerable:
            found["P@1", language].append(each.rank == 1)
            found["hit@10", language].append(0 < each.rank <= 10)
    return [
        (name, language, len(values), sum(values) / len(values)) for (name, language), values in sorted(found.items())
    ]


@contextmanager
def open_wiki(data_dir: Path, documents: Path, changes: Sequence[str]) -> Iterator[Application]:
    """Open an application with the documents synced, and with ``KEY=VALUE`` changes of the settings."""
    settings = use_documents(change_settings(load_settings(data_dir=data_dir), changes), documents)
    with open_application(settings) as application:
        order = SyncSpaces("folder", str(documents), allow_mass_delete=True)
        run(sync_with_progress(LocalOperations(application), order))
        yield application


async def take_exam(application: Application, questions: Sequence[ExamQuestion]) -> list[Graded]:
    """Ask each question without history."""
    assistant = application.make_assistant()
    graded: list[Graded] = []
    for number, question in enumerate(questions):
        ask = QuestionToAnswer(f"exam-{number}", "exam", "", question.question, (), Scope())
        graded.append(Graded(question, await assistant.answer_question(ask)))
    return graded


def main(arguments: list[str]) -> int:
    """Print the shares."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exam", description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("documents", type=Path)
    parser.add_argument("--half", default="", choices=["", "tune", "held"])
    parser.add_argument("--set", dest="changes", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    parser.add_argument("--answers", type=Path, help="a file of tab-separated values, to read every answer")
    options = parser.parse_args(arguments)
    questions = read_questions(options.questions, options.half)
    with open_wiki(options.data_dir, options.documents, options.changes) as application:
        graded = run(take_exam(application, questions))
    for name, language, count, share in summarise(graded):
        print(f"{name:28} {language}  {share:.3f} of {count}")
    if options.answers:
        _write_answers(options.answers, graded)
    return 0


def _write_answers(path: Path, graded: Sequence[Graded]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow(["id", "kind", "language", "right", "rank", "question", "answer"])
        for each in graded:
            question = each.question
            row = (question.question_id, question.kind, question.language, each.is_right, each.rank, question.question)
            writer.writerow([*row, each.turn.answer.text])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
