"""Answer one question of a conversation: complete it, retrieve evidences, answer from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Protocol

from core.answering.answerer import Answerer, PartListener
from core.answering.question_parts import join_questions, list_parts, split_questions
from core.completion.ellipsis import parse_ellipsis, strip_continuation
from core.completion.heuristic import refers_back
from core.errors import QuestionRejected
from core.model import (
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
from core.ports.models import TextListener, WordMatcher
from core.reading.additional_evidences import (
    SectionReader,
    add_months_of_pages,
    add_page_facts,
    add_rest_of_page,
    add_whole_tables,
)
from core.reading.lists import add_whole_lists
from core.reading.lookup import add_tables_for_lookup
from core.reading.pages.labelled_paragraphs import add_labelled_paragraphs
from core.reading.pages.outline import add_headings
from core.retrieval.retriever import Retriever
from core.text import remove_invisible
from core.timing import Clock
from core.trace import Stopwatch, Tracer
from core.wording.courtesy import strip_courtesy
from core.wording.focus import select_content_words
from core.work import AnswerWork, RetrievalWork, WorkRunner, run_here

_OWN_WORDS = 2  # content words from which a question may be retried without its completion
MAX_QUESTION_CHARS = 4_000  # the limit of a chat message
_STAGES = ("complete", "embed", "lexical", "dense", "fuse", "match", "rerank", "read", "answer")

QuestionListener = Callable[[Question], None]
"""Called once with the completed question."""

EvidenceListener = Callable[[Sequence[RankedEvidence]], None]
"""Called with the retrieved evidences; called again if the question is retried as it was asked."""


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

    ``reader``: set where a language model reads the evidences. ``run_work``: does what asks no language model, which is
    the whole question unless ``asks_model``.
    """

    completer: Completer
    retriever: Retriever
    answerer: Answerer
    matcher: WordMatcher
    clock: Clock
    configuration: Mapping[str, str | int | float | bool]
    reader: SectionReader | None = None
    run_work: WorkRunner = run_here
    asks_model: bool = False

    async def answer_question(
        self,
        asked: QuestionToAnswer,
        on_text: TextListener | None = None,
        on_question: QuestionListener | None = None,
        on_evidences: EvidenceListener | None = None,
        on_part: PartListener | None = None,
    ) -> Turn:
        """Check a question and answer it, in another process if ``run_work`` does so.

        ``on_question`` and ``on_evidences`` are called before a language model writes the answer, or when an answer
        without one is made. ``on_text`` is called with the text so far while a model writes, before its statements are
        checked and its citations numbered; ``on_part`` with the beginning that is checked.

        Raises QuestionRejected for a question that is empty or too long, and ModelRejected if the language model
        rejects its settings.
        """
        asked = replace(asked, question=check_question(asked.question))
        if self.asks_model:
            return await self.make_turn(asked, on_text, on_question, on_evidences, on_part)
        made = await self.run_work(AnswerWork(asked), self)
        if on_question:
            on_question(made.turn.question)
        if on_evidences:
            for evidences in made.retrieved:
                on_evidences(evidences)
        return made.turn

    async def make_turn(
        self,
        asked: QuestionToAnswer,
        on_text: TextListener | None = None,
        on_question: QuestionListener | None = None,
        on_evidences: EvidenceListener | None = None,
        on_part: PartListener | None = None,
    ) -> Turn:
        """Make the turn of a checked question in the present event loop: complete, retrieve, answer.

        The listeners are those of :meth:`answer_question`.
        """
        tracer, text = Tracer(self.clock), strip_courtesy(asked.question)
        stopwatch = Stopwatch(self.clock)
        started = self.clock()
        with stopwatch.measure_stage("complete"):
            question, found_pages = await self._complete(asked, tracer)
        question = replace(question, suggested_in=asked.suggested_in, provenance=asked.provenance)
        day = find_day(asked.asked_at, self.configuration)
        evidences = await self._retrieve(question.intent_explicit, asked.scope, day, stopwatch)
        if not found_pages <= {found.evidence.page_id for found in evidences}:
            # A page was moved or restricted meanwhile, or does not match: its title must not be stored.
            question = replace(question, intent_explicit=text)
            tracer.forget_proposed_completions()
            evidences = await self._retrieve(text, asked.scope, day, stopwatch)
        elif found_pages:
            titles = frozenset(PagePart(page_id) for page_id in found_pages)
            question = replace(
                question, provenance=replace(asked.provenance, history=asked.provenance.history | titles)
            )
        if on_question:
            on_question(question)
        if on_evidences:
            on_evidences(evidences)
        with stopwatch.measure_stage("answer"):
            answer = await self.answerer.answer(question.intent_explicit, evidences, tracer, on_text, on_part, day)
        typed = join_questions(split_questions(text)) if not self.asks_model else text
        is_completed = question.intent_explicit != typed
        if not answer.answered and is_completed and self.reader is None and all(map(_stands_alone, list_parts(typed))):
            closest = tracer.trace.closest
            found = await self._retrieve(typed, asked.scope, day, stopwatch)
            if on_evidences:
                on_evidences(found)
            with stopwatch.measure_stage("answer"):
                alone = await self.answerer.answer(typed, found, tracer, on_text, day=day)
            tracer.record_closest(() if alone.answered else closest)  # of the evidences that the turn keeps
            if alone.answered:
                question, evidences, answer = replace(question, intent_explicit=typed), found, alone
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

    async def _complete(self, asked: QuestionToAnswer, tracer: Tracer) -> tuple[Question, set[str]]:
        """Return the completed question, and the pages that completion found by their titles.

        Without a language model, a further part of the question that does not stand alone is a follow-up of those
        before.
        """
        text = strip_courtesy(asked.question)
        parts = (text,) if self.asks_model else split_questions(text)
        completed: list[Question] = []
        for at, part in enumerate(parts):
            before = () if _stands_alone(part) else [HistoryMessage("user", each) for each in parts[:at]]
            completed.append(await self.completer.complete(part, (*asked.history, *before), asked.scope, tracer))
        explicit = join_questions([each.intent_explicit for each in completed])
        found_pages = {each.found_page for each in completed} - {""}
        return replace(completed[-1], as_asked=asked.question, intent_explicit=explicit, found_page=""), found_pages

    async def _retrieve(
        self, question: str, scope: Scope, day: date | None, stopwatch: Stopwatch
    ) -> list[RankedEvidence]:
        if not self.asks_model:
            parts = [await self.find_evidences(part, scope, day, stopwatch) for part in list_parts(question)]
            return parts[0] if len(parts) == 1 else merge_evidences(parts)
        found = await self.run_work(RetrievalWork(question, scope, day), self)
        stopwatch.add(found.timings_ms)
        return found.evidences

    async def find_evidences(
        self, question: str, scope: Scope, day: date | None, stopwatch: Stopwatch
    ) -> list[RankedEvidence]:
        """Retrieve the evidences for a question, and add whole tables, page facts and sections where it needs them.

        ``day``: on which it was asked, if known.
        """
        store = self.retriever.evidences
        evidences = await self.retriever.retrieve(question, scope, stopwatch)
        if not self.reader:
            context = self.retriever.settings.context
            evidences = await add_rest_of_page(question, evidences, scope, store, self.matcher, context)
        evidences = await add_whole_tables(question, evidences, scope, store, self.matcher, day)
        evidences = await add_page_facts(question, evidences, scope, store)
        evidences = await add_headings(question, evidences, scope, store)
        evidences = await add_labelled_paragraphs(question, evidences, scope, store)
        evidences = await add_tables_for_lookup(question, evidences, scope, store)
        evidences = await add_months_of_pages(question, evidences, scope, store)
        if self.reader:
            with stopwatch.measure_stage("read"):
                return await self.reader.add_sections(question, evidences, scope)
        return await add_whole_lists(evidences, scope, store)


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
