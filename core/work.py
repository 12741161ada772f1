"""The parts of a question's work that ask no language model, as data: another process may do them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from core.answering.answerer import Listeners
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.extractive_answer import ExtractiveAnswer, find_extractive_answer
from core.completion.heuristic import FollowUp, HeuristicCompleter
from core.model import HistoryMessage, RankedEvidence, Scope, Turn
from core.trace import Stopwatch

if TYPE_CHECKING:
    from core.conversation import Assistant, QuestionToAnswer

T = TypeVar("T")
Result = TypeVar("Result", covariant=True)


class Work(Protocol[Result]):
    """A part of a question's work. ``assistant``: of the process that does it."""

    async def run(self, assistant: Assistant) -> Result: ...


class WorkRunner(Protocol):
    """Does the work where it disturbs others least, and returns its result.

    ``assistant``: does it in this process. Another process has an equal one.
    """

    async def __call__(self, work: Work[T], assistant: Assistant) -> T: ...


async def run_here(work: Work[T], assistant: Assistant) -> T:
    """Do the work in the present event loop."""
    return await work.run(assistant)


# ----------------------------------------------------------------------------------- without a language model


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """A turn, and the evidences that were collected for it: twice if the question was retried as asked."""

    turn: Turn
    collected: Sequence[Sequence[RankedEvidence]]


@dataclass(frozen=True, slots=True)
class AnswerWork:
    """Answers a question without a language model."""

    asked: QuestionToAnswer

    async def run(self, assistant: Assistant) -> AnswerResult:
        collected: list[Sequence[RankedEvidence]] = []
        turn = await assistant.make_turn(self.asked, Listeners(on_evidences=collected.append))
        return AnswerResult(turn, collected)


# ----------------------------------------------------------------------------------- beside a language model


@dataclass(frozen=True, slots=True)
class FollowUpWork:
    """Completes a question without the language model."""

    question: str
    history: Sequence[HistoryMessage]
    scope: Scope

    async def run(self, assistant: Assistant) -> FollowUp:
        heuristic = HeuristicCompleter(assistant.retriever)
        return await heuristic.complete_follow_up(self.question, self.history, self.scope)


@dataclass(frozen=True, slots=True)
class EvidenceResult:
    """The evidences of a question, and how long each stage took."""

    evidences: list[RankedEvidence]
    timings_ms: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class EvidenceWork:
    """Collects the evidences for a question. ``day``: on which it was asked, if known."""

    question: str
    scope: Scope
    day: date | None = None

    async def run(self, assistant: Assistant) -> EvidenceResult:
        stopwatch = Stopwatch(assistant.clock)
        evidences = await assistant.collect_evidences(self.question, self.scope, self.day, stopwatch)
        return EvidenceResult(evidences, stopwatch.timings_ms)


@dataclass(frozen=True, slots=True)
class ExtractiveWork:
    """Finds the extractive answer that the language model reads too."""

    question: str
    evidences: Sequence[RankedEvidence]
    day: date | None

    async def run(self, assistant: Assistant) -> ExtractiveAnswer | None:
        extractive = ExtractiveAnswerer(assistant.matcher)
        return await find_extractive_answer(self.question, self.evidences, extractive, self.day)


@dataclass(frozen=True, slots=True, eq=False)
class WorkForModel:
    """Lets a runner do what the parts that ask the language model need besides its replies.

    It is their :class:`core.completion.generative.FollowUpCompleter` and
    :class:`core.answering.generative.extractive_answer.ExtractiveFinder`.
    """

    run_work: Callable[[Work[Any]], Awaitable[Any]]

    async def complete_follow_up(self, question: str, history: Sequence[HistoryMessage], scope: Scope) -> FollowUp:
        found: FollowUp = await self.run_work(FollowUpWork(question, history, scope))
        return found

    async def find_extractive_answer(
        self, question: str, evidences: Sequence[RankedEvidence], day: date | None
    ) -> ExtractiveAnswer | None:
        found: ExtractiveAnswer | None = await self.run_work(ExtractiveWork(question, evidences, day))
        return found
