"""Columns whose distinct values are asked for: "How many different vendors were tested?" asks for vendors, not rows.

The question names the column by its header, or by what a legend on the page says about it ("OS - operating system").
Only a column whose values repeat is used: of others each row is counted or listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.reading.plans.plan import Plan
from core.reading.plans.plan_facts import has_all_conditions, has_unbound_name
from core.reading.plans.several_verdicts import is_verdict_column
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.relations.marks import is_blank
from core.reading.relations.people import holds_people
from core.reading.relations.relation import Relation
from core.reading.relations.rows import OWN_COLUMNS, Row
from core.reading.words import PEOPLE_WORDS, Word, is_same_noun, split_words

_FIT = 0.6
_MOST_LEFT = 1  # unbound ordinary word besides what is counted
_MOST_VALUES = 40
_VALUE_WORDS = 5  # a longer cell is a description
_JOINING = frozenset("and or und oder sowie".split())


def find_distinct_column(row_question: RowQuestion, relation: Relation) -> str:
    """Return the column that the counted or listed word names; "" if that is not exactly one."""
    if not row_question.operation.is_on_rows or row_question.negated is not None or relation.kind != "table":
        return ""
    if not row_question.subject or len(relation.rows) < relation.total:
        return ""
    if row_question.counts_people:
        named = [each for each in relation.columns if each not in OWN_COLUMNS and holds_people(relation, each)]
    else:
        named = find_named_columns(row_question, relation)
    return named[0] if len(named) == 1 and _may_repeat(row_question, relation, named[0]) else ""


def find_named_columns(row_question: RowQuestion, relation: Relation) -> list[str]:
    """Return the columns whose header or legend is what is counted, listed or checked."""
    return [each for each in relation.columns if each not in OWN_COLUMNS and _is_named(row_question, each, relation)]


def _is_named(row_question: RowQuestion, column: str, relation: Relation) -> bool:
    """Whether what is counted or listed is the last word of a header, or of the beginning of its legend."""
    words_of_header = split_words(column.rpartition(" > ")[2])
    header = [
        word for word in words_of_header if word.is_content
    ] or words_of_header  # "Company" says nothing elsewhere
    legend = [word for word in split_words(relation.legend.get(column, "")) if word.is_content]
    return any(words and _has_same_name(row_question.subject, words) for words in (header, legend))


def _has_same_name(asked_words: Sequence[Word], column: Sequence[Word]) -> bool:
    """Whether two names end with the same noun, not so "GTK versions" and "Qt version"."""
    if not is_same_noun(asked_words[-1].folded, column[-1].folded):
        return False
    of_question, of_column = ({word.folded for word in words[:-1]} for words in (asked_words, column))
    return of_question <= of_column or of_column <= of_question


def _may_repeat(row_question: RowQuestion, relation: Relation, column: str) -> bool:
    """Whether the values of a column, and not its rows, are meant."""
    if is_verdict_column(relation, column):
        return False
    cells = [cell for row in relation.rows if not is_blank(cell := row.cells.get(column, ""))]
    if not cells or max(len(cell.split()) for cell in cells) > _VALUE_WORDS:
        return False
    if row_question.is_distinct or row_question.counts_people:
        return True
    are_figures = sum(cell.strip().isdigit() for cell in cells) * 2 > len(cells)
    return not (
        row_question.operation is Operation.COUNT and are_figures
    )  # "how many patches" of a column "Patches: 12"


def find_words_of_column(row_question: RowQuestion, relation: Relation, column: str) -> set[int]:
    """Return the indexes of the question's words that are the column's header or legend, or what is counted."""
    known = split_words(f"{column} {relation.legend.get(column, '')}")
    counted = _find_counted(row_question)
    return {
        at
        for at, word in enumerate(row_question.words)
        if word.is_content and (word in counted or any(is_same_noun(word.folded, each.folded) for each in known))
    }


def _find_counted(row_question: RowQuestion) -> tuple[Word, ...]:
    """Return the word for what is counted or listed; () if that is "people", which is no word of the subject."""
    is_other = row_question.counts_people and row_question.subject[-1].folded not in PEOPLE_WORDS
    return () if is_other else row_question.subject[-1:]


def is_safe_to_list_values(plan: Plan) -> bool:
    """Whether the values are what is asked for: some repeat in the rows, and the question is accounted for."""
    if has_unbound_name(plan) or plan.lists_values or plan.contradicts or not has_all_conditions(plan):
        return False
    if any(each.column == plan.distinct for each in plan.conditions) and plan.operation is Operation.COUNT:
        return False  # "how many results are FAIL" counts rows
    if _asks_for_other_column(plan):
        return False
    counted = _find_counted(plan.question)
    left = [word for word in plan.unbound if word not in counted]
    others = [word for word in plan.question.needed if word not in counted]
    is_about_other = bool(left) and len(left) == len(others)  # the table has nothing of "sick note from which day"
    return len(left) <= _MOST_LEFT and not is_about_other and plan.fit >= _FIT and _has_repetitions(plan)


def _asks_for_other_column(plan: Plan) -> bool:
    """Whether another column is asked for too ("which firmware and which builds"), and not only the rows named."""
    others = set(plan.columns) - {plan.distinct, *(condition.column for condition in plan.conditions)}
    joins = any(word.folded in _JOINING for word in plan.question.words)
    context = {word.folded for word in split_words(plan.relation.context)}
    named = (column for column in others if not context.issuperset(word.folded for word in split_words(column)))
    return bool(others) if joins else any(column != plan.relation.columns[0] for column in named)


def _has_repetitions(plan: Plan) -> bool:
    rows = plan.find_rows()
    groups, values = len(group_rows(plan, rows)), sum(len(_split_values(plan, row)) for row in rows)
    least = 1 if plan.question.is_distinct or plan.operation is Operation.COUNT else 2
    return least <= groups < values and groups <= _MOST_VALUES


def find_denied_column(plan: Plan) -> str:
    """Return the column of things of which some row states what the question denies, and another does not; else "".

    "Which Dell models had no black screen": a model with a black screen in one of its rows is none of them.
    """
    if plan.relation.kind != "table" or not plan.subject or not any(each.is_negated for each in plan.conditions):
        return ""
    subject = {word.folded for word in plan.subject}
    chosen = [
        each.column
        for each in plan.conditions
        if not each.is_negated and {word.folded for word in split_words(each.value)} <= subject
    ]
    chosen = chosen or [each for each in plan.relation.columns if _is_named(plan.question, each, plan.relation)]
    if len(chosen) != 1:
        return ""
    others = tuple(each for each in plan.conditions if not each.is_negated)
    with_column = replace(plan, distinct=chosen[0], conditions=others)
    is_safe = not has_unbound_name(plan) and not plan.lists_values and has_all_conditions(plan)
    return chosen[0] if is_safe and _has_repetitions(with_column) else ""


def group_rows(plan: Plan, rows: Iterable[Row]) -> Mapping[str, tuple[Row, str]]:
    """Return the first row of each value, and the value as written there."""
    groups: dict[str, tuple[Row, str]] = {}
    for row in rows:
        for value in _split_values(plan, row):
            groups.setdefault(" ".join(value.casefold().split()), (row, " ".join(value.split())))
    return groups


def _split_values(plan: Plan, row: Row) -> list[str]:
    """Return the values of a cell: the people in it, or the whole cell if it names none and is not blank."""
    cell = row.cells.get(plan.distinct, "")
    names = [person.name for person in row.ranked.evidence.people if person.name and person.name in cell]
    return names or ([] if is_blank(cell) else [cell])
