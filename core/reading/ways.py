"""The ways to answer a question from relations, in their order.

Each way reads the question, binds it to the relations, and takes the result of the best plan. If another plan is as
good and has another result, it is unclear which is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from core.model import Answer, RankedEvidence, TracedPlan
from core.reading.plans.binding import bind_question, make_plans
from core.reading.plans.exact_cells import CERTAIN
from core.reading.plans.meaning import NO_MEANINGS, Meanings
from core.reading.plans.phrase_safety import is_safe_to_list, is_safe_to_show_occurrences
from core.reading.plans.plan import Plan
from core.reading.plans.plan_exclusion import is_one_of_several
from core.reading.plans.plan_facts import has_unbound_name
from core.reading.plans.plan_trace import trace_plan
from core.reading.plans.safety import is_safe_to_show_rows
from core.reading.plans.translation import NO_TRANSLATIONS, Translations
from core.reading.questions.cell_question import read_amount_question, read_cell_question
from core.reading.questions.choice import read_choice
from core.reading.questions.event_question import read_elapsed_time
from core.reading.questions.person_question import read_person_question
from core.reading.questions.phrases import asks_who_took_part, read_attendance, read_listing, read_occurrences
from core.reading.questions.quantifier import Quantifier
from core.reading.questions.question import read_question
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.questions.task_question import read_assigned_tasks
from core.reading.relations.relation import Relation
from core.reading.results.amount import find_amount, find_sum
from core.reading.results.arithmetic import compare_values, compute_aggregate, find_extreme_rows
from core.reading.results.assigned_tasks import find_assigned_tasks
from core.reading.results.cell import find_cell, find_children
from core.reading.results.checking import find_existence, find_verdict
from core.reading.results.common_items import find_common
from core.reading.results.distinct_values import list_named_people
from core.reading.results.doers import find_doer
from core.reading.results.elapsed_time import find_elapsed_time
from core.reading.results.frequency import find_more_frequent
from core.reading.results.list_comparison import compare_lists
from core.reading.results.listing import report_unknown_name, show_rows
from core.reading.results.person import find_person
from core.reading.results.quantified_verdicts import find_quantified_verdict
from core.reading.results.result import Result
from core.reading.results.result_text import compose_answer
from core.reading.results.state_verdicts import find_state_verdict
from core.reading.words import ATTENDEES, fold_words, split_words

_MOST_ALTERNATIVES = 4
_AS_GOOD = 0.02  # of a plan's score: within it two plans are equally good


@dataclass(frozen=True, slots=True)
class ComputedResult:
    """A plan with its result. ``alternatives``: plans as good that have another result, so that it is unclear."""

    plan: Plan
    result: Result
    alternatives: tuple[Plan, ...] = ()

    @property
    def is_clear(self) -> bool:
        return not self.alternatives

    @property
    def answer(self) -> Answer:
        """Return the result in a sentence, and the rows that it comes from, each cited."""
        return compose_answer(self.plan, self.result, self.plan.question.language)

    @property
    def traced(self) -> TracedPlan:
        """Return the plan as the turn's trace has it."""
        return trace_plan(self.plan, len(self.result.rows))


@dataclass(frozen=True, slots=True)
class BindableQuestion:
    """A question, its evidences and their relations, with what words of the question mean in them."""

    question: str
    evidences: Sequence[RankedEvidence]
    relations: Sequence[Relation]
    translations: Translations = NO_TRANSLATIONS
    meanings: Meanings = NO_MEANINGS

    def bind(self, row_question: RowQuestion | None) -> list[Plan]:
        """Return the plans of a question, the best first; [] for None."""
        return bind_question(row_question, self.relations, self.translations) if row_question else []

    def bind_by_letters(self, row_question: RowQuestion | None) -> list[Plan]:
        """Return the plans without the translations."""
        return bind_question(row_question, self.relations, NO_TRANSLATIONS) if row_question else []


def compute_in_order(asked: BindableQuestion) -> ComputedResult | None:
    """Return the first clear result, else an unclear one of rows or a cell; None if no way has a result.

    A question for the time between two events also looks like a comparison of two rows, which is less sure.
    """
    computed = _try_ways(asked)
    if computed and computed.is_clear and computed.plan.operation is not Operation.COMPARE:
        return computed
    row_question = read_elapsed_time(asked.question)
    elapsed = find_elapsed_time(row_question, asked.relations) if row_question else None
    return ComputedResult(*elapsed) if elapsed else computed


def _try_ways(asked: BindableQuestion) -> ComputedResult | None:
    unclear: ComputedResult | None = None
    for way in _WAYS:
        computed = way(asked)
        if computed and computed.is_clear:
            return computed
        if way is _compute_rows_or_cell:
            unclear = computed
    return unclear


def _find_person(asked: BindableQuestion) -> ComputedResult | None:
    plans = asked.bind_by_letters(read_person_question(asked.question))
    for find in (find_person, partial(find_doer, asked.question), list_named_people):
        if (person := _find_single_cell(plans, find)) and person.is_clear:
            return person
    return None


def _find_tasks(asked: BindableQuestion) -> ComputedResult | None:
    tasks = find_assigned_tasks(asked.bind_by_letters(read_assigned_tasks(asked.question)))
    return ComputedResult(*tasks) if tasks else None


def _choose_one(asked: BindableQuestion) -> ComputedResult | None:
    return _calculate_best(asked.bind(read_choice(asked.question)))


def _compute_rows_or_cell(asked: BindableQuestion) -> ComputedResult | None:
    """Return an amount if it fits better than the rows, else the rows; but rather a cell than a list of one row.

    If there is neither, return the items below one that the question has in full.
    """
    rows = _compute_from_rows(asked)
    of_amount = asked.bind(read_amount_question(asked.question))
    amount = _find_single_cell(of_amount, find_amount)
    is_clear = rows is not None and rows.is_clear
    if amount and amount.is_clear and not (rows and is_clear and amount.plan.fit <= rows.plan.fit + _AS_GOOD):
        return amount
    total = _find_single_cell(of_amount, find_sum)
    if total and total.is_clear:  # how many there are, and not how many rows
        return total
    if rows and is_clear and not _is_list_of_one(rows):
        return rows
    of_cell = asked.bind(read_cell_question(asked.question))
    cell = _find_single_cell(of_cell, find_cell)
    if cell and cell.is_clear:
        return cell
    children = None if is_clear else _find_single_cell(of_cell, find_children)
    return children if children and children.is_clear else rows or cell


def _is_list_of_one(rows: ComputedResult) -> bool:
    """Whether a single row is listed, of which a cell may be meant. A limit selects other rows than the cell of it."""
    is_list = rows.plan.operation is Operation.LIST and len(rows.result.rows) == 1
    return is_list and not rows.plan.question.bounds


def _list_by_phrase(asked: BindableQuestion) -> ComputedResult | None:
    return _list_rows(asked.bind_by_letters(read_listing(asked.question)), is_safe_to_list)


def _list_attendance(asked: BindableQuestion) -> ComputedResult | None:
    """Return the attendees, in the word for them that a heading has."""
    if not asks_who_took_part(asked.question):
        return None
    said = {word for each in asked.relations for word in fold_words(" ".join(each.heading_path[-1:]))}
    row_question = read_attendance(asked.question, min(ATTENDEES & said, default="attendees"))
    return _list_rows(asked.bind_by_letters(row_question), partial(is_safe_to_list, least=1))


def _list_occurrences(asked: BindableQuestion) -> ComputedResult | None:
    return _list_rows(asked.bind_by_letters(read_occurrences(asked.question)), is_safe_to_show_occurrences)


_WAYS: tuple[Callable[[BindableQuestion], ComputedResult | None], ...] = (
    _find_person,  # first, because a cell of people answers "who" more surely than a row with the same words
    _find_tasks,  # before a cell, because "what does Mara have to do" names a person as a cell does
    _choose_one,  # before rows, because "which is cheaper, X or Y" asks for one of two and not for all
    _compute_rows_or_cell,
    _list_by_phrase,  # after all that has a question word, because most phrases look for a text
    _list_attendance,
    _list_occurrences,  # after a cell, because "when is the audit" asks for the date in it
)


def _compute_from_rows(asked: BindableQuestion) -> ComputedResult | None:
    """Return what is computed from rows: counted, listed, compared, added up or checked."""
    row_question = read_question(asked.question)
    if row_question:
        found = find_common(row_question, asked.relations) or find_more_frequent(asked.question, asked.relations)
        if found:
            return ComputedResult(*found)
    plans = _prefer_names(make_plans(asked.question, asked.relations, asked.translations, asked.meanings))
    if not plans:
        return None
    if plans[0].operation.is_on_rows:
        return _show_rows(plans, asked.evidences)
    if computed := _calculate_best(plans):
        return computed
    compared = compare_lists(plans[0].question, asked.relations)
    return ComputedResult(*compared) if compared else None


def _show_rows(plans: Sequence[Plan], evidences: Sequence[RankedEvidence]) -> ComputedResult | None:
    """Return the rows of the best plan, counted or listed, with the plans that may be meant too."""
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


def _prefer_names(plans: list[Plan]) -> list[Plan]:
    """Return the plans that account for all names of the question, if the rows of the best can be shown; else all."""
    named = [plan for plan in plans if not has_unbound_name(plan)]
    if not named or named[0] is plans[0] or not named[0].operation.is_on_rows:
        return plans
    is_certain = any(condition.strength >= CERTAIN for condition in named[0].conditions)
    return named if is_certain and is_safe_to_show_rows(named[0]) else plans


def _is_about_other_page(plans: Sequence[Plan], evidences: Sequence[RankedEvidence]) -> bool:
    """Whether an unbound word names another page: "how many words in the glossary".

    If conditions select rows, only the titles of pages that match better are compared.
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


def _list_rows(plans: Sequence[Plan], is_safe: Callable[[Plan], bool]) -> ComputedResult | None:
    """Return the rows that a phrase means, with the plans as good that find other rows."""
    result = show_rows(plans[0]) if plans and is_safe(plans[0]) else None
    if result is None or not result.rows:
        return None
    alternatives = [each for each in plans[1:] if not _has_same_rows(plans[0], each)]
    return ComputedResult(plans[0], result, tuple(alternatives[:_MOST_ALTERNATIVES]))


def _has_same_rows(plan: Plan, other: Plan) -> bool:
    """Whether another plan finds the same rows, as on a copy of the page, or has a lower score."""
    if other.score < plan.score - _AS_GOOD:
        return True
    return [row.cells for row in other.find_rows()] == [row.cells for row in plan.find_rows()]


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


def _find_single_cell(
    plans: Sequence[Plan], find: Callable[[Plan], tuple[Plan, Result] | None]
) -> ComputedResult | None:
    """Return the person or the cell that a question asks for, clear unless two tables differ."""
    every = [ComputedResult(*one) for plan in plans if (one := find(plan))]
    found = [each for each in every if not each.result.is_empty] or every
    if not found:
        return None
    first = found[0]
    # By the fit, because the rank of the page does not decide which of two is meant.
    least = first.plan.fit - _AS_GOOD
    others = (each for each in found[1:] if each.plan.fit >= least)
    alternatives = [each.plan for each in others if _have_different_headlines(each, first)]
    return replace(first, alternatives=tuple(alternatives[:_MOST_ALTERNATIVES]))


def _have_different_headlines(one: ComputedResult, other: ComputedResult) -> bool:
    return one.result.headline.render("en") != other.result.headline.render("en")


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
