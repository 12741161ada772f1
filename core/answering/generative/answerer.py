"""Generated answers (RAGonite, section 4): a language model answers from the evidences, and we check what it cites."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from core.answering.answerer import Answerer, not_found
from core.answering.generative.addresses import REMOVED, addresses_in, asks_for_address, without_removed
from core.answering.generative.checking import Support, choose_citations, lexical_support, similarities, word_for_word
from core.answering.generative.citation_parser import Complaint, Reading, read
from core.answering.generative.cleaning import Wording, clean_answer, clean_partial_answer
from core.answering.generative.composing import compose_answer
from core.answering.generative.refusal import refuses, says_the_sentence
from core.answering.generative.sources import Source, sources_of
from core.answering.generative.statements import Statement
from core.answering.generative.window import fit_prompt
from core.answering.strip_instructions import for_people
from core.errors import AnswerEmpty, AnswerInOtherLanguage, AnswerUnsupported, ContextTooLong, ModelUnavailable
from core.model import NOT_FOUND, Answer, Author, NoticeKind, Prompt, RankedEvidence, TraceNotice
from core.ports import Embedder, LanguageModel, Sampling, TextListener
from core.prompts import render
from core.text import LANGUAGE_NAMES, Language, language
from core.trace import Tracer

logger = logging.getLogger(__name__)

MAX_TOKENS = 400
_GREEDY = Sampling(MAX_TOKENS)
_DRAFTS = 64  # a text is shown again when it has grown by one part of so many


def generative_name(model: str) -> str:
    """The name of the answerer that answers with this model."""
    return f"generative: {model}"


class GenerativeAnswerer:
    """Answers with a language model; with ``fallback`` where it gives nothing that the sources support."""

    def __init__(
        self,
        model: LanguageModel,
        embedder: Embedder,
        fallback: Answerer | None,
        sampling: Sampling = _GREEDY,
    ) -> None:
        """``fallback`` None, to learn what the model itself says: an unsupported answer stays, all of it marked."""
        self._model = model
        self._embedder = embedder
        self._fallback = fallback
        self._sampling = sampling

    @property
    def name(self) -> str:
        return generative_name(self._model.name)

    async def answer(
        self,
        question: str,
        evidences: Sequence[RankedEvidence],
        tracer: Tracer,
        on_text: TextListener | None = None,
    ) -> Answer:
        """The answer, "not found", or the fallback's answer with a notice that says why.

        Raises :class:`core.errors.ModelRejected` where a setting has to be corrected first; without a fallback also
        :class:`core.errors.ModelUnavailable` and :class:`core.errors.ContextTooLong`.
        """
        evidences, left_out = await asyncio.to_thread(for_people, evidences)
        if left_out:
            tracer.notice(TraceNotice(NoticeKind.INSTRUCTIONS_LEFT_OUT, count=left_out))
            on_text = None  # a page that commands the model is at hand: nothing is shown before it is checked
        if not evidences:
            return not_found()
        try:
            sources, reading = await self._read(question, sources_of(evidences), tracer, on_text)
            return await self._checked(question, sources, reading, strictly=left_out > 0)
        except (ModelUnavailable, ContextTooLong, AnswerUnsupported) as error:
            if self._fallback is None:
                raise
            answer = await self._fallback.answer(question, evidences, tracer)
            logger.info("The wiki itself answers in place of the language model: %s", error)
            kind = NoticeKind.QUOTED_INSTEAD if answer.answered else NoticeKind.NOT_FOUND_INSTEAD
            tracer.notice(TraceNotice(kind, error.failure))
            return answer

    def prompt_of(self, question: str, evidences: Sequence[RankedEvidence]) -> Prompt | None:
        """The prompt that :meth:`answer` begins with; None where it says "not found" without asking the model.

        Raises :class:`core.errors.ContextTooLong` as it does.
        """
        usable, _ = for_people(evidences)
        if not usable:
            return None
        wanted = language(question)

        def prompt_of(given: Sequence[Source]) -> Prompt:
            return answer_prompt(question, given, wanted)

        return fit_prompt(sources_of(usable), prompt_of, self._model, self._sampling.max_tokens)[0]

    async def _checked(self, question: str, sources: Sequence[Source], reading: Reading, *, strictly: bool) -> Answer:
        """The answer that a reading gives; ``strictly``: of what sources say word for word only.

        Raises ModelUnavailable where it gives none and, with a fallback, AnswerUnsupported where no source says it.
        """
        if reading.complaint in _COMPLAINTS:
            unusable, said = _COMPLAINTS[reading.complaint]
            raise unusable(said)
        if refuses(reading.statements):
            return not_found()
        statements = [statement for statement in reading.statements if not says_the_sentence(statement.text)]
        cited = await self._cited(question, statements, sources, strictly)
        if not _is_supported(statements, cited) and self._fallback is not None:
            raise AnswerUnsupported("The language model's answer is not in the sources.")
        if strictly:  # what no source supports may be the command's
            supported = [at for at, used in enumerate(cited) if used]
            statements, cited = [statements[at] for at in supported], [cited[at] for at in supported]
        if not statements:
            return not_found()
        return replace(compose_answer(statements, cited, sources), author=Author.MODEL, model=self._model.name)

    # --------------------------------------------------------------------------------- generating

    async def _read(
        self, question: str, sources: Sequence[Source], tracer: Tracer, on_text: TextListener | None
    ) -> tuple[Sequence[Source], Reading]:
        """What the model says, at the second try if need be, and the sources that it was given."""
        wanted = language(question)
        wording = _wording(question, sources, wanted)
        listener = _cleaning(on_text, wording) if on_text else None
        reading = Reading(())
        for _ in range(2):
            reminder = _REMINDERS[reading.complaint].format(language=LANGUAGE_NAMES[wanted])
            text, finished, count = await self._generated(question, sources, wanted, reminder, tracer, listener)
            reading = read(clean_answer(text, wording), finished, wanted)
            sources = sources[:count]
            if not reading.complaint:
                break
        return sources, reading

    async def _generated(
        self,
        question: str,
        sources: Sequence[Source],
        wanted: Language,
        reminder: str,
        tracer: Tracer,
        on_text: TextListener | None,
    ) -> tuple[str, bool, int]:
        """The model's text, whether it is finished, and how many of the sources it was given."""

        def prompt_of(given: Sequence[Source]) -> Prompt:
            return answer_prompt(question, given, wanted, reminder)

        offered = len(sources)
        while True:
            prompt, count = fit_prompt(sources, prompt_of, self._model, self._sampling.max_tokens)
            try:
                generation = await tracer.generate(self._model, prompt, self._sampling, on_text)
            except ContextTooLong:  # the estimate was too low
                if count == 1:
                    raise
                sources = sources[: max(1, count * 3 // 4)]
                continue
            _tell(sources[:count], offered, tracer)
            return generation.text, generation.finished, count

    # ----------------------------------------------------------------------------------- checking

    async def _cited(
        self, question: str, statements: Sequence[Statement], sources: Sequence[Source], strictly: bool
    ) -> list[list[Source]]:
        """For each statement the sources to cite; none if no source supports it, ``strictly``: word for word."""
        supports = await asyncio.to_thread(_lexical_supports, question, statements, sources)
        if strictly:
            supports = [
                word_for_word(row) if without_removed(said.text) == said.text else []
                for said, row in zip(statements, supports, strict=True)
            ]
            return [[sources[at] for at in _choice(said, row)] for said, row in zip(statements, supports, strict=True)]
        undecided = [at for at, row in enumerate(supports) if not any(support.holds for support in row)]
        cosines = await similarities([statements[at].text for at in undecided], sources, self._embedder)
        for at, row in zip(undecided, cosines, strict=True):
            supports[at] = [replace(held, cosine=float(near)) for held, near in zip(supports[at], row, strict=True)]
        return [
            _of_different_places([sources[at] for at in _choice(said, row)])
            for said, row in zip(statements, supports, strict=True)
        ]


def _lexical_supports(question: str, statements: Sequence[Statement], sources: Sequence[Source]) -> list[list[Support]]:
    """Shape (statements, sources). Takes up to 65 ms, so it does not run on the event loop."""
    return [[lexical_support(said.text, question, source) for source in sources] for said in statements]


def _is_supported(statements: Sequence[Statement], cited: Sequence[Sequence[Source]]) -> bool:
    """Whether sources support at least half of what is said, and something."""
    said = [bool(used) for statement, used in zip(statements, cited, strict=True) if not statement.introduces or used]
    return any(said) and sum(said) >= len(said) / 2


def _choice(statement: Statement, supports: Sequence[Support]) -> list[int]:
    return choose_citations(supports, [number - 1 for number in statement.cited if 1 <= number <= len(supports)])


def _of_different_places(sources: Sequence[Source]) -> list[Source]:
    """The first source of each section: a row, its table and its neighbours open at the same place."""
    first: dict[tuple[str, tuple[str, ...]], Source] = {}
    for source in sources:
        first.setdefault((source.evidence.page_id, source.evidence.context.heading_path), source)
    return list(first.values())


_OF_LANGUAGE = "Remember: every word of the answer has to be in {language}."
_REMINDERS: dict[Complaint, str] = {
    "": "",
    "empty": "Answer now, in {language}.",
    "language": _OF_LANGUAGE,
    "script": _OF_LANGUAGE,
}
# An answer that stays in the wrong language is still one, if the sources support it.
_COMPLAINTS: dict[Complaint, tuple[type[ModelUnavailable], str]] = {
    "empty": (AnswerEmpty, "The language model gave no answer."),
    "script": (AnswerInOtherLanguage, "The language model answered in another language."),
}


def answer_prompt(question: str, sources: Sequence[Source], wanted: Language, reminder: str = "") -> Prompt:
    """The prompt for an answer from these sources in this language."""
    return render(
        "answer",
        question=question,
        sources=sources,
        language=LANGUAGE_NAMES[wanted],
        not_found=NOT_FOUND,
        reminder=reminder,
    )


def _wording(question: str, sources: Sequence[Source], wanted: Language) -> Wording:
    """Addresses may stand in the answer if the question asks for one, and only as a source has them."""
    allowed = {address for source in sources for address in addresses_in(source.text)}
    return Wording(frozenset(allowed) if asks_for_address(question) else frozenset(), REMOVED[wanted])


def _cleaning(on_text: TextListener, wording: Wording) -> TextListener:
    cleaned_to = 0

    def listener(text: str) -> None:
        nonlocal cleaned_to
        # A text is cleaned as a whole: at every piece of a long one that would take longer than the model takes.
        if 0 <= len(text) - cleaned_to < cleaned_to // _DRAFTS:
            return
        cleaned_to = len(text)
        on_text(clean_partial_answer(text, wording, (NOT_FOUND,)))

    return listener


def _tell(given: Sequence[Source], offered: int, tracer: Tracer) -> None:
    if len(given) < offered:
        tracer.notice(TraceNotice(NoticeKind.EVIDENCES_LEFT_OUT, count=offered - len(given), total=offered))
