"""Generated answers (RAGonite, section 4): a language model answers, and its citations are checked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.answering.answerer import Answerer, not_found
from core.answering.generative.checking import cite_statements, compose_answer, is_supported
from core.answering.generative.cleaning import (
    REMOVED,
    Wording,
    addresses_in,
    asks_for_address,
    clean_answer,
    clean_partial_answer,
)
from core.answering.generative.statements import Defect, ParsedAnswer, parse_answer, refuses, says_the_sentence
from core.answering.instructions import strip_evidences
from core.errors import AnswerEmpty, AnswerInOtherLanguage, AnswerUnsupported, ContextTooLong, ModelUnavailable
from core.languages import LanguageCode, choose_catalogue, detect_language, name_language
from core.model import NOT_FOUND, Answer, Author, NoticeKind, Prompt, RankedEvidence, TraceNotice
from core.ports.models import Embedder, LanguageModel, Sampling, TextListener
from core.prompts import Source, fit_prompt, render, sources_of
from core.trace import Tracer

logger = logging.getLogger(__name__)

MAX_TOKENS = 400
_GREEDY = Sampling(MAX_TOKENS)
_DRAFTS = 64  # a growing text is cleaned and shown again when it is longer by one part of so many

_OF_LANGUAGE = "Remember: every word of the answer has to be in {language}."
_REMINDERS: dict[Defect, str] = {
    "": "",
    "empty": "Answer now, in {language}.",
    "language": _OF_LANGUAGE,
    "script": _OF_LANGUAGE,
}
# An answer that stays in the wrong language is still used if the sources support it.
_UNUSABLE: dict[Defect, tuple[type[ModelUnavailable], str]] = {
    "empty": (AnswerEmpty, "The language model gave no answer."),
    "script": (AnswerInOtherLanguage, "The language model answered in another language."),
}


def generative_name(model: str) -> str:
    """The name of the answerer that answers with this model."""
    return f"generative: {model}"


@dataclass(frozen=True, slots=True, eq=False)
class GenerativeAnswerer:
    """Answers with a language model; with ``fallback`` if the model gives nothing that the sources support.

    ``fallback`` None: an unsupported answer of the model is kept, with every statement marked.
    """

    model: LanguageModel
    embedder: Embedder
    fallback: Answerer | None
    sampling: Sampling = _GREEDY

    @property
    def name(self) -> str:
        return generative_name(self.model.name)

    async def answer(
        self,
        question: str,
        evidences: Sequence[RankedEvidence],
        tracer: Tracer,
        on_text: TextListener | None = None,
    ) -> Answer:
        """The answer, "not found", or the fallback's answer with a notice that gives the reason.

        Raises :class:`core.errors.ModelRejected` if a setting has to be corrected first; without a fallback also
        :class:`core.errors.ModelUnavailable` and :class:`core.errors.ContextTooLong`.
        """
        evidences, left_out = await asyncio.to_thread(strip_evidences, evidences)
        if left_out:
            tracer.notice(TraceNotice(NoticeKind.INSTRUCTIONS_LEFT_OUT, count=left_out))
            on_text = None  # a page tries to command the model, so nothing is shown before it is checked
        if not evidences:
            return not_found()
        try:
            sources, parsed = await self._generate(question, sources_of(evidences), tracer, on_text)
            return await self._check(question, sources, parsed, word_for_word=left_out > 0)
        except (ModelUnavailable, ContextTooLong, AnswerUnsupported) as error:
            if self.fallback is None:
                raise
            answer = await self.fallback.answer(question, evidences, tracer)
            logger.info("The wiki itself answers in place of the language model: %s", error)
            kind = NoticeKind.QUOTED_INSTEAD if answer.answered else NoticeKind.NOT_FOUND_INSTEAD
            tracer.notice(TraceNotice(kind, error.failure))
            return answer

    def prompt_of(self, question: str, evidences: Sequence[RankedEvidence]) -> Prompt | None:
        """The first prompt of :meth:`answer`; None if that says "not found" without asking the model.

        Raises :class:`core.errors.ContextTooLong`.
        """
        usable, _ = strip_evidences(evidences)
        return self._fit(question, sources_of(usable), "")[0] if usable else None

    def _fit(self, question: str, sources: Sequence[Source], reminder: str) -> tuple[Prompt, int]:
        def prompt_of(given: Sequence[Source]) -> Prompt:
            return answer_prompt(question, given, detect_language(question), reminder)

        return fit_prompt(sources, prompt_of, self.model, self.sampling.max_tokens)

    async def _generate(
        self, question: str, sources: Sequence[Source], tracer: Tracer, on_text: TextListener | None
    ) -> tuple[Sequence[Source], ParsedAnswer]:
        """The model's parsed answer, at the second try if need be, and the sources that it was given."""
        wanted = detect_language(question)
        wording = _allowed_wording(question, sources, wanted)
        listener = _clean_drafts(on_text, wording) if on_text else None
        parsed = ParsedAnswer(())
        for _ in range(2):
            reminder = _REMINDERS[parsed.defect].format(language=name_language(wanted))
            text, finished, count = await self._call_model(question, sources, reminder, tracer, listener)
            parsed = parse_answer(clean_answer(text, wording), finished, wanted)
            sources = sources[:count]
            if not parsed.defect:
                break
        return sources, parsed

    async def _call_model(
        self,
        question: str,
        sources: Sequence[Source],
        reminder: str,
        tracer: Tracer,
        on_text: TextListener | None,
    ) -> tuple[str, bool, int]:
        """The model's text, whether it is finished, and how many of the sources were in the prompt."""
        offered = len(sources)
        while True:
            prompt, count = self._fit(question, sources, reminder)
            try:
                generation = await tracer.generate(self.model, prompt, self.sampling, on_text)
            except ContextTooLong:  # the estimate of the tokens was too low
                if count == 1:
                    raise
                sources = sources[: max(1, count * 3 // 4)]
                continue
            if count < offered:
                notice = TraceNotice(NoticeKind.EVIDENCES_LEFT_OUT, count=offered - count, total=offered)
                tracer.notice(notice)
            return generation.text, generation.finished, count

    async def _check(
        self, question: str, sources: Sequence[Source], parsed: ParsedAnswer, *, word_for_word: bool
    ) -> Answer:
        """The answer with checked citations; ``word_for_word``: only of statements whose every word is in a source.

        Raises ModelUnavailable if there is no answer and, with a fallback, AnswerUnsupported if no source supports it.
        """
        if parsed.defect in _UNUSABLE:
            error, message = _UNUSABLE[parsed.defect]
            raise error(message)
        if refuses(parsed.statements):
            return not_found()
        statements = [statement for statement in parsed.statements if not says_the_sentence(statement.text)]
        cited = await cite_statements(question, statements, sources, self.embedder, word_for_word)
        if not is_supported(statements, cited) and self.fallback is not None:
            raise AnswerUnsupported("The language model's answer is not in the sources.")
        if word_for_word:  # what no source supports may come from the instructions of a page
            supported = [at for at, used in enumerate(cited) if used]
            statements, cited = [statements[at] for at in supported], [cited[at] for at in supported]
        if not statements:
            return not_found()
        return replace(compose_answer(statements, cited, sources), author=Author.MODEL, model=self.model.name)


def answer_prompt(question: str, sources: Sequence[Source], wanted: LanguageCode, reminder: str = "") -> Prompt:
    """The prompt for an answer from these sources in this language."""
    return render(
        "answer",
        question=question,
        sources=sources,
        language=name_language(wanted),
        not_found=NOT_FOUND,
        reminder=reminder,
    )


def _allowed_wording(question: str, sources: Sequence[Source], wanted: LanguageCode) -> Wording:
    """An address may stand in the answer if the question asks for one and a source has it."""
    allowed = {address for source in sources for address in addresses_in(source.text)}
    return Wording(frozenset(allowed) if asks_for_address(question) else frozenset(), REMOVED[choose_catalogue(wanted)])


def _clean_drafts(on_text: TextListener, wording: Wording) -> TextListener:
    cleaned_to = 0

    def listener(text: str) -> None:
        nonlocal cleaned_to
        # A text is cleaned as a whole: for every piece of a long one that would take longer than the model takes.
        if 0 <= len(text) - cleaned_to < cleaned_to // _DRAFTS:
            return
        cleaned_to = len(text)
        on_text(clean_partial_answer(text, wording, (NOT_FOUND,)))

    return listener
