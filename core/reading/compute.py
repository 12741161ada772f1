"""Computes answers from a whole table or list, with the rows that they come from.

1. What is at a time that is counted from today is answered first.
2. The question is bound to the tables and lists of its evidences by letters, then by translated words, then by meaning.
3. :mod:`.ways` tries each time the ways to answer it.

Without a safe plan (:mod:`.plans.safety`) there is no computed answer, and the question is answered from sentences.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from core.errors import EmbedderUnavailable
from core.model import RankedEvidence
from core.ports.models import WordMatcher
from core.reading.plans.binding import bind_question
from core.reading.plans.initials import expand_initials
from core.reading.plans.meaning import match_relations
from core.reading.plans.translation import find_translations
from core.reading.questions.moments import Moment, write_period
from core.reading.questions.question import read_question
from core.reading.questions.readers import may_be_computed
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.questions.schedule_question import read_schedule_question
from core.reading.relations.labelled_items import read_labelled_items
from core.reading.relations.relation import Relation, make_relations
from core.reading.relations.transposed import arrange_by_thing
from core.reading.results.schedule import find_scheduled_rows
from core.reading.ways import BindableQuestion, ComputedResult, compute_in_order
from core.reading.words import fold_words


async def compute_clear_result(
    question: str, evidences: Sequence[RankedEvidence], matcher: WordMatcher, day: date | None = None
) -> ComputedResult | None:
    """Return the result for a question; None if no plan accounts for it, or if the results of two plans differ.

    A table may be in another language and, for a count, have other words. Without the embedder, words match by letters.
    ``day``: on which the question was asked; without it, nothing is counted from today.
    """
    computed = await _compute_at_time(question, evidences, matcher, day)
    return computed if computed and computed.is_clear else None


async def find_meant_relations(
    question: str, evidences: Sequence[RankedEvidence], matcher: WordMatcher, day: date | None = None
) -> Sequence[Relation]:
    """Return the relation of the result for a question, and those with which another result is as good."""
    computed = await _compute_at_time(question, evidences, matcher, day)
    return [plan.relation for plan in (computed.plan, *computed.alternatives)] if computed else []


async def _compute_at_time(
    question: str, evidences: Sequence[RankedEvidence], matcher: WordMatcher, day: date | None
) -> ComputedResult | None:
    """Return the result for a question, clear or not: what is at its time, or what needs no time.

    A time counted from today comes first, because only :mod:`.results.schedule` reads it. A date may also be a
    condition.
    """
    read = read_schedule_question(question, day)
    if read is None:
        written = write_period(question, day)
        found = await _compute_by_letters_or_meaning(written, evidences, matcher)
        if found or written == question:
            return found
        return await _compute_by_letters_or_meaning(question, evidences, matcher)
    asked, moment = read
    if moment.is_relative:
        scheduled = await asyncio.to_thread(_find_scheduled, asked, moment, evidences)
        return scheduled or await _compute_by_letters_or_meaning(question, evidences, matcher)
    computed = await _compute_by_letters_or_meaning(question, evidences, matcher)
    return computed or await asyncio.to_thread(_find_scheduled, asked, moment, evidences)


def _find_scheduled(
    row_question: RowQuestion, moment: Moment, evidences: Sequence[RankedEvidence]
) -> ComputedResult | None:
    plans = bind_question(row_question, _read_relations(row_question.text, evidences))
    return next((ComputedResult(*found) for found in find_scheduled_rows(moment, plans)), None)


async def _compute_by_letters_or_meaning(
    question: str, evidences: Sequence[RankedEvidence], matcher: WordMatcher
) -> ComputedResult | None:
    """Return the result for a question, clear or not: by letters, else with translated words, else by meaning."""
    asked = await asyncio.to_thread(_read_evidences, question, evidences)
    if asked is None:
        return None
    by_letters = await asyncio.to_thread(compute_in_order, asked)
    clear = by_letters if by_letters and by_letters.is_clear else None
    if clear and not (clear.plan.unbound and clear.plan.operation.is_on_rows):
        return clear
    try:
        translations = await find_translations(asked.question, asked.relations, matcher)
        if translations:
            asked = replace(asked, translations=translations)
            translated = await asyncio.to_thread(compute_in_order, asked)
            if translated and translated.is_clear and _accounts_for_more(translated, clear):
                return translated
        if clear and clear.plan.operation is not Operation.COUNT:
            return clear
        row_question = read_question(asked.question)
        meanings = await match_relations(row_question, asked.relations, evidences, matcher) if row_question else None
    except EmbedderUnavailable:
        return by_letters  # other uses of the model report the failure
    if meanings is None or not meanings.meant_key:
        return by_letters
    return await asyncio.to_thread(compute_in_order, replace(asked, meanings=meanings)) or by_letters


def _read_evidences(question: str, evidences: Sequence[RankedEvidence]) -> BindableQuestion | None:
    """Return the question with the tables and lists of its evidences; None if nothing is asked of them."""
    question = expand_initials(question, evidences)
    if not may_be_computed(question):
        return None
    return BindableQuestion(question, evidences, _read_relations(question, evidences))


def _read_relations(question: str, evidences: Sequence[RankedEvidence]) -> Sequence[Relation]:
    """Return the tables and lists of the evidences as questions are bound to them."""
    asked_words = set(fold_words(question))
    return [read_labelled_items(arrange_by_thing(each, asked_words)) for each in make_relations(evidences)]


def _accounts_for_more(translated: ComputedResult, by_letters: ComputedResult | None) -> bool:
    """Whether a translated plan leaves no word that may select some of its rows, and fewer words than by letters.

    One such word may say what the only row does; of two, the row may be the wrong one.
    """
    plan = translated.plan
    if plan.operation.is_on_rows:
        may_select = any(word not in plan.subject for word in plan.unbound)
        if len(plan.unbound) > 1 or (may_select and len(translated.result.rows) > 1):
            return False
    return by_letters is None or len(plan.unbound) < len(by_letters.plan.unbound)
