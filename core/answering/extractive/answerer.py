"""The extractive answerer, and its decision whether the evidences answer a question at all.

An answer consists of whole sentences, list items and table rows, verbatim. They are chosen by how well each word of the
question is matched by a word of theirs or of their place.

The decision is a logistic model of the best unit: how well it matches the question by meaning, and the heaviest word of
the question that it lacks by letters (a question about a price is not answered by a page that names no price). Words of
another language cannot match by letters, so a difference of languages counts in favour. The weights were fitted on
answerable questions, the same with their pages removed, and questions about other things, over several wikis: see
docs/answering.md for the data, the command and the figures on a wiki that was left out.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.answering.answerer import not_found
from core.answering.extractive.compose import Statement, compose, statement
from core.answering.extractive.references import find_referred_page, put_reference_first
from core.answering.extractive.selection import select_statements
from core.answering.extractive.units import ScoredUnit, score_units, units_of
from core.answering.focus import Focus, focus_of
from core.answering.identifiers import is_about_unknown
from core.answering.instructions import strip_evidences
from core.languages import LanguageCode, detect_language, is_clearly_not_in, is_language_clear
from core.model import Answer, NoticeKind, RankedEvidence, TraceNotice
from core.ports.models import TextListener, WordMatcher
from core.reading.compute import compute_by_meaning
from core.reading.facts import answer_from_facts
from core.text import split_subject
from core.trace import Tracer


@dataclass(frozen=True, slots=True, eq=False)
class ExtractiveAnswerer:
    """Answers with the evidences' own words."""

    name = "extractive"

    matcher: WordMatcher

    async def answer(
        self,
        question: str,
        evidences: Sequence[RankedEvidence],
        tracer: Tracer,
        on_text: TextListener | None = None,
    ) -> Answer:
        """The answer, computed or quoted; "not found" if the evidences do not have it."""
        focus = focus_of(question)
        usable, _ = await asyncio.to_thread(strip_evidences, evidences)
        if stated := await asyncio.to_thread(answer_from_facts, question, usable):
            return stated
        if computed := await compute_by_meaning(question, usable, self.matcher):
            tracer.plan(computed.traced)
            return computed.answer
        if is_about_unknown(question, usable):
            return not_found()
        units = put_reference_first(await score_units(focus, units_of(usable), self.matcher), usable)
        support = await self._estimate_support(focus, units, usable)
        statements = select_statements(focus, units, usable) if support >= THRESHOLD else []
        if not statements:
            return not_found()
        statements = await self._follow_reference(focus, units, statements, usable)
        if support < SURE:
            tracer.notice(TraceNotice(NoticeKind.UNSURE))
        answer = compose(statements)
        if written := _find_other_language(answer.text, focus):
            tracer.notice(TraceNotice(NoticeKind.OTHER_LANGUAGE, language=written))
        return answer

    async def _follow_reference(
        self, focus: Focus, units: Sequence[ScoredUnit], shown: list[Statement], usable: Sequence[RankedEvidence]
    ) -> list[Statement]:
        """The statements with what another page says where a sentence sends the question there.

        "For German contracts the page … applies": if a question asks about German ones, that page answers it.
        """
        there = find_referred_page(units[0], usable)
        if not there or any(each.ranked.evidence.page_id == there[0].evidence.page_id for each in shown):
            return shown
        back = units[0].unit.ranked.evidence.context.title.casefold()
        said = [unit for unit in units_of(there) if back not in unit.text.casefold()]
        answers = select_statements(focus, await score_units(focus, said, self.matcher), there)[:1]
        sent = statement(focus, [units[0]])
        return [sent, *answers, *(each for each in shown if sent.text not in each.text)] if answers else shown

    async def _estimate_support(
        self, focus: Focus, units: Sequence[ScoredUnit], usable: Sequence[RankedEvidence]
    ) -> float:
        """As :func:`estimate_support`, for a completed question the mean of it with and without what was added.

        Of what was added, a title, any text of that page has the words. Without it only a question that says something
        by itself can be answered.
        """
        support = estimate_support(focus, units)
        own = focus_of(split_subject(focus.question)[0])
        if own.question == focus.question or len(own.words) < _OWN_WORDS:
            return support
        return (support + estimate_support(own, await score_units(own, units_of(usable), self.matcher))) / 2


def _find_other_language(quoted: str, focus: Focus) -> LanguageCode:
    """The language of the answer, if it is clearly another than the question's; else "".

    A word or two of a question may be of any language.
    """
    is_other = is_language_clear(focus.question, 1) and is_clearly_not_in(quoted, focus.language, _CLEAR_SIGNALS)
    return detect_language(quoted) if is_other else ""


_OWN_WORDS = 3  # content words of a question that says something without what was added to it
_CLEAR_SIGNALS = 3  # words of a language that show that a quotation is in it

FEATURES = ("score", "missing", "other_language")
"""The values of :func:`support_features`, in their order."""

WEIGHTS, BIAS = (10.13, -8.04, 0.94), -5.41
THRESHOLD = 0.32
"""Below it nothing is shown."""
SURE = 0.45
"""Below it an answer says that it may not be one."""


def support_features(focus: Focus, units: Sequence[ScoredUnit]) -> tuple[float, ...]:
    """The features of the best unit, see :class:`core.answering.extractive.units.ScoredUnit`."""
    best = units[0]
    evidence = best.unit.ranked.evidence
    around = (evidence.context.title, *evidence.context.heading_path, evidence.context.before, evidence.context.after)
    other_language = detect_language(" ".join((evidence.text, *around))) != focus.language
    return best.score, best.missing, float(other_language)


def support_probability(features: Sequence[float], weights: Sequence[float] = WEIGHTS, bias: float = BIAS) -> float:
    """Probability, 0 to 1, that the evidences answer."""
    evidence = sum(weight * value for weight, value in zip(weights, features, strict=True)) + bias
    return 1 / (1 + math.exp(-evidence))


def estimate_support(focus: Focus, units: Sequence[ScoredUnit]) -> float:
    """Probability, 0 to 1, that the best unit answers the question; 0 for a question that says nothing."""
    return support_probability(support_features(focus, units)) if units and focus.words else 0.0
