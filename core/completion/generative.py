"""Completes questions with a language model, and with the heuristic if no proposal of the model is accepted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from core.answering.instructions import strip_name, strip_text
from core.completion.guard import rejection, tidy_question
from core.completion.heuristic import HeuristicCompleter
from core.errors import ModelUnavailable
from core.model import Message, NoticeKind, Prompt, Question, Scope, Trace, TraceNotice
from core.ports.models import LanguageModel, Sampling
from core.prompts import render
from core.text import LANGUAGE_NAMES, content_words, language, words
from core.trace import Tracer

_CANDIDATES = 3
_TEMPERATURE = 0.7  # of all but the first
_MAX_TOKENS = 100
_RECENT = 4  # answered exchanges in the prompt, with messages between them
_MAX_EXCHANGES = 12  # both together
_ANSWER_CHARS = 250  # of each answer


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question with its answer and the title of the answer's page, "" if unknown.

    Or a message to others in a thread, without an answer. ``name``: of the person, if several people talk.
    """

    question: str
    answer: str = ""
    subject: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class GenerativeCompleter:
    """Takes the first proposal of a language model that the guard accepts, else the heuristic's completion."""

    model: LanguageModel
    heuristic: HeuristicCompleter

    @property
    def name(self) -> str:
        return f"generative: {self.model.name}"

    async def complete(self, question: str, history: Sequence[Message], scope: Scope, tracer: Tracer) -> Question:
        """The intent-explicit question; the question as it is if it is the first one.

        Raises :class:`core.errors.ModelRejected` if a setting has to be corrected first.
        """
        exchanges = _recent(exchanges_of(history))
        if not exchanges:
            return Question(question, question)
        proposed, found = await asyncio.gather(
            self._propose_or_none(question, exchanges, tracer), self.heuristic.follow_up(question, history, scope)
        )
        if proposed and words(proposed) != words(question):
            return Question(question, _add_subject(proposed, found.subject), found_page=found.found_page)
        # No proposal was accepted, or the model changed nothing: the heuristic decides.
        tracer.candidate(found.completed)
        return Question(question, found.completed, found_page=found.found_page)

    async def _propose_or_none(self, question: str, exchanges: Sequence[Exchange], tracer: Tracer) -> str:
        try:
            return await self._propose(question, exchanges, tracer)
        except ModelUnavailable as error:
            tracer.notice(TraceNotice(NoticeKind.COMPLETED_WITHOUT_MODEL, error.failure))
            return ""

    async def _propose(self, question: str, exchanges: Sequence[Exchange], tracer: Tracer) -> str:
        """The first accepted proposal, "" if none is."""
        prompt = completion_prompt(question, exchanges)
        seen: set[str] = set()
        for number in range(_CANDIDATES):
            sampling = Sampling(_MAX_TOKENS, _TEMPERATURE if number else 0.0, seed=number)
            generation = await tracer.generate(self.model, prompt, sampling)
            candidate = tidy_question(generation.text)
            if candidate in seen:
                continue
            seen.add(candidate)
            conversation = [text for said in exchanges for text in (said.question, said.answer, said.subject)]
            reason, said = rejection(candidate, question, conversation, [said.question for said in exchanges])
            tracer.candidate(candidate, reason, said)
            if reason is None:
                return candidate
        return ""


def _recent(exchanges: Sequence[Exchange]) -> Sequence[Exchange]:
    """The last answered exchanges with those between them; if none was answered, as many of the last.

    In a thread of several people the first message is added: it says what they talk about.
    """
    answered = [index for index, exchange in enumerate(exchanges) if exchange.answer]
    start = answered[-_RECENT] if len(answered) >= _RECENT else 0
    start = max(start, len(exchanges) - (_MAX_EXCHANGES if answered else _RECENT))
    first = exchanges[:1] if start > 0 and exchanges[0].name else []
    return [*first, *exchanges[start:]]


def _add_subject(completed: str, subject: str) -> str:
    """Adds the page's title in brackets if the model did not name it: retrieval finds titles best."""
    subject = strip_name(subject)
    named = set(content_words(subject)) <= set(words(completed))
    return completed if named else f"{completed} ({subject})"


def fell_back(trace: Trace) -> bool:
    """Whether the question of a turn with this trace was completed without the model, because it failed."""
    return any(notice.kind is NoticeKind.COMPLETED_WITHOUT_MODEL for notice in trace.notices)


def completion_prompt(question: str, exchanges: Sequence[Exchange]) -> Prompt:
    """The prompt for completing a question after these exchanges."""
    return render("complete", question=question, exchanges=exchanges, language=LANGUAGE_NAMES[language(question)])


def exchanges_of(history: Sequence[Message]) -> list[Exchange]:
    """The earlier questions with their answers."""
    exchanges: list[Exchange] = []
    for message in history:
        if message.role == "user":
            exchanges.append(Exchange(message.text, name=message.name))
        elif exchanges:
            exchanges[-1] = Exchange(
                exchanges[-1].question,
                strip_text(message.text[:_ANSWER_CHARS])[0],
                strip_name(message.subject),
                exchanges[-1].name,
            )
    return exchanges
