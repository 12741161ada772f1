"""Compare WikiWhy's answers by a language model with those of LlamaIndex.

`python -m benchmarks.peer QUESTIONS DOCUMENTS [--count N] [--answers FILE.tsv]`

Asks N evenly spread questions of a reading exam (see `benchmarks.exam`) with the configured language model
(`WIKIWHY_LLM_…`), and also with LlamaIndex's defaults and the same embedder and model. The model's texts are cached in
the user's cache folder, so that an interrupted run can continue. Without LlamaIndex it asks only WikiWhy.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adapters.embedding.cache_folder import find_cache_folder
from benchmarks.cached_model import CachedModel
from benchmarks.exam import ExamQuestion, open_wiki, read_questions
from benchmarks.llamaindex import LlamaIndex, PeerAnswer
from benchmarks.model import add_cache, say
from bot.cli.options import run
from bot.wiring import Application
from core.answering.generative.statements import is_refusal_sentence
from core.conversation import QuestionToAnswer
from core.model import Scope, Turn

_REFUSES = re.compile(
    r"(?i)\b(?:not|no|n't|nicht|keine?n?)\b.{0,60}\b(?:provided|mention|specif|information|found|given|enthalten|erwähnt"
    r"|angegeben|context|kontext)"
)


@dataclass(frozen=True, slots=True)
class Compared:
    """A question with WikiWhy's turn, and the peer's answer if it was asked."""

    question: ExamQuestion
    turn: Turn
    peer: PeerAnswer | None

    @property
    def is_right(self) -> bool:
        return self.question.is_right(self.turn)

    @property
    def is_peer_right(self) -> bool:
        """Whether the peer's answer is right, by the same expressions. A refusal is recognised by its words."""
        if self.peer is None:
            return False
        if not self.question.answerable and not self.question.must:
            return is_refusal_sentence(self.peer.text) or bool(_REFUSES.search(self.peer.text))
        return self.question.is_right_text(self.peer.text)


async def compare(
    application: Application, documents: Path, questions: Sequence[ExamQuestion], model: CachedModel
) -> list[Compared]:
    """Ask both the same questions, one after the other."""
    assistant, peer = application.make_assistant(), await _open_peer(application, documents, model)
    compared: list[Compared] = []
    for number, question in enumerate(questions, start=1):
        turn = await assistant.answer_question(
            QuestionToAnswer(f"peer-{number}", "peer", "", question.question, (), Scope())
        )
        compared.append(Compared(question, turn, await peer.answer(question.question) if peer else None))
        right = f"ours {sum(each.is_right for each in compared)}, peer {sum(each.is_peer_right for each in compared)}"
        say(f"{number} of {len(questions)}: right {right}")
    return compared


async def _open_peer(application: Application, documents: Path, model: CachedModel) -> LlamaIndex | None:
    try:
        peer = LlamaIndex(application.embedder, model)
    except ImportError:
        say("LlamaIndex is not installed here: only our own answers are measured")
        return None
    await peer.index(documents, find_cache_folder() / "benchmarks")
    return peer


def summarise(compared: Sequence[Compared]) -> list[str]:
    """Return lines of text."""
    count = len(compared)
    ours = sum(each.is_right for each in compared)
    fell_back = sum(each.turn.answer.answered and not each.turn.answer.model for each in compared)
    lines = [
        f"right, ours: {ours / count:.3f} of {count}; {fell_back} answered by the wiki's own words",
        _tokens_line("ours", [call.usage.prompt_tokens for each in compared for call in each.turn.trace.calls]),
    ]
    answers = [each.peer for each in compared if each.peer]
    if answers:
        theirs = sum(each.is_peer_right for each in compared)
        lines += [
            f"right, LlamaIndex: {theirs / count:.3f} of {count}",
            _tokens_line("LlamaIndex", [each.usage.prompt_tokens for each in answers]),
        ]
    return lines


def _tokens_line(name: str, tokens: list[int]) -> str:
    ordered = sorted(tokens) or [0]
    return f"prompt tokens, {name}: p95 {ordered[len(ordered) * 95 // 100]}, max {ordered[-1]}"


def spread(questions: Sequence[ExamQuestion], count: int) -> list[ExamQuestion]:
    """Return at most ``count`` questions, one from each of ``count`` equal stretches."""
    count = min(count, len(questions))
    return [questions[at * len(questions) // count] for at in range(count)]


def main(arguments: list[str]) -> int:
    """Print the shares. Return exit code 0, or 1 without a language model."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peer", description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("documents", type=Path)
    parser.add_argument("--count", type=int, default=40, metavar="N")
    parser.add_argument("--half", default="", choices=["", "tune", "held"])
    parser.add_argument("--set", dest="changes", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    parser.add_argument("--answers", type=Path, help="a file of tab-separated values, to read every answer")
    options = parser.parse_args(arguments)
    questions = spread(read_questions(options.questions, options.half), options.count)

    async def work(application: Application) -> list[Compared]:
        return await compare(application, options.documents, questions, await add_cache(application, fresh=False))

    with open_wiki(options.data_dir, options.documents, options.changes) as application:
        if application.language_model is None:
            say("No language model is configured: set WIKIWHY_LLM_BASE_URL.")
            return 1
        compared = run(work(application))
    print("\n".join(summarise(compared)))
    if options.answers:
        _write_answers(options.answers, compared)
    return 0


def _write_answers(path: Path, compared: Sequence[Compared]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow(["id", "kind", "language", "question", "right", "answer", "peer_right", "peer_answer"])
        for each in compared:
            asked = each.question
            own = (asked.question_id, asked.kind, asked.language, asked.question, each.is_right, each.turn.answer.text)
            writer.writerow([*own, each.is_peer_right, each.peer.text if each.peer else ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
