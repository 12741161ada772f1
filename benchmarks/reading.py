"""Whether the answer is in the prompt of a language model.

`python -m benchmarks.reading QUESTIONS DOCUMENTS [--set KEY=VALUE …]`

For each answerable question of a reading exam (see `benchmarks.exam`) the prompt for a language model is made, but no
model is called. Measured are the share of questions whose answer is in the prompt (every expression of `must`), or
whose quotes are (all cells and lines from which the answer was taken, even if it has to be computed), and the prompt's
estimated tokens. `--misses FILE` writes the questions that lack both, with the text of the prompt.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from adapters.llm.tokens import count_prompt_tokens, count_tokens
from benchmarks.exam import ExamQuestion, open_wiki, read_questions
from bot.cli.options import run
from bot.wiring import Application
from core.answering.answerer import Answerer, PartListener, make_refusal
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.answerer import GenerativeAnswerer
from core.conversation import QuestionToAnswer
from core.model import Answer, Prompt, RankedEvidence, Scope
from core.ports.models import Generation, LanguageModel, Sampling, TextListener
from core.trace import Tracer

_CONTEXT_TOKENS = 8192


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """A question with its prompt."""

    question: ExamQuestion
    prompt: Prompt

    @property
    def read(self) -> str:
        """The sources in the prompt, without the question."""
        text = self.prompt.messages[-1].text
        return text[: text.rindex("</source>")]

    @property
    def has_answer(self) -> bool:
        return all(re.search(each, self.read, re.IGNORECASE) for each in self.question.must)

    @property
    def has_quotes(self) -> bool:
        read = _plain(self.read)
        return bool(self.question.quotes) and all(
            _plain(cell) in read for quote in self.question.quotes for cell in quote.split(" | ")
        )


def _plain(text: str) -> str:
    """Return letters and digits only, since tables are formatted differently from the quotes."""
    return " ".join(re.findall(r"\w+", text.lower()))


class _NoModel:
    """A language model that is never called."""

    name = "none"
    context_tokens = _CONTEXT_TOKENS

    def count_tokens(self, text: str) -> int:
        return count_tokens(text)

    async def generate(self, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None) -> Generation:
        raise NotImplementedError


class _NoAnswerer:
    """An answerer that answers nothing, since only the evidences are needed."""

    name = "none"

    async def answer(
        self,
        question: str,
        evidences: Sequence[RankedEvidence],
        tracer: Tracer,
        on_text: TextListener | None = None,
        on_part: PartListener | None = None,
        day: date | None = None,
    ) -> Answer:
        return make_refusal()


async def make_prompts(application: Application, questions: Sequence[ExamQuestion]) -> list[ReadQuestion]:
    """Return the prompts of the questions that have sources."""
    model: LanguageModel = _NoModel()
    nobody: Answerer = _NoAnswerer()
    parts = application.make_assistant()
    assistant = replace(parts, answerer=nobody, model_answers=True)
    answerer = GenerativeAnswerer(model, application.cached_embedder, ExtractiveAnswerer(application.matcher))
    made: list[ReadQuestion] = []
    for number, question in enumerate(questions):
        turn = await assistant.answer_question(
            QuestionToAnswer(f"reading-{number}", "reading", "", question.question, (), Scope())
        )
        prompt = await answerer.render_prompt(question.question, turn.evidences)
        if prompt is not None:
            made.append(ReadQuestion(question, prompt))
    return made


def summarise(read: Sequence[ReadQuestion]) -> list[str]:
    """Return lines of text with shares by kind of question, and tokens."""
    of_kind: dict[str, list[ReadQuestion]] = defaultdict(list)
    for each in read:
        of_kind[each.question.kind].append(each)
    lines = [_share_line(kind, own) for kind, own in sorted(of_kind.items())] + [_share_line("all", read)]
    tokens = sorted(count_prompt_tokens(each.prompt) for each in read)
    return [*lines, f"prompt tokens, estimated: p95 {tokens[len(tokens) * 95 // 100]}, max {tokens[-1]}"]


def _share_line(name: str, read: Sequence[ReadQuestion]) -> str:
    answers, quotes = [each.has_answer for each in read], [each.has_quotes for each in read]
    either = [one or other for one, other in zip(answers, quotes, strict=True)]
    shares = (sum(found) / len(read) for found in (answers, quotes, either))
    return "{:14} answer {:.3f}  quotes {:.3f}  either {:.3f}".format(name, *shares) + f"  of {len(read)}"


def main(arguments: list[str]) -> int:
    """Print the shares."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading", description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("documents", type=Path)
    parser.add_argument("--half", default="", choices=["", "tune", "held"])
    parser.add_argument("--set", dest="changes", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    parser.add_argument("--misses", type=Path, help="a file for the questions that lack their facts")
    options = parser.parse_args(arguments)
    questions = [each for each in read_questions(options.questions, options.half) if each.answerable]
    with open_wiki(options.data_dir, options.documents, options.changes) as application:
        read = run(make_prompts(application, questions))
    print("\n".join(summarise(read)))
    if options.misses:
        missing = [each for each in read if not (each.has_answer or each.has_quotes)]
        options.misses.write_text("\n\n".join(map(_describe, missing)), "utf-8")
    return 0


def _describe(read: ReadQuestion) -> str:
    question = read.question
    return f"## {question.question_id} {question.kind} {question.language}: {question.question}\n\n{read.read}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
