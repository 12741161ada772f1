"""The extractive answerer.

An answer consists of whole sentences, list items and table rows, verbatim. They are chosen by how well each word of the
question matches a word of the unit or of its context. :mod:`core.answering.extractive.confidence` decides whether they
answer the question at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from core.answering.answerer import PartListener, make_refusal
from core.answering.extractive.confidence import ANSWER_THRESHOLD, estimate_confidence, is_doubtful
from core.answering.extractive.exclusions.dated_titles import write_day_as_in_title
from core.answering.extractive.exclusions.exclusion import leave_out_others
from core.answering.extractive.order.asked_values import (
    AskedKind,
    find_asked_kind,
    find_value_elsewhere,
    has_value,
    lacks_value,
    put_values_first,
)
from core.answering.extractive.order.attendees import put_attendees_first
from core.answering.extractive.order.defaults import lacks_default, put_defaults_first
from core.answering.extractive.order.definitions import put_definitions_first
from core.answering.extractive.order.numbered_rows import (
    find_answer_threshold,
    is_row_of_number,
    put_numbered_row_first,
)
from core.answering.extractive.order.own_words import put_own_words_first
from core.answering.extractive.order.persons import put_persons_first
from core.answering.extractive.order.reasons import asks_why, put_reasons_first, says_why
from core.answering.extractive.order.references import find_referred_page, put_reference_first
from core.answering.extractive.quoting.asked_steps import quote_asked_step
from core.answering.extractive.quoting.compose import compose, quote_units
from core.answering.extractive.quoting.equally_named_rows import add_equally_named_rows
from core.answering.extractive.quoting.likelier import put_likelier_first
from core.answering.extractive.quoting.remarks import add_remarks, find_issue_list
from core.answering.extractive.quoting.selection import select_quotations
from core.answering.extractive.rows_or_text import is_text_better, may_be_chance
from core.answering.extractive.units import (
    ScoredUnit,
    Unit,
    list_units,
    put_first,
    put_letters_first,
    score_units,
)
from core.answering.extractive.verdicts.clauses import add_verdict, is_left_open
from core.answering.extractive.verdicts.own_answer import put_own_answer_first
from core.answering.extractive.verdicts.unit_verdicts import add_unit_verdict
from core.answering.question_parts import join_answers, list_parts
from core.languages import LanguageCode, detect_language, is_clearly_not_in, is_language_clear
from core.model import Answer, ClosestUnit, NoticeKind, RankedEvidence, TraceNotice
from core.ports.models import TextListener, WordMatcher
from core.reading.compute import compute_clear_result
from core.reading.lists import join_announced_lists
from core.reading.lookup import leave_out_tables_for_lookup, look_up
from core.reading.pages.direct_answers import answer_directly
from core.reading.plans.initials import expand_initials
from core.reading.questions.yes_no import find_first_verb
from core.reading.ways import ComputedResult
from core.text import count_words, split_subject
from core.trace import Tracer
from core.wording.defaults import write_default
from core.wording.focus import Focus, find_focus
from core.wording.identifiers import is_about_unknown
from core.wording.instructions import strip_evidences
from core.wording.quotations import Quotation

_MOST_CLOSEST = 3  # units that a refusal records
_CLEAR_SIGNALS = 3  # words of a language that show that a text is in it
_OWN_WORDS = 3  # content words of a question that can be answered without what completion added
_SENTENCE_WORDS = 5  # a shorter cell is a name, a value or a state


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
        on_part: PartListener | None = None,
        day: date | None = None,
    ) -> Answer:
        """Return the answer to each part of the question, computed or quoted; "not found" if no evidence has it."""
        parts = list_parts(question)
        answers = [await self._answer_part(part, evidences, tracer, day) for part in parts]
        if any(answer.answered for answer in answers):
            tracer.record_closest(())
        return join_answers(parts, answers) if len(parts) > 1 else answers[0]

    async def _answer_part(
        self, question: str, evidences: Sequence[RankedEvidence], tracer: Tracer, day: date | None
    ) -> Answer:
        titles = [ranked.evidence.context.title for ranked in evidences]
        question = write_day_as_in_title(write_default(question), titles)
        usable, direct = await asyncio.to_thread(_find_direct_answer, question, evidences)
        if direct:
            return direct
        computed = await compute_clear_result(question, usable, self.matcher, day)
        if computed and not await self._is_text_better(question, usable, computed):
            tracer.record_plan(computed.traced)
            if computed.result.is_open:
                tracer.record_notice(TraceNotice(NoticeKind.NO_VERDICT))
            return computed.answer
        return await self.quote(question, usable, tracer)

    async def _is_text_better(
        self, question: str, evidences: Sequence[RankedEvidence], computed: ComputedResult
    ) -> bool:
        """Whether a text answers the question better than the rows that were counted or listed, or an empty cell."""
        if not (computed.result.is_empty or may_be_chance(computed.plan)):
            return False
        units = await score_units(find_focus(question), list_units(evidences), self.matcher)
        return is_text_better(units, computed.result.rows)

    async def quote(self, question: str, evidences: Sequence[RankedEvidence], tracer: Tracer) -> Answer:
        """Return the sentences, items and rows that answer the question; "not found" without any.

        ``evidences``: without what :func:`core.wording.instructions.strip_evidences` leaves out.
        """
        question = await asyncio.to_thread(expand_initials, write_default(question), evidences)
        question = write_day_as_in_title(question, [ranked.evidence.context.title for ranked in evidences])
        focus, kind = find_focus(question), find_asked_kind(question)
        if is_about_unknown(question, evidences):
            return _refuse(focus, evidences)
        units, confidence = await self._find_units(focus, kind, evidences)
        step = _quote_step_of_subject(focus, units, evidences)
        quotations = step or await self._choose_quotations(focus, kind, units, confidence, evidences)
        settled = await self._settle(focus, units, quotations)
        if not quotations or not (step or settled or confidence >= find_answer_threshold(focus, units)):
            tracer.record_closest(_list_closest(units))
            return _refuse(focus, evidences)
        if not settled and is_left_open(focus, quotations):
            tracer.record_notice(TraceNotice(NoticeKind.NO_VERDICT))
        elif not step and (is_doubtful(units, confidence) or _lacks_what_is_asked(focus, kind, quotations)):
            tracer.record_notice(TraceNotice(NoticeKind.UNSURE))
        if written := _find_other_language(quotations, focus):
            tracer.record_notice(TraceNotice(NoticeKind.OTHER_LANGUAGE, language=written))
        return compose(add_remarks(focus, settled or quotations))

    async def _find_units(
        self, focus: Focus, kind: AskedKind | None, evidences: Sequence[RankedEvidence]
    ) -> tuple[list[ScoredUnit], float]:
        """Return the units that may answer, the best first, and the confidence that it does.

        The confidence is that of the best unit by meaning and rating, before letters choose among those that match as
        well.
        """
        read = leave_out_tables_for_lookup(focus.question, evidences)
        fitting = leave_out_others(focus.question, list_units(read, partial(is_row_of_number, focus)))
        scored = await score_units(focus, fitting, self.matcher, partial(_may_have_what_is_asked, focus, kind))

        def put_meant_first(defined: Sequence[ScoredUnit]) -> list[ScoredUnit]:
            return _put_meant_first(focus, put_defaults_first(focus.question, defined, fitting), evidences)

        defined = put_definitions_first(focus.question, scored)
        confidence = await self._estimate_confidence(focus, put_meant_first(defined), evidences)
        if scored and defined[0] is not scored[0]:
            # A definition may lack a word that the best text has.
            without = await self._estimate_confidence(focus, _put_meant_first(focus, scored, evidences), evidences)
            confidence = max(confidence, without)
        by_letters = put_definitions_first(focus.question, put_letters_first(focus, scored))
        return put_meant_first(by_letters), confidence

    async def _choose_quotations(
        self,
        focus: Focus,
        kind: AskedKind | None,
        units: Sequence[ScoredUnit],
        confidence: float,
        evidences: Sequence[RankedEvidence],
    ) -> list[Quotation]:
        """Return the quotations that may answer; none if the confidence is too low, also for a verdict.

        If those of the best units lack a value of the asked kind, a unit that has one is quoted, if the confidence in
        it is high enough. Without such a unit there are none, unless the value is optional.
        """
        may_settle = bool(find_first_verb(split_subject(focus.question)[0], focus.language))
        if not units or confidence < find_answer_threshold(focus, units, may_settle):
            return []
        refers = find_referred_page(units[0], evidences)  # the value is on that page
        first = units if refers else _put_asked_first(focus, kind, units, evidences)
        quotations = await self._quote(focus, kind, first, evidences)
        if kind is None or not lacks_value(kind, quotations[:1] if kind.clear else quotations):
            return quotations
        other = find_value_elsewhere(kind, units)
        if other and estimate_confidence(focus, [other]) >= ANSWER_THRESHOLD:
            having = await self._quote(focus, kind, put_first(other, units), evidences)
            if not lacks_value(kind, having):
                return having
        return [] if lacks_value(kind, quotations) and not kind.is_optional else quotations

    async def _quote(
        self, focus: Focus, kind: AskedKind | None, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
    ) -> list[Quotation]:
        quotations = select_quotations(focus, units, evidences)
        if not quotations:
            return []
        ordered = put_likelier_first(focus, kind, quotations, units, evidences)
        quotations = await self._follow_reference(focus, units, ordered, evidences)
        return look_up(focus.question, add_equally_named_rows(focus, units, quotations), evidences)

    async def _settle(
        self, focus: Focus, units: Sequence[ScoredUnit], quotations: list[Quotation]
    ) -> list[Quotation] | None:
        """Put what settles a yes-or-no question before the quotations; return None if nothing does."""
        settled = put_own_answer_first(focus, quotations) or add_verdict(focus, units, quotations)
        return settled or await add_unit_verdict(focus, units, quotations, self.matcher)

    async def _follow_reference(
        self, focus: Focus, units: Sequence[ScoredUnit], shown: list[Quotation], evidences: Sequence[RankedEvidence]
    ) -> list[Quotation]:
        """Return the quotations, and those of the page to which the best unit refers, if it refers to one.

        "For German contracts the page … applies": a question about German contracts is answered by that page.
        """
        there = find_referred_page(units[0], evidences)
        if not there or any(each.evidence.page_id == there[0].evidence.page_id for each in shown):
            return shown
        back = units[0].evidence.context.title.casefold()
        said = [unit for unit in list_units(there) if back not in unit.text.casefold()]
        answers = select_quotations(focus, await score_units(focus, said, self.matcher), there)[:1]
        sent = quote_units(focus, [units[0]])
        return [sent, *answers, *(each for each in shown if sent.text not in each.text)] if answers else shown

    async def _estimate_confidence(
        self, focus: Focus, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
    ) -> float:
        """Return the confidence; for a completed question the mean with and without what completion added.

        Completion adds a title, whose words any text of that page matches. The question without it counts only if it
        has enough words of its own.
        """
        confidence = estimate_confidence(focus, units)
        own = find_focus(split_subject(focus.question)[0])
        if own.question == focus.question or len(own.words) < _OWN_WORDS:
            return confidence
        return (confidence + estimate_confidence(own, await score_units(own, list_units(evidences), self.matcher))) / 2


def _quote_step_of_subject(
    focus: Focus, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> list[Quotation]:
    """Quote the step that a follow-up asks for by its number, from the page that completion named; [] without one.

    Such an answer is certain, though the question has few words: "And the second step?".
    """
    subject = split_subject(focus.question)[1]
    return quote_asked_step(focus, [unit for unit in units if unit.evidence.context.title in subject], evidences)


def _put_meant_first(
    focus: Focus, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> list[ScoredUnit]:
    """Move to the front the unit that is meant.

    It refers to the page with the answer, has all own words of the question, or is the row of a thing with a number.
    """
    return put_numbered_row_first(focus, put_own_words_first(focus, put_reference_first(units, evidences)))


def _put_asked_first(
    focus: Focus, kind: AskedKind | None, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> list[ScoredUnit]:
    """Move to the front the unit that has the asked value, reason or person, of those that match nearly as well."""
    if kind:
        return put_values_first(focus, kind, units)
    return put_attendees_first(focus, put_persons_first(focus, put_reasons_first(focus, units), evidences))


def _may_have_what_is_asked(focus: Focus, kind: AskedKind | None, unit: Unit) -> bool:
    return has_value(kind, unit) if kind else asks_why(focus) and says_why(unit)


def _lacks_what_is_asked(focus: Focus, kind: AskedKind | None, quotations: Sequence[Quotation]) -> bool:
    return lacks_value(kind, quotations) or lacks_default(focus.question, (each.text for each in quotations))


def _find_direct_answer(
    question: str, evidences: Sequence[RankedEvidence]
) -> tuple[list[RankedEvidence], Answer | None]:
    """Return the evidences that may be quoted, and the answer if they state it."""
    stripped, _ = strip_evidences(evidences)
    usable = join_announced_lists(stripped)
    return usable, answer_directly(question, usable)


def _refuse(focus: Focus, evidences: Sequence[RankedEvidence]) -> Answer:
    """Return "not found", or for a question about issues the query by which the page lists them."""
    listed = find_issue_list(focus, evidences)
    return compose(add_remarks(focus, listed)) if listed else make_refusal()


def _list_closest(units: Sequence[ScoredUnit]) -> list[ClosestUnit]:
    """Return the best unit of each page, best first."""
    closest: dict[str, ClosestUnit] = {}
    for unit in units:
        closest.setdefault(unit.evidence.page_id, ClosestUnit(unit.evidence.evidence_id, unit.index))
    return list(closest.values())[:_MOST_CLOSEST]


def _find_other_language(quotations: Sequence[Quotation], focus: Focus) -> LanguageCode:
    """Return the language of the quoted sentences if it is clearly not the question's, else "".

    Names in the cells of a table are in no language, and one or two words of a question may be of any.
    """
    quoted = "\n".join(_read_sentences(quotation) for quotation in quotations)
    is_other = is_language_clear(focus.question, 1) and is_clearly_not_in(quoted, focus.language, _CLEAR_SIGNALS)
    return detect_language(quoted) if is_other else ""


def _read_sentences(quotation: Quotation) -> str:
    """Return the text of a quotation; of rows of cells only the cells that may be sentences."""
    rows = quotation.evidence.rows
    cells = (value for row in rows for _, value in row)
    return "\n".join(cell for cell in cells if count_words(cell) >= _SENTENCE_WORDS) if rows else quotation.text
