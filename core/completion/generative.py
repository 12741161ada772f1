"""Question completion by a language model, with the heuristic where none of its proposals may be taken."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from core.answering.instructions import strip_name, strip_text
from core.completion.guard import rejection, tidy_question
from core.completion.heuristic import HeuristicCompleter
from core.errors import ModelUnavailable
from core.model import Message, NoticeKind, Prompt, Question, Scope, Trace, TraceNotice
from core.ports import LanguageModel, Sampling
from core.prompts import render
from core.text import LANGUAGE_NAMES, content_words, language, words
from core.trace import Tracer

_CANDIDATES = 3
_TEMPERATURE = 0.7  # of all but the first
_MAX_TOKENS = 100
_RECENT = 4  # answered exchanges that the model is shown, with what people said between them
_MOST = 12  # of both together
_ANSWER_CHARS = 250  # of each answer


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question with its answer and the page that this was found on ("" where unknown).

    Or what somebody said in a thread to others, then without an answer. ``name``: of who said it, where several talk.
    """

    question: str
    answer: str = ""
    subject: str = ""
    name: str = ""


class GenerativeCompleter:
    """Completes with a language model: the first proposal that the guard lets through, else the heuristic's."""

    def __init__(self, model: LanguageModel, heuristic: HeuristicCompleter) -> None:
        self._model = model
        self._heuristic = heuristic

    @property
    def name(self) -> str:
        return f"generative: {self._model.name}"

    async def complete(self, question: str, history: Sequence[Message], scope: Scope, tracer: Tracer) -> Question:
        """The question, intent-explicit; as it is where nothing has been asked before.

        Raises :class:`core.errors.ModelRejected` where a setting has to be corrected first.
        """
        exchanges = _recent(exchanges_of(history))
        if not exchanges:
            return Question(question, question)
        proposed, (completed, subject) = await asyncio.gather(
            self._proposed_or_none(question, exchanges, tracer), self._heuristic.follow_up(question, history, scope)
        )
        if proposed and words(proposed) != words(question):
            return Question(question, _on_subject(proposed, subject))
        # None may be taken, or the model sees nothing to complete: the wiki tells whether there is something.
        tracer.candidate(completed)
        return Question(question, completed)

    async def _proposed_or_none(self, question: str, exchanges: Sequence[Exchange], tracer: Tracer) -> str:
        try:
            return await self._proposed(question, exchanges, tracer)
        except ModelUnavailable as error:
            tracer.notice(TraceNotice(NoticeKind.COMPLETED_WITHOUT_MODEL, error.failure))
            return ""

    async def _proposed(self, question: str, exchanges: Sequence[Exchange], tracer: Tracer) -> str:
        """The first proposal that may be taken, "" if none may."""
        prompt = completion_prompt(question, exchanges)
        seen: set[str] = set()
        for number in range(_CANDIDATES):
            sampling = Sampling(_MAX_TOKENS, _TEMPERATURE if number else 0.0, seed=number)
            generation = await tracer.generate(self._model, prompt, sampling)
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
    """The last answered ones with what stands between them; where nothing was answered, as many of the last.

    In a thread of several people what began it comes first: it is what they talk about.
    """
    answered = [index for index, exchange in enumerate(exchanges) if exchange.answer]
    start = answered[-_RECENT] if len(answered) >= _RECENT else 0
    start = max(start, len(exchanges) - (_MOST if answered else _RECENT))
    began = exchanges[:1] if start > 0 and exchanges[0].name else []
    return [*began, *exchanges[start:]]


def _on_subject(completed: str, subject: str) -> str:
    """With the page's title in brackets, where the model did not name it: titles are what retrieval finds best."""
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
    """Earlier questions with what answered them."""
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
