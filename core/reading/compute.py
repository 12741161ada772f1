"""Computes answers from a whole table or list, with the rows that they come from.

A question is read in several ways (for a person, rows, an amount, a cell), bound to the tables and lists of its
evidences by letters, translations and meaning, and answered by :mod:`.results`. Without a safe plan
(:mod:`.plans.safety`) there is no computed answer, and the question is answered from sentences.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from core.errors import EmbedderUnavailable
from core.model import Answer, RankedEvidence, TracedPlan
from core.ports.models import WordMatcher
from core.reading.plans.binding import bind_question, make_plans
from core.reading.plans.exact_cells import CERTAIN
from core.reading.plans.initials import expand_initials
from core.reading.plans.meaning import NO_MEANINGS, Meanings, match_relations
from core.reading.plans.phrase_safety import is_safe_to_list, is_safe_to_show_occurrences
from core.reading.plans.plan import Plan, Result, trace_plan
from core.reading.plans.plan_exclusion import is_one_of_several
from core.reading.plans.safety import has_unbound_name, is_safe_to_show_rows
from core.reading.plans.translation import NO_TRANSLATIONS, Translations, find_translations
from core.reading.questions.cell_question import read_amount_question, read_cell_question
from core.reading.questions.event_question import read_elapsed_time
from core.reading.questions.moments import Moment, write_period
from core.reading.questions.person_question import read_person_question
from core.reading.questions.phrases import read_listing, read_occurrences
from core.reading.questions.quantifier import Quantifier
from core.reading.questions.question import Operation, RowQuestion, read_choice, read_question
from core.reading.questions.schedule_question import read_schedule_question
from core.reading.questions.task_question import read_assigned_tasks
from core.reading.relations.labelled_items import read_labelled_items
from core.reading.relations.relation import Relation, make_relations
from core.reading.relations.transposed import arrange_by_thing
from core.reading.results.amount import find_amount
from core.reading.results.arithmetic import compare_lists, compare_values, compute_aggregate, find_extreme_rows
from core.reading.results.assigned_tasks import find_assigned_tasks
from core.reading.results.cell import find_cell, find_children
from core.reading.results.checking import find_existence, find_verdict
from core.reading.results.common_items import find_common
from core.reading.results.distinct_values import list_named_people
from core.reading.results.doers import find_doer
from core.reading.results.elapsed_time import find_elapsed_time
from core.reading.results.frequency import find_more_frequent
from core.reading.results.listing import report_unknown_name, show_rows
from core.reading.results.person import find_person
from core.reading.results.quantified_verdicts import find_quantified_verdict
from core.reading.results.result_text import compose_answer
from core.reading.results.schedule import find_scheduled_rows
from core.reading.results.state_verdicts import find_state_verdict
from core.reading.words import fold_words, split_words

_MOST_ALTERNATIVES = 4
_AS_GOOD = 0.02  # of a plan's score: within it two plans are equally good


@dataclass(frozen=True, slots=True)
class ComputedResult:
    """A plan with its result. ``alternatives``: plans as good that have another result, so that it is unclear."""

    plan: Plan
    result: Result
    alternatives: tuple[Plan, ...] = ()

    @property
    def answer(self) -> Answer:
        """Return the result in a sentence, and the rows that it comes from, each cited."""
        return compose_answer(self.plan, self.result, self.plan.question.language)

    @property
    def traced(self) -> TracedPlan:
        """Return the plan as the turn's trace has it."""
        return trace_plan(self.plan, len(self.result.rows))


async def compute_clear_result(
    question: str, evidences: Sequence[RankedEvidence], matcher: WordMatcher, day: date | None = None
) -> ComputedResult | None:
    """Return the result for a question; None if no plan accounts for it, or if the results of two plans differ.

    A table may be in another language and, for a count, have other words. Without the embedder, words match by letters.
    ``day``: on which the question was asked; without it, nothing is counted from today.
    """
    return _leave_out_unclear(await _compute_at_time(question, evidences, matcher, day))


async def find_meant_relations(
    question: str, evidences: Sequence[RankedEvidence], matcher: WordMatcher, day: date | None = None
) -> Sequence[Relation]:
    """Return the relation of the result for a question, and those with which another result is as good."""
    computed = await _compute_at_time(question, evidences, matcher, day)
    return [plan.relation for plan in (computed.plan, *computed.alternatives)] if computed else []


def _leave_out_unclear(computed: ComputedResult | None) -> ComputedResult | None:
    return None if computed and computed.alternatives else computed


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


def _read_relations(question: str, evidences: Sequence[RankedEvidence]) -> Sequence[Relation]:
    """Return the tables and lists of the evidences as questions are bound to them."""
    asked_words = set(fold_words(question))
    return [read_labelled_items(arrange_by_thing(each, asked_words)) for each in make_relations(evidences)]


async def _compute_by_letters_or_meaning(
    question: str, evidences: Sequence[RankedEvidence], matcher: WordMatcher
) -> ComputedResult | None:
    """Return the result for a question, clear or not: by letters, else with translated words, else by meaning."""
    question = await asyncio.to_thread(expand_initials, question, evidences)
    by_letters, relations = await asyncio.to_thread(_compute_by_letters, question, evidences)
    clear = _leave_out_unclear(by_letters)
    if clear and not (clear.plan.unbound and clear.plan.operation.is_on_rows):
        return clear
    again = partial(_compute_with_matches, question, evidences, relations)
    try:
        translations = await find_translations(question, relations, matcher)
        translated = await asyncio.to_thread(again, translations) if translations else None
        translated = _leave_out_unclear(translated)
        if translated and _accounts_for_more(translated, clear):
            return translated
        if clear and clear.plan.operation is not Operation.COUNT:
            return clear
        row_question = read_question(question)
        meanings = await match_relations(row_question, relations, evidences, matcher) if row_question else NO_MEANINGS
    except EmbedderUnavailable:
        return by_letters  # other uses of the model report the failure
    if not meanings.clear:
        return by_letters
    return await asyncio.to_thread(again, translations, meanings) or by_letters


def _accounts_for_more(translated: ComputedResult, by_letters: ComputedResult | None) -> bool:
    """Whether a translated plan leaves no word that may select some of its rows, and fewer words than by letters."""
    plan = translated.plan
    may_select = plan.operation.is_on_rows and any(word not in plan.subject for word in plan.unbound)
    if may_select and len(translated.result.rows) > 1:
        return False
    return by_letters is None or len(plan.unbound) < len(by_letters.plan.unbound)


def _compute_by_letters(
    question: str, evidences: Sequence[RankedEvidence]
) -> tuple[ComputedResult | None, Sequence[Relation]]:
    reads = (
        *(read_person_question, read_question, read_cell_question, read_amount_question, read_choice, read_listing),
        *(read_occurrences, read_assigned_tasks, read_elapsed_time),
    )
    if not any(read(question) for read in reads):
        return None, ()
    relations = _read_relations(question, evidences)
    computed = _compute_with_matches(question, evidences, relations)
    clear = _leave_out_unclear(computed)
    is_other = clear and clear.plan.operation is not Operation.COMPARE
    of_events = None if is_other else read_elapsed_time(question)
    if of_events and (elapsed := find_elapsed_time(of_events, relations)):
        return ComputedResult(*elapsed), relations
    return computed, relations


def _compute_with_matches(
    question: str,
    evidences: Sequence[RankedEvidence],
    relations: Sequence[Relation],
    translations: Translations = NO_TRANSLATIONS,
    meanings: Meanings = NO_MEANINGS,
) -> ComputedResult | None:
    """Return the result for a question, with these matches of words, clear or not; None if no plan accounts for it."""
    of_person = _bind(read_person_question(question), relations, NO_TRANSLATIONS)
    for find in (find_person, partial(find_doer, question), list_named_people):
        if person := _leave_out_unclear(_find_single_cell(of_person, find)):
            return person
    if tasks := find_assigned_tasks(_bind(read_assigned_tasks(question), relations, NO_TRANSLATIONS)):
        return ComputedResult(*tasks)
    if choice := _leave_out_unclear(_calculate_best(_bind(read_choice(question), relations, translations))):
        return choice
    computed = _compute_from_rows(question, evidences, relations, translations, meanings)
    clear = _leave_out_unclear(computed)
    of_amount = _bind(read_amount_question(question), relations, translations)
    amount = _leave_out_unclear(_find_single_cell(of_amount, find_amount))
    if amount and (clear is None or amount.plan.fit > clear.plan.fit + _AS_GOOD):
        return amount
    is_list_of_one = clear and clear.plan.operation is Operation.LIST and len(clear.result.rows) == 1
    if clear and (not is_list_of_one or clear.plan.question.bounds):  # a limit selects other rows than the cell of it
        return clear
    of_cell = _bind(read_cell_question(question), relations, translations)
    cell = _find_single_cell(of_cell, find_cell)
    return (
        _leave_out_unclear(cell)
        or clear
        or _leave_out_unclear(_find_single_cell(of_cell, find_children))
        or _leave_out_unclear(_list_rows(_bind(read_listing(question), relations, NO_TRANSLATIONS), is_safe_to_list))
        or _leave_out_unclear(
            _list_rows(_bind(read_occurrences(question), relations, NO_TRANSLATIONS), is_safe_to_show_occurrences)
        )
        or computed
        or cell
    )


def _bind(row_question: RowQuestion | None, relations: Sequence[Relation], translations: Translations) -> list[Plan]:
    return bind_question(row_question, relations, translations) if row_question else []


def _compute_from_rows(
    question: str,
    evidences: Sequence[RankedEvidence],
    relations: Sequence[Relation],
    translations: Translations,
    meanings: Meanings,
) -> ComputedResult | None:
    row_question = read_question(question)
    if row_question and (found := find_common(row_question, relations) or find_more_frequent(question, relations)):
        return ComputedResult(*found)
    plans = _prefer_names(make_plans(question, relations, translations, meanings))
    if not plans:
        return None
    if plans[0].operation.is_on_rows:
        result = show_rows(plans[0])
        if result is None:
            unknown = report_unknown_name(plans[0], evidences)
            return ComputedResult(*unknown) if unknown else None
        if not result.rows and is_one_of_several(plans[0], plans[1:]):
            return None
        if _is_about_other_page(plans, evidences):
            return None
        alternatives = [each for each in plans[1:] if _may_be_meant_too(plans[0], each)]
        return ComputedResult(plans[0], result, tuple(alternatives[:_MOST_ALTERNATIVES]))
    if computed := _calculate_best(plans):
        return computed
    compared = compare_lists(plans[0].question, relations)
    return ComputedResult(*compared) if compared else None


def _list_rows(plans: Sequence[Plan], is_safe: Callable[[Plan], bool]) -> ComputedResult | None:
    """Return the rows that a phrase means, with the plans as good that find other rows."""
    result = show_rows(plans[0]) if plans and is_safe(plans[0]) else None
    if result is None or not result.rows:
        return None
    alternatives = [each for each in plans[1:] if not _has_same_rows(plans[0], each)]
    return ComputedResult(plans[0], result, tuple(alternatives[:_MOST_ALTERNATIVES]))


def _calculate_best(plans: Sequence[Plan]) -> ComputedResult | None:
    """Return the result of the first plan that can be calculated, with the plans as good that have another one."""
    computed = [ComputedResult(plan, result) for plan in plans if (result := _calculate(plan))]
    if not computed:
        return None
    first = computed[0]
    least = first.plan.score - _AS_GOOD
    others = (each for each in computed[1:] if each.plan.score >= least)
    alternatives = [each.plan for each in others if _have_different_headlines(each, first)]
    return replace(first, alternatives=tuple(alternatives[:_MOST_ALTERNATIVES]))


def _have_different_headlines(one: ComputedResult, other: ComputedResult) -> bool:
    return one.result.headline.render("en") != other.result.headline.render("en")


def _prefer_names(plans: list[Plan]) -> list[Plan]:
    """Return the plans that account for all names of the question, if the rows of the best can be shown; else all."""
    named = [plan for plan in plans if not has_unbound_name(plan)]
    if not named or named[0] is plans[0] or not named[0].operation.is_on_rows:
        return plans
    is_certain = any(condition.strength >= CERTAIN for condition in named[0].conditions)
    return named if is_certain and is_safe_to_show_rows(named[0]) else plans


def _find_single_cell(
    plans: Sequence[Plan], find: Callable[[Plan], tuple[Plan, Result] | None]
) -> ComputedResult | None:
    """Return the person or the cell that a question asks for, clear unless two tables differ."""
    found = [ComputedResult(*one) for plan in plans if (one := find(plan))]
    if not found:
        return None
    first = found[0]
    # By the fit, because the rank of the page does not decide which of two is meant.
    least = first.plan.fit - _AS_GOOD
    others = (each for each in found[1:] if each.plan.fit >= least)
    alternatives = [each.plan for each in others if _have_different_headlines(each, first)]
    return replace(first, alternatives=tuple(alternatives[:_MOST_ALTERNATIVES]))


def _is_about_other_page(plans: Sequence[Plan], evidences: Sequence[RankedEvidence]) -> bool:
    """Whether an unbound word names another page: "how many words in the glossary".

    If conditions select rows, only a page that matches better.
    """
    best = plans[0]
    left = {word.folded for word in best.unbound}
    better = (each.evidence.context.title for each in evidences if each.rank < best.relation.rank)
    others = better if best.conditions else (each.relation.title for each in plans[1:])
    return bool(left & {word.folded for title in set(others) for word in split_words(title)})


def _may_be_meant_too(plan: Plan, other: Plan) -> bool:
    """Whether another plan has other rows and is as good, or neither says what is listed: the "keys" of a person."""
    if not _has_same_rows(plan, other):
        return True
    is_unsaid = all(word in plan.unbound for word in plan.subject) and plan.unbound == other.unbound
    return is_unsaid and bool(other.conditions) and other.find_rows() != plan.find_rows()


def _has_same_rows(plan: Plan, other: Plan) -> bool:
    """Whether another plan finds the same rows, as on a copy of the page, or has a lower score."""
    if other.score < plan.score - _AS_GOOD:
        return True
    return [row.cells for row in other.find_rows()] == [row.cells for row in plan.find_rows()]


def _calculate(plan: Plan) -> Result | None:
    match plan.operation:
        case Operation.LARGEST | Operation.SMALLEST:
            return find_extreme_rows(plan)
        case Operation.SUM | Operation.MEAN:
            return compute_aggregate(plan)
        case Operation.COMPARE:
            return compare_values(plan)
        case Operation.CHECK:
            quantity = plan.question.quantity
            if not quantity and (verdict := find_state_verdict(plan)):
                return verdict
            verdict = find_quantified_verdict(plan, quantity) if quantity else find_verdict(plan)
            is_any = not quantity or quantity.quantifier is Quantifier.ANY
            return verdict or (find_existence(plan) if is_any else None)
    return None
