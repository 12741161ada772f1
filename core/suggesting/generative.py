"""Suggests questions with a language model; from headings and rows if it gives none that may be shown."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.answering.answerer import is_answered_without_model
from core.answering.generative.cleaning import AddressPolicy, clean_answer
from core.answering.generative.extractive_answer import ExtractiveFinder
from core.answering.generative.prompt_sections import Reading, compute_room, fit_reading
from core.errors import ContextTooLong, ModelRejected, ModelUnavailable
from core.languages import LanguageCode, is_clearly_not_in, name_language
from core.model import NoticeKind, Prompt, Suggestion, TraceNotice, Turn
from core.ports.models import LanguageModel, Sampling
from core.prompts import render
from core.suggesting.suggester import (
    MAX_SUGGESTIONS,
    Checker,
    HeadingSuggester,
    is_repeated,
    is_retrieved,
    list_earlier_questions,
    may_be_shown,
)
from core.trace import Tracer

_MAX_TOKENS = 120
_MAX_READ = 6  # questions read from one output
_CLEAR_SIGNALS = 3  # words of a language that show that a question is in it
_MARK = re.compile(
    r"^\s*+(?:[-*•·–]\s++|\(?\d{1,2}[.):]\s*+|(?:follow-?up )?(?:question|frage)\s*+\d*+\s*+[:.]\s*+|"
    r"[>\"'“”„«»*_`]++)++",
    re.IGNORECASE,
)
_CITED = re.compile(r"(?<!\s)\s*+(?:\[[\d,\s]++\]|\((?:source|quelle)[^()]*+\))", re.IGNORECASE)
_AFTER = "\"'“”„«»*_` "


@dataclass(frozen=True, slots=True, eq=False)
class GenerativeSuggester:
    """Asks a language model for questions, and keeps those that retrieve one of the evidences and are answered."""

    model: LanguageModel
    checker: Checker
    headings: HeadingSuggester
    finder: ExtractiveFinder

    async def suggest(self, turn: Turn, earlier: Sequence[str], tracer: Tracer) -> tuple[Suggestion, ...]:
        """See :class:`core.suggesting.suggester.Suggester`.

        The model is not asked after "not found", when it would repeat the question in other words, nor if it failed for
        the answer, when people would wait for it again.
        """
        failed = is_answered_without_model(turn.trace) or any(call.failure for call in turn.trace.calls)
        if failed or not turn.answer.answered or not turn.evidences:
            return await self.headings.suggest(turn, earlier, tracer)
        kept: list[Suggestion] = []
        for question in await self._propose(turn, earlier, tracer):
            others = [*list_earlier_questions(turn, earlier), *(suggestion.question for suggestion in kept)]
            if len(kept) < MAX_SUGGESTIONS and not is_repeated(question, others):
                kept += await self._check(question, turn, {suggestion.evidence_id for suggestion in kept})
        return tuple(kept) or await self.headings.suggest(turn, earlier, tracer)

    async def _propose(self, turn: Turn, earlier: Sequence[str], tracer: Tracer) -> list[str]:
        wanted = turn.question.asked_language

        def render_prompt(reading: Reading) -> Prompt:
            return render_suggestion_prompt(turn, earlier, reading, wanted)

        try:
            asked = turn.question.intent_explicit
            extractive_answer = await self.finder.find_extractive_answer(asked, turn.evidences, turn.day)
            room = compute_room(self.model, _MAX_TOKENS, extractive_answer)
            prompt, _ = await asyncio.to_thread(
                fit_reading, asked, turn.evidences, extractive_answer, render_prompt, self.model, room
            )
            generation = await tracer.generate(self.model, prompt, Sampling(_MAX_TOKENS))
        except (ModelUnavailable, ModelRejected, ContextTooLong) as error:
            tracer.record_notice(TraceNotice(NoticeKind.SUGGESTED_WITHOUT_MODEL, error.failure))
            return []
        return parse_questions(generation.text, generation.finished, wanted)

    async def _check(self, question: str, turn: Turn, used: set[str]) -> list[Suggestion]:
        """Return the suggestion if the question retrieves one of the turn's evidences and is answered, else []."""
        found = await self.checker.retrieve(question, turn.scope)
        own = {ranked.evidence.evidence_id for ranked in turn.evidences} - used
        ids = (ranked.evidence.evidence_id for ranked in found)
        evidence_id = next((each for each in ids if each in own and is_retrieved(found, each)), "")
        if evidence_id and await self.checker.answers(question, found):
            return [Suggestion(question, evidence_id)]
        return []


def render_suggestion_prompt(turn: Turn, earlier: Sequence[str], reading: Reading, wanted: LanguageCode) -> Prompt:
    """Return the prompt for suggestions.

    It begins like the answer's prompt, so that servers reuse the common prefix.
    """
    return render(
        "suggest",
        pages=reading.pages,
        extractive_answer=reading.extractive_answer_section,
        asked=list(dict.fromkeys([*earlier[-3:], turn.question.intent_explicit])),
        answer=turn.answer.text,
        language=name_language(wanted),
    )


def parse_questions(text: str, finished: bool, wanted: LanguageCode) -> list[str]:
    """Return the questions of a model's output, one per line, without markup and without those in another language.

    ``finished`` False: the output was cut off, so its incomplete last line is dropped.
    """
    lines = clean_answer(
        text, AddressPolicy(frozenset(), "<>")
    ).splitlines()  # the note "<>" makes a question with an address unusable
    found: list[str] = []
    for line in (lines if finished else lines[:-1])[: 2 * _MAX_READ]:
        question = " ".join(_CITED.sub("", _MARK.sub("", line)).split()).strip(_AFTER)
        if question.endswith("?") and len(question.split()) > 2 and may_be_shown(question):
            question = question[0].upper() + question[1:]
            if not is_clearly_not_in(question, wanted, _CLEAR_SIGNALS):
                found.append(question)
    return list(dict.fromkeys(found))[:_MAX_READ]
