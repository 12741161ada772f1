"""Answer one question of a conversation: complete it, retrieve and gather evidences, answer from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Protocol

from core.answering.answerer import Answerer, Listeners
from core.answering.question_parts import join_questions, list_parts, split_questions
from core.completion.back_references import refers_back
from core.completion.ellipsis import parse_ellipsis, strip_continuation
from core.errors import QuestionRejected
from core.gathering.gather import Gatherer
from core.model import (
    Answer,
    HistoryMessage,
    PagePart,
    Provenance,
    Question,
    RankedEvidence,
    Scope,
    Turn,
    find_day,
    merge_evidences,
)
from core.ports.models import WordMatcher
from core.retrieval.retriever import Retriever
from core.text import remove_invisible
from core.timing import Clock
from core.trace import Stopwatch, Tracer
from core.wording.content_words import select_content_words
from core.wording.courtesy import strip_courtesy
from core.wording.defaults import write_default
from core.work import AnswerWork, EvidenceWork, WorkRunner, run_here

_OWN_WORDS = 2  # content words from which a question may be retried without its completion
MAX_QUESTION_CHARS = 4_000  # the limit of a chat message
_STAGES = ("complete", "embed", "lexical", "dense", "fuse", "match", "rerank", "read", "answer")

_NO_LISTENERS = Listeners()


class Completer(Protocol):
    """Makes a question intent-explicit, so that it stands without the conversation (RAGonite, section 4)."""

    @property
    def name(self) -> str:
        """Name that is stored in the turn's configuration."""
        ...

    async def complete(
        self, question: str, history: Sequence[HistoryMessage], scope: Scope, tracer: Tracer
    ) -> Question: ...


@dataclass(frozen=True, slots=True)
class QuestionToAnswer:
    """A question with its conversation, scope and asker. ``asked_at``: ISO 8601, UTC.

    ``suggested_in``: see :class:`core.model.Question`. ``asker``: see :class:`core.model.Turn`. ``provenance``: of the
    suggestion and the history.
    """

    turn_id: str
    conversation_id: str
    asked_at: str
    question: str
    history: Sequence[HistoryMessage] = ()
    scope: Scope = field(default_factory=Scope)
    suggested_in: str = ""
    asker: str = ""
    provenance: Provenance = field(default_factory=Provenance)


@dataclass(frozen=True, slots=True, eq=False)
class Assistant:
    """Answers questions. The returned turn contains everything that its answer was made from.

    ``model_completes`` and ``model_answers``: whether ``completer`` and ``answerer`` ask a language model.
    ``run_work``: does the work that asks none.
    """

    completer: Completer
    retriever: Retriever
    answerer: Answerer
    matcher: WordMatcher
    clock: Clock
    configuration: Mapping[str, str | int | float | bool]
    run_work: WorkRunner = run_here
    model_completes: bool = False
    model_answers: bool = False

    @property
    def asks_model(self) -> bool:
        """Whether a language model is asked at all: if not, the whole question is one work."""
        return self.model_completes or self.model_answers

    async def answer_question(self, asked: QuestionToAnswer, listeners: Listeners = _NO_LISTENERS) -> Turn:
        """Check a question and answer it, in another process if ``run_work`` does so.

        Raises QuestionRejected for a question that is empty or too long, and ModelRejected if the language model
        rejects its settings.
        """
        asked = replace(asked, question=check_question(asked.question))
        if self.asks_model:
            return await self.make_turn(asked, listeners)
        made = await self.run_work(AnswerWork(asked), self)
        listeners.note_question(made.turn.question)
        for evidences in made.collected:
            listeners.note_evidences(evidences)
        return made.turn

    async def make_turn(self, asked: QuestionToAnswer, listeners: Listeners = _NO_LISTENERS) -> Turn:
        """Make the turn of a checked question in the present event loop: complete, collect evidences, answer."""
        tracer, stopwatch, started = Tracer(self.clock), Stopwatch(self.clock), self.clock()
        with stopwatch.measure_stage("complete"):
            question, named_pages = await self._complete(asked, tracer)
        question, evidences = await self._collect_for_completed(question, named_pages, asked, tracer, stopwatch)
        listeners.note_question(question)
        listeners.note_evidences(evidences)
        day = find_day(asked.asked_at, self.configuration)
        with stopwatch.measure_stage("answer"):
            answer = await self.answerer.answer(
                question.intent_explicit, evidences, tracer, listeners.on_text, listeners.on_part, day
            )
        if not answer.answered and self._may_answer_as_asked(question):
            found, answer_as_asked = await self._answer_as_asked(asked, tracer, stopwatch, listeners)
            if answer_as_asked.answered:
                question = replace(question, intent_explicit=self._write_as_asked(asked.question))
                evidences, answer = found, answer_as_asked
        timings = {stage: stopwatch.timings_ms.get(stage, 0.0) for stage in _STAGES}
        timings["total"] = round((self.clock() - started) * 1000, 3)
        return Turn(
            turn_id=asked.turn_id,
            conversation_id=asked.conversation_id,
            asked_at=asked.asked_at,
            question=question,
            evidences=tuple(evidences),
            answer=answer,
            scope=asked.scope,
            configuration={**self.configuration, "answerer": self.answerer.name, "completer": self.completer.name},
            timings_ms=timings,
            usage=tracer.usage,
            trace=tracer.trace,
            asker=asked.asker,
        )

    def _split(self, question: str) -> Sequence[str]:
        """Return the parts of a question that are answered by themselves. A language model gets it as a whole."""
        text = strip_courtesy(question)
        return (text,) if self.asks_model else split_questions(text)

    def _write_as_asked(self, question: str) -> str:
        """Return a question as asked in the form of an intent-explicit one: completed with nothing."""
        return join_questions(self._split(question))

    async def _complete(self, asked: QuestionToAnswer, tracer: Tracer) -> tuple[Question, set[str]]:
        """Return the completed question, and the pages that completion found by their titles.

        Without a language model, a further part of the question that does not stand alone is a follow-up of those
        before.
        """
        parts = self._split(asked.question)
        completed: list[Question] = []
        for at, part in enumerate(parts):
            before = () if _stands_alone(part) else [HistoryMessage("user", each) for each in parts[:at]]
            completed.append(await self.completer.complete(part, (*asked.history, *before), asked.scope, tracer))
        question = replace(
            completed[-1],
            as_asked=asked.question,
            intent_explicit=join_questions([each.intent_explicit for each in completed]),
            found_page="",
            suggested_in=asked.suggested_in,
            provenance=asked.provenance,
        )
        return question, {each.found_page for each in completed} - {""}

    async def _collect_for_completed(
        self,
        completed: Question,
        named_pages: set[str],
        asked: QuestionToAnswer,
        tracer: Tracer,
        stopwatch: Stopwatch,
    ) -> tuple[Question, list[RankedEvidence]]:
        """Return the question with its evidences: the completed one, or the one as asked.

        ``named_pages``: whose titles completion has added. If one of them is not among the evidences, it was moved or
        restricted meanwhile, or does not match, and its title must not be stored.
        """
        evidences = await self._collect_evidences(completed.intent_explicit, asked, stopwatch)
        if named_pages <= {found.evidence.page_id for found in evidences}:
            history = asked.provenance.history | set(map(PagePart, named_pages))
            return replace(completed, provenance=replace(asked.provenance, history=history)), evidences
        tracer.forget_proposed_completions()
        text = strip_courtesy(asked.question)
        return replace(completed, intent_explicit=text), await self._collect_evidences(text, asked, stopwatch)

    def _may_answer_as_asked(self, question: Question) -> bool:
        """Whether a question that was not answered is asked again without its completion.

        It has to be one that was completed, and each part has to stand alone. Not if a language model answers, because
        that would be a second call.
        """
        question_as_asked = self._write_as_asked(question.as_asked)
        is_completed = question.intent_explicit != question_as_asked
        return is_completed and not self.model_answers and all(map(_stands_alone, list_parts(question_as_asked)))

    async def _answer_as_asked(
        self, asked: QuestionToAnswer, tracer: Tracer, stopwatch: Stopwatch, listeners: Listeners
    ) -> tuple[list[RankedEvidence], Answer]:
        """Return the evidences and the answer of a question without its completion."""
        question_as_asked, closest = self._write_as_asked(asked.question), tracer.trace.closest
        evidences = await self._collect_evidences(question_as_asked, asked, stopwatch)
        listeners.note_evidences(evidences)
        day = find_day(asked.asked_at, self.configuration)
        with stopwatch.measure_stage("answer"):
            answer = await self.answerer.answer(question_as_asked, evidences, tracer, listeners.on_text, day=day)
        tracer.record_closest(() if answer.answered else closest)  # of the evidences that the turn keeps
        return evidences, answer

    async def _collect_evidences(
        self, question: str, asked: QuestionToAnswer, stopwatch: Stopwatch
    ) -> list[RankedEvidence]:
        """Collect the evidences for an intent-explicit question, beside a language model where work is done."""
        scope, day = asked.scope, find_day(asked.asked_at, self.configuration)
        if not self.asks_model:
            parts = [await self.collect_evidences(part, scope, day, stopwatch) for part in list_parts(question)]
            return parts[0] if len(parts) == 1 else merge_evidences(parts)
        found = await self.run_work(EvidenceWork(question, scope, day), self)
        stopwatch.add(found.timings_ms)
        return found.evidences

    async def collect_evidences(
        self, question: str, scope: Scope, day: date | None, stopwatch: Stopwatch
    ) -> list[RankedEvidence]:
        """Retrieve the evidences for a question, and gather what its answer needs besides.

        ``day``: on which it was asked, if known.
        """
        retriever, question = self.retriever, write_default(question)
        found = await retriever.retrieve(question, scope, stopwatch)
        gatherer = Gatherer(retriever.evidences, self.matcher, retriever.settings.context, self.model_answers)
        return await gatherer.gather_evidences(question, found, scope, day, stopwatch)


def _stands_alone(question: str) -> bool:
    """Whether a question can be answered without its completion: "And how do I report sick?", not "And on Sunday?"."""
    own = question if parse_ellipsis(question) else strip_continuation(question)
    return len(select_content_words(own)) >= _OWN_WORDS and not refers_back(own)


def check_question(question: str) -> str:
    """Return the question with normalised white space and without invisible characters.

    Raises QuestionRejected if it is empty or too long.
    """
    seen = remove_invisible(question.replace("\x00", " "))
    text = " ".join(seen.split()).encode("utf-8", "ignore").decode()
    if not any(character.isalnum() for character in text):
        raise QuestionRejected(
            "There is no question to answer. Ask something in words, for example: Who approves travel?"
        )
    if len(text) > MAX_QUESTION_CHARS:
        raise QuestionRejected(
            f"The question has {len(text):,} characters; at most {MAX_QUESTION_CHARS:,} can be asked. "
            "Ask it in a few sentences."
        )
    return text
