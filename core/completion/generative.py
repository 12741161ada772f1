"""Completes questions with a language model, and with the heuristic if no proposal of the model is accepted.

Proposals are checked against EXPLAIGNN's rule (SIGIR 2023, section 3.1) and for typical errors of small models.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.completion.heuristic import FollowUp
from core.errors import ModelUnavailable
from core.languages import detect_language, is_language_clear, name_language
from core.model import HistoryMessage, NoticeKind, Prompt, Question, Rejection, Scope, Trace, TraceNotice
from core.ports.models import LanguageModel, Sampling
from core.prompts import render
from core.text import STOPWORDS, fold, has_digit, list_content_words, list_words
from core.trace import Tracer
from core.wording.instructions import strip_name, strip_text

_MAX_CHARS = 500
_MAX_ADDED_WORDS = 40
_STEM, _ENDING = 4, 3  # words have the same stem if at least 4 letters agree and at most 3 at the end differ
_CLEAR_SIGNALS = 3  # words of a language that show that a question is in it

# Words that connect a follow-up with the conversation, so that the completed question need not have them.
_SPOKEN = frozenset(
    """also and then next okay ok thanks thank so now about regarding else more another same other others one ones
    instead it its they them their he she him her his this that these those there here what which how why
    who when where exactly please tell me give know want und auch dann danke nun jetzt bezüglich es sie er
    ihn ihm ihr ihre sein dies das diese dieser dieses dort da davon dafür damit darin daran dabei darüber
    deren dessen sonst noch weiter weitere anderen andere was wie wer wann wo warum welche welcher welches
    genau bitte""".split()
)
# Words that a completion may add.
_BUILDING = frozenset(
    """question page regarding concerning according context case conversation mentioned frage seite bezüglich laut
    zusammenhang fall gibt heißt bedeutet lautet there many much""".split()
)


def find_rejection(
    completed: str, question: str, conversation: Iterable[str], earlier: Sequence[str]
) -> tuple[Rejection | None, tuple[str, ...]]:
    """Return why a completion is rejected, None if it is accepted; and the words that it invents or drops.

    ``conversation``: texts that it may take words from, besides the question; ``earlier``: the earlier questions.
    """
    own = _list_content_words(question) - _SPOKEN
    said = _list_content_words(completed)
    known = _Forms({word for text in conversation for word in list_words(text)} | set(list_words(question)))
    invented = sorted(word for word in said - _BUILDING if not known.has(word))
    kept = _Forms(said)
    dropped = sorted(word for word in own if not kept.has(word))
    if not said or "\n" in completed or len(completed) > _MAX_CHARS or len(said) > len(own) + _MAX_ADDED_WORDS:
        return Rejection.NOT_ONE_QUESTION, ()
    if invented:
        return Rejection.INVENTS_WORDS, tuple(invented)
    if dropped:
        return Rejection.DROPS_WORDS, tuple(dropped)
    if any(
        list_words(completed) == list_words(text) or (own and said == _list_content_words(text)) for text in earlier
    ):
        return Rejection.REPEATS, ()
    if _changes_language(completed, question):
        return Rejection.OTHER_LANGUAGE, ()
    return None, ()


def _list_content_words(text: str) -> set[str]:
    return {word for word in list_words(text) if word not in STOPWORDS}


class _Forms:
    """A set of words that is searched by stem. Beginnings are indexed, so words are not compared pairwise."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        folded = {fold(word) for word in known}
        self._beginnings = {
            (len(word), word[:alike])
            for word in folded
            for alike in range(max(_STEM, len(word) - _ENDING), max(_STEM, len(word)) + 1)
        }

    def has(self, word: str) -> bool:
        """Whether the set has a word or another form of it. Numbers have no other forms."""
        if word in self._known or has_digit(word):
            return word in self._known
        word = fold(word)
        lengths = range(max(len(word) - _ENDING, 1), max(len(word), _STEM) + _ENDING + 1)
        return any((length, word[: _count_common_letters(length, len(word))]) in self._beginnings for length in lengths)


def _count_common_letters(one: int, other: int) -> int:
    """Return the number of first letters that two words of these lengths share if they have the same stem."""
    return max(_STEM, max(one, other) - _ENDING)


def _changes_language(completed: str, question: str) -> bool:
    is_clear = is_language_clear(question, _CLEAR_SIGNALS)
    return is_clear and detect_language(completed) != detect_language(question)


_LABEL = re.compile(
    r"\A[^\w:]*+(?:(?:rewritten|completed|standalone|last|new)?+\s*+(?:question|frage|query)?+|umformuliert)\s*+:\s*+",
    re.IGNORECASE,
)


def extract_question(text: str) -> str:
    """Return the first line of a model's text as a question, without label and quotation marks."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    line = _LABEL.sub("", lines[0]) if lines else ""
    if not line and len(lines) > 1:
        line = lines[1]
    return line.strip().strip("\"'“”„«»*`").strip()


_PROPOSALS = 3
_TEMPERATURE = 0.7  # of all but the first
_MAX_TOKENS = 100
_RECENT = 4  # answered exchanges in the prompt
_MAX_EXCHANGES = 12  # in the prompt, with the messages between the answered ones
_ANSWER_CHARS = 250  # of each answer


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question with its answer and the title of the answer's page, "" if unknown.

    A message to others in a thread has no answer. ``name``: that of the person, if several people talk.
    """

    question: str
    answer: str = ""
    subject: str = ""
    name: str = ""


class FollowUpCompleter(Protocol):
    """Completes follow-ups without a language model, perhaps in another process."""

    async def complete_follow_up(self, question: str, history: Sequence[HistoryMessage], scope: Scope) -> FollowUp:
        """See :meth:`core.completion.heuristic.HeuristicCompleter.complete_follow_up`."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class GenerativeCompleter:
    """Takes the first proposal of a language model that is accepted, else the heuristic's completion."""

    model: LanguageModel
    heuristic: FollowUpCompleter

    @property
    def name(self) -> str:
        return f"generative: {self.model.name}"

    async def complete(
        self, question: str, history: Sequence[HistoryMessage], scope: Scope, tracer: Tracer
    ) -> Question:
        """Return the intent-explicit question; a first question is unchanged.

        Raises :class:`core.errors.ModelRejected` if a setting has to be corrected first.
        """
        exchanges = _select_recent(list_exchanges(history))
        if not exchanges:
            return Question(question, question)
        proposed, found = await asyncio.gather(
            self._propose_or_none(question, exchanges, tracer),
            self.heuristic.complete_follow_up(question, history, scope),
        )
        if proposed and list_words(proposed) != list_words(question):
            return Question(question, _add_subject(proposed, found.subject), found_page=found.found_page)
        # No proposal was accepted, or the model changed nothing.
        tracer.record_proposed_completion(found.completed)
        return Question(question, found.completed, found_page=found.found_page)

    async def _propose_or_none(self, question: str, exchanges: Sequence[Exchange], tracer: Tracer) -> str:
        try:
            return await self._propose(question, exchanges, tracer)
        except ModelUnavailable as error:
            tracer.record_notice(TraceNotice(NoticeKind.COMPLETED_WITHOUT_MODEL, error.failure))
            return ""

    async def _propose(self, question: str, exchanges: Sequence[Exchange], tracer: Tracer) -> str:
        """Return the first accepted proposal, "" if there is none."""
        prompt = render_completion_prompt(question, exchanges)
        seen: set[str] = set()
        for number in range(_PROPOSALS):
            sampling = Sampling(_MAX_TOKENS, _TEMPERATURE if number else 0.0, seed=number)
            generation = await tracer.generate(self.model, prompt, sampling)
            completed = extract_question(generation.text)
            if completed in seen:
                continue
            seen.add(completed)
            conversation = [text for said in exchanges for text in (said.question, said.answer, said.subject)]
            reason, said = find_rejection(completed, question, conversation, [said.question for said in exchanges])
            tracer.record_proposed_completion(completed, reason, said)
            if reason is None:
                return completed
        return ""


def _select_recent(exchanges: Sequence[Exchange]) -> Sequence[Exchange]:
    """Return the last answered exchanges with the messages between them; if none was answered, the last messages.

    In a thread of several people the first message is added, since it names the subject.
    """
    answered = [index for index, exchange in enumerate(exchanges) if exchange.answer]
    start = answered[-_RECENT] if len(answered) >= _RECENT else 0
    start = max(start, len(exchanges) - (_MAX_EXCHANGES if answered else _RECENT))
    first = exchanges[:1] if start > 0 and exchanges[0].name else []
    return [*first, *exchanges[start:]]


def _add_subject(completed: str, subject: str) -> str:
    """Add the page's title in brackets if the model did not name it: retrieval finds titles best."""
    subject = strip_name(subject)
    named = set(list_content_words(subject)) <= set(list_words(completed))
    return completed if named else f"{completed} ({subject})"


def is_completed_without_model(trace: Trace) -> bool:
    """Whether the question of a turn with this trace was completed without the model, because it failed."""
    return any(notice.kind is NoticeKind.COMPLETED_WITHOUT_MODEL for notice in trace.notices)


def render_completion_prompt(question: str, exchanges: Sequence[Exchange]) -> Prompt:
    """Return the prompt for completing a question after these exchanges."""
    return render("complete", question=question, exchanges=exchanges, language=name_language(detect_language(question)))


def list_exchanges(history: Sequence[HistoryMessage]) -> list[Exchange]:
    """Return the earlier questions with their answers."""
    exchanges: list[Exchange] = []
    for message in history:
        if message.role == "user":
            exchanges.append(Exchange(message.text, name=message.name))
        elif exchanges:
            exchanges[-1] = Exchange(
                exchanges[-1].question,
                strip_text(message.text[:_ANSWER_CHARS])[0],
                strip_name(message.cited or message.subject),
                exchanges[-1].name,
            )
    return exchanges
