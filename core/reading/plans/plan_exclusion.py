"""Plans that cannot be meant, because the page has what the question names in a column, or under a heading."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.dates import MONTHS
from core.reading.plans.plan import Plan
from core.reading.plans.plan_facts import is_named_by_heading, is_whole_cell
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.relations.relation import Relation
from core.reading.words import OUTDATED, has_outdated_word, is_marked_outdated, split_words
from core.text import has_digit

_IN_BRACKETS = re.compile(r"\([^()]{0,100}\)")


def leave_out_legends(plans: Sequence[Plan]) -> list[Plan]:
    """Return the plans without those of legends that explain the column whose distinct values are asked for."""
    legends = [
        (plan.relation.page_id, plan.relation.legend[plan.distinct])
        for plan in plans
        if plan.distinct in plan.relation.legend
    ]
    return [plan for plan in plans if plan.relation.kind == "table" or not _is_legend(plan.relation, legends)]


def _is_legend(relation: Relation, legends: Sequence[tuple[str, str]]) -> bool:
    return any(relation.page_id == page_id and text in relation.introduction for page_id, text in legends)


def leave_out_mentions(row_question: RowQuestion, plans: Sequence[Plan]) -> list[Plan]:
    """Return the plans without those that select rows by a part of a cell with which the question names a heading.

    "Which guest VMs" is answered by the list under "Guest VM systems", and not by a row that mentions guest VMs.
    """
    pages = {plan.relation.page_id for plan in plans if is_named_by_heading(plan)}
    subject = {word.folded for word in row_question.subject}
    return [plan for plan in plans if plan.relation.page_id not in pages or not _selects_by(subject, plan)]


def _selects_by(names: set[str], plan: Plan) -> bool:
    """Whether all conditions consist of these words, and are only parts of cells."""
    words = {word.folded for each in plan.conditions for word in split_words(each.value)}
    return bool(words) and words <= names and not any(is_whole_cell(each, plan.find_rows()) for each in plan.conditions)


def leave_out_plans_under_other_headings(row_question: RowQuestion, plans: Sequence[Plan]) -> list[Plan]:
    """Return the plans without those of tables whose headings lack a name that those of another one on the page have.

    "In the EFI table for 9.0.1" names one of four tables, also if another one has a column "Upgrade to 9.0.1".
    """
    names = [_find_names_of_context(row_question, plan) for plan in plans]
    return [
        plan
        for plan, own in zip(plans, names, strict=True)
        if not any(own < others and _is_as_good(other, plan) for other, others in zip(plans, names, strict=True))
    ]


def leave_out_other_versions(row_question: RowQuestion, plans: Sequence[Plan]) -> list[Plan]:
    """Return the plans without those of pages that lack a number of the question, if another page has it.

    "OpenXT 8.0 tests" names one of two pages with such tables, though the other has a column "Upgrade from 8.0.1".
    """
    numbers = {word.folded for word in row_question.needed if has_digit(word.text)}
    pairs = [(plan, numbers - _find_words_said(plan)) for plan in plans]
    return [
        plan
        for plan, lacking in pairs
        if not any(
            less < lacking and other.relation.page_id != plan.relation.page_id and _is_bound_as_well(other, plan)
            for other, less in pairs
        )
    ]


def _find_words_said(plan: Plan) -> set[str]:
    """Return the words of the context of a table, of its headers, and of the conditions on its rows."""
    texts = (plan.relation.context, *plan.relation.columns, *(each.value for each in plan.conditions))
    return {word.folded for text in texts for word in split_words(text)}


def leave_out_old_tables(row_question: RowQuestion, plans: Sequence[Plan]) -> list[Plan]:
    """Return the plans without those of tables that no longer hold, if another table holds, unless they are asked for.

    "Old results" is beside "Results" on a page; a page "Travel policy 2022 (outdated)" is beside a page without such a
    word.
    """
    if has_outdated_word(row_question.text):
        return list(plans)
    return [plan for plan in plans if not any(_is_older(plan, other) for other in plans)]


def _is_older(plan: Plan, other: Plan) -> bool:
    """Whether a word for what no longer holds is only in the heading, or title, of the first of two similar tables."""
    if not _is_bound_as_well(other, plan) or (other.contradicts and not plan.contradicts):
        return False
    if plan.relation.page_id != other.relation.page_id:
        return is_marked_outdated(plan.relation.title) and not has_outdated_word(other.relation.title)
    first, second = _list_heading_words(plan), _list_heading_words(other)
    return first != second and first - OUTDATED == second


def _list_heading_words(plan: Plan) -> frozenset[str]:
    """Return the words of the last heading, without what is in brackets."""
    heading = "".join(plan.relation.heading_path[-1:])
    return frozenset(word.folded for word in split_words(_IN_BRACKETS.sub(" ", heading)))


def _find_names_of_context(row_question: RowQuestion, plan: Plan) -> frozenset[str]:
    """Return the names and months of the question that headings and introduction have, and not the title."""
    relation = plan.relation
    around = split_words(" ".join((*relation.heading_path, relation.introduction)))
    names = {word.folded for word in row_question.needed if word.is_name or word.text.lower() in MONTHS}
    return frozenset(names & {word.folded for word in around} - {word.folded for word in split_words(relation.title)})


def _is_as_good(plan: Plan, other: Plan) -> bool:
    """Whether a plan of a similar table on the page leaves no word unbound that the other binds."""
    return plan.relation.page_id == other.relation.page_id and _is_bound_as_well(plan, other)


def _is_bound_as_well(plan: Plan, other: Plan) -> bool:
    """Whether a plan of a table with the same first column leaves no word unbound that the other binds."""
    one, two = plan.relation, other.relation
    is_similar = one.kind == two.kind == "table" and one.columns[:1] == two.columns[:1]
    return is_similar and set(plan.unbound) <= set(other.unbound)


def is_one_of_several(plan: Plan, others: Sequence[Plan]) -> bool:
    """Whether the page has another table with the same columns, so that what one lacks may be in the other."""
    one = plan.relation
    return one.kind == "table" and any(
        each.relation.page_id == one.page_id and each.relation.columns == one.columns and each.relation.key != one.key
        for each in others
    )


def leave_out_later_lists(row_question: RowQuestion, plans: Sequence[Plan]) -> list[Plan]:
    """Return the plans without those that count a list below another one, if the question names the heading of both.

    "How many drivers are there" is answered by the list with which "Drivers" begins, and not by "There are also …".
    """
    first: dict[tuple[object, ...], int] = {}
    for plan in plans if row_question.operation is Operation.COUNT else ():
        if _counts_list_of_heading(plan):
            key = (plan.relation.page_id, plan.relation.heading_path)
            first[key] = min(first.get(key, _find_ordinal(plan)), _find_ordinal(plan))
    return [
        plan
        for plan in plans
        if not _counts_list_of_heading(plan)
        or _find_ordinal(plan) <= first.get((plan.relation.page_id, plan.relation.heading_path), _find_ordinal(plan))
    ]


def _counts_list_of_heading(plan: Plan) -> bool:
    is_list = plan.relation.kind == "list" and bool(plan.relation.rows) and not plan.conditions
    return is_list and is_named_by_heading(plan)


def _find_ordinal(plan: Plan) -> int:
    """Return the position of a list on its page."""
    return plan.relation.rows[0].ranked.evidence.ordinal
