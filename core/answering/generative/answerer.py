"""Generated answers (RAGonite, section 4): a language model answers, and its citations are checked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from core.answering.answerer import PartListener, make_refusal
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.cleaning import AddressPolicy, clean_answer, clean_drafts, make_policy
from core.answering.generative.extractive_answer import ExtractiveAnswer, ExtractiveFinder, find_extractive_answer
from core.answering.generative.parts import CheckedStatement, CheckingSteps, Parts, compose_checked, join_shown
from core.answering.generative.prompt_sections import PROMPT_TOKENS, EvidenceToRead, Reading, compute_room, fit_reading
from core.answering.generative.statements import (
    Defect,
    ParsedAnswer,
    Statement,
    is_refusal,
    is_refusal_sentence,
    parse_answer,
)
from core.answering.generative.support import Cited, cite_statements, compose_answer, is_supported
from core.errors import AnswerEmpty, AnswerInOtherLanguage, AnswerUnsupported, ContextTooLong, ModelUnavailable
from core.evidence.split import split_sentences
from core.languages import LanguageCode, detect_language, name_language
from core.model import NOT_FOUND, Answer, Author, Evidence, NoticeKind, Prompt, RankedEvidence, TraceNotice
from core.ports.models import Embedder, LanguageModel, Sampling, TextListener
from core.prompts import render
from core.text import list_words
from core.trace import Tracer
from core.wording.instructions import strip_evidences

logger = logging.getLogger(__name__)

MAX_TOKENS = 400

_GREEDY = Sampling(MAX_TOKENS)

_OF_LANGUAGE = "Remember: every word of the answer has to be in {language}."
_REMINDERS: dict[Defect, str] = {
    "": "",
    "empty": "Answer now, in {language}.",
    "cut": "Remember: say everything in words, in whole sentences. A citation like [1] only follows a sentence.",
    "language": _OF_LANGUAGE,
    "script": _OF_LANGUAGE,
}
# An answer that stays in the wrong language is still used if the sources support it.
_UNUSABLE: dict[Defect, tuple[type[ModelUnavailable], str]] = {
    "empty": (AnswerEmpty, "The language model gave no answer."),
    "cut": (AnswerEmpty, "The language model's answer lacks words."),
    "script": (AnswerInOtherLanguage, "The language model answered in another language."),
}


@dataclass(frozen=True, slots=True, eq=False)
class GenerativeAnswerer:
    """Answers with a language model, which reads the extractive answer too.

    ``extractive``: its answer replaces one that the sources do not support. None: the model reads the sources only, and
    nothing replaces its answer. ``falls_back`` False: an unsupported answer is kept, with every statement marked.
    ``finder``: finds the extractive answer for the model; None: it is found here.
    """

    model: LanguageModel
    embedder: Embedder
    extractive: ExtractiveAnswerer | None
    sampling: Sampling = _GREEDY
    falls_back: bool = True
    finder: ExtractiveFinder | None = None

    @property
    def name(self) -> str:
        return f"generative: {self.model.name}"

    async def answer(
        self,
        question: str,
        evidences: Sequence[RankedEvidence],
        tracer: Tracer,
        on_text: TextListener | None = None,
        on_part: PartListener | None = None,
        day: date | None = None,
    ) -> Answer:
        """Return the answer, "not found", or the fallback's answer with a notice of the reason.

        Raises :class:`core.errors.ModelRejected` if a setting has to be corrected first; without a fallback also
        :class:`core.errors.ModelUnavailable` and :class:`core.errors.ContextTooLong`.
        """
        evidences, left_out = await asyncio.to_thread(strip_evidences, evidences)
        if left_out:
            tracer.record_notice(TraceNotice(NoticeKind.INSTRUCTIONS_LEFT_OUT, count=left_out))
            on_text = on_part = None  # a page tries to command the model, so nothing is shown before all is checked
        if not evidences:
            return make_refusal()
        request = _AnswerRequest.begin(question, evidences, on_text, Parts(on_part) if on_part else None)
        try:
            extractive_answer = await self._find_extractive_answer(question, evidences, day)
            attempt = _Attempt(extractive_answer, needs_every_word=left_out > 0)
            answer = await self._write(request, evidences, attempt, tracer)
            if not answer.answered and attempt.extractive_answer:
                answer = await self._write_again(request, evidences, attempt, tracer)
            if attempt.extractive_answer and attempt.extractive_answer.plan:
                tracer.record_plan(attempt.extractive_answer.plan)
            return answer
        except (ModelUnavailable, ContextTooLong, AnswerUnsupported) as error:
            if request.shown:
                tracer.record_notice(TraceNotice(NoticeKind.BROKEN_OFF, error.failure))
                return self._sign(compose_checked(request.shown))
            if self._fallback is None:
                raise
            answer = await self._fallback.answer(question, evidences, tracer, day=day)
            logger.info("The wiki itself answers in place of the language model: %s", error)
            kind = NoticeKind.QUOTED_INSTEAD if answer.answered else NoticeKind.NOT_FOUND_INSTEAD
            tracer.record_notice(TraceNotice(kind, error.failure))
            return answer

    async def render_prompt(
        self, question: str, evidences: Sequence[RankedEvidence], day: date | None = None
    ) -> Prompt | None:
        """Return the first prompt of :meth:`answer`; None if the answer is "not found" without a call.

        Raises :class:`core.errors.ContextTooLong`.
        """
        usable, _ = await asyncio.to_thread(strip_evidences, evidences)
        if not usable:
            return None
        extractive_answer = await self._find_extractive_answer(question, usable, day)
        return (await asyncio.to_thread(self._fit, question, usable, _Attempt(extractive_answer)))[0]

    async def _find_extractive_answer(
        self, question: str, evidences: Sequence[RankedEvidence], day: date | None
    ) -> ExtractiveAnswer | None:
        if self.extractive is None:
            return None
        if self.finder:
            return await self.finder.find_extractive_answer(question, evidences, day)
        return await find_extractive_answer(question, evidences, self.extractive, day)

    @property
    def _fallback(self) -> ExtractiveAnswerer | None:
        return self.extractive if self.falls_back else None

    def _fit(self, question: str, evidences: Sequence[RankedEvidence], attempt: _Attempt) -> tuple[Prompt, Reading]:
        def render_prompt(reading: Reading) -> Prompt:
            return render_answer_prompt(
                question, reading, detect_language(question), attempt.reminder, attempt.may_refuse
            )

        room = compute_room(self.model, self.sampling.max_tokens, attempt.extractive_answer)
        try:
            return fit_reading(question, evidences, attempt.extractive_answer, render_prompt, self.model, room)
        except ContextTooLong:
            if not (attempt.extractive_answer and attempt.extractive_answer.is_quoted):
                raise
        return self._fit(question, evidences, replace(attempt, extractive_answer=None))

    async def _write(
        self, request: _AnswerRequest, evidences: Sequence[RankedEvidence], attempt: _Attempt, tracer: Tracer
    ) -> Answer:
        """Return the model's answer with checked citations; see :meth:`_check` for the errors."""
        reading, parsed = await self._generate(request, evidences, attempt, tracer)
        return await self._check(request, reading, parsed, attempt.needs_every_word)

    async def _write_again(
        self, request: _AnswerRequest, evidences: Sequence[RankedEvidence], attempt: _Attempt, tracer: Tracer
    ) -> Answer:
        """Return the model's answer where it found none, although there is an extractive answer.

        Small models overlook sentences in a long prompt, and refuse too easily. The model therefore reads the sections
        of the extractive answer only, and is not told how to refuse. "Not found" if that gives no answer. Raises
        AnswerUnsupported as :meth:`_check` does: a model that writes what no source says did not refuse for a reason.
        """
        assert attempt.extractive_answer
        sections = attempt.extractive_answer.select_sections(evidences)
        try:
            answer = await self._write(request, sections, replace(attempt, may_refuse=False), tracer)
        except (ModelUnavailable, ContextTooLong):
            if request.shown or not self.falls_back:  # an explanation calls it unknown
                raise
            return make_refusal()
        return answer if answer.citations else make_refusal()

    async def _generate(
        self, request: _AnswerRequest, evidences: Sequence[RankedEvidence], attempt: _Attempt, tracer: Tracer
    ) -> tuple[Reading, ParsedAnswer]:
        """Return what the model read, and its parsed answer, which is the second one if the first has a defect.

        An answer whose beginning was shown is kept.
        """
        parsed = ParsedAnswer(())
        for _ in range(2):
            reminder = _REMINDERS[parsed.defect].format(language=name_language(request.wanted))
            again = replace(attempt, reminder=reminder)
            text, finished, reading = await self._call_model(request, evidences, again, tracer)
            parsed = parse_answer(
                request.clean(text), finished, request.wanted, partial(_is_last_word, reading.evidences)
            )
            if not parsed.defect or request.shown:
                break
        return reading, parsed

    @asynccontextmanager
    async def _listen(self, request: _AnswerRequest, reading: Reading) -> AsyncIterator[TextListener | None]:
        """Give the listener of the model's text while the block lasts."""
        listener = clean_drafts(request.on_text, request.policy) if request.on_text else None
        if request.parts is None:
            yield listener
            return

        async def check(statement: Statement) -> list[Cited]:
            cited = await cite_statements(request.question, [statement], reading, self.embedder, needs_every_word=False)
            return cited[0]

        is_ending = partial(_is_last_word, reading.evidences)
        parse = partial(parse_answer, finished=False, wanted=request.wanted, is_ending=is_ending)
        async with request.parts.follow(CheckingSteps(request.clean, parse, check), listener) as hear:
            yield hear

    async def _call_model(
        self, request: _AnswerRequest, evidences: Sequence[RankedEvidence], attempt: _Attempt, tracer: Tracer
    ) -> tuple[str, bool, Reading]:
        """Return the model's text, whether it is finished, and what the model read."""
        offered, left = len(evidences), list(evidences)
        while True:
            prompt, reading = await asyncio.to_thread(self._fit, request.question, left, attempt)
            read = [each.ranked for each in reading.evidences]
            try:
                async with self._listen(request, reading) as on_text:
                    generation = await tracer.generate(self.model, prompt, self.sampling, on_text)
            except ContextTooLong:  # the estimate of the tokens was too low
                if len(read) == 1:
                    raise
                left = read[: len(read) * 3 // 4]
                continue
            is_small = compute_room(self.model, self.sampling.max_tokens) < PROMPT_TOKENS or len(left) < offered
            if is_small and len(read) < offered:
                notice = TraceNotice(NoticeKind.EVIDENCES_LEFT_OUT, count=offered - len(read), total=offered)
                tracer.record_notice(notice)
            return generation.text, generation.finished, reading

    async def _check(
        self, request: _AnswerRequest, reading: Reading, parsed: ParsedAnswer, needs_every_word: bool
    ) -> Answer:
        """Return the answer with checked citations.

        ``needs_every_word``: only with statements whose every word is in a source. The answer begins with
        the statements that were shown. Raises ModelUnavailable if there is no answer and, with a fallback,
        AnswerUnsupported if no source supports it.
        """
        if parsed.defect in _UNUSABLE and not (parsed.defect == "cut" and parsed.statements):
            error, message = _UNUSABLE[parsed.defect]
            raise error(message)
        if is_refusal(parsed.statements) and not request.shown:
            return make_refusal()
        said = join_shown(request.shown, parsed.statements)
        shown = len(request.shown)
        statements = [*said[:shown], *(each for each in said[shown:] if not is_refusal_sentence(each.text))]
        cited = [each.cited for each in request.shown]
        cited += await cite_statements(request.question, statements[shown:], reading, self.embedder, needs_every_word)
        is_weak = not is_supported(statements, cited) and self._fallback is not None
        if is_weak and not request.shown:
            raise AnswerUnsupported("The language model's answer is not in the sources.")
        if needs_every_word or is_weak:  # a statement without a source may come from the instructions of a page
            supported = [at for at, used in enumerate(cited) if used or at < shown]
            statements, cited = [statements[at] for at in supported], [cited[at] for at in supported]
        return self._sign(compose_answer(statements, cited)) if statements else make_refusal()

    def _sign(self, answer: Answer) -> Answer:
        return replace(answer, author=Author.MODEL, model=self.model.name)


@dataclass(frozen=True, slots=True)
class _AnswerRequest:
    """A question to answer. ``wanted``: the language of the answer. ``parts``: None if no beginning is shown."""

    question: str
    wanted: LanguageCode
    policy: AddressPolicy
    on_text: TextListener | None
    parts: Parts | None

    @classmethod
    def begin(
        cls,
        question: str,
        evidences: Sequence[RankedEvidence],
        on_text: TextListener | None,
        parts: Parts | None,
    ) -> _AnswerRequest:
        wanted = detect_language(question)
        return cls(question, wanted, make_policy(question, evidences, wanted), on_text, parts)

    @property
    def shown(self) -> tuple[CheckedStatement, ...]:
        """Return the statements that people may see already."""
        return self.parts.shown if self.parts else ()

    def clean(self, text: str) -> str:
        return clean_answer(text, self.policy)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """How the model is asked for the answer this time, and how strictly its answer is checked.

    ``reminder``: what its first answer lacked. ``may_refuse``: whether it is told how to.
    ``needs_every_word``: keep only statements whose every word is in a source.
    """

    extractive_answer: ExtractiveAnswer | None
    reminder: str = ""
    may_refuse: bool = True
    needs_every_word: bool = False


def render_answer_prompt(
    question: str, reading: Reading, wanted: LanguageCode, reminder: str = "", may_refuse: bool = True
) -> Prompt:
    """Return the prompt for an answer in the ``wanted`` language. ``may_refuse``: whether it says how to refuse."""
    return render(
        "answer",
        question=question,
        pages=reading.pages,
        extractive_answer=reading.extractive_answer_section,
        language=name_language(wanted),
        not_found=NOT_FOUND if may_refuse else "",
        reminder=reminder,
    )


def _is_last_word(evidences: Sequence[EvidenceToRead], word: str) -> bool:
    """Whether a sentence of the evidences ends with the word."""
    return any(word == last for each in evidences for last in _find_last_words(each.evidence))


def _find_last_words(evidence: Evidence) -> Iterator[str]:
    """Yield the last word of each sentence of an evidence."""
    for part in evidence.parts:
        for sentence in split_sentences(part):
            yield from list_words(sentence)[-1:]
