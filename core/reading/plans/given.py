"""Adds the condition that a column is filled: "which rooms have a phone"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from core.reading.plans.conditions import Condition
from core.reading.plans.measure import read_cells, read_measure
from core.reading.plans.plan import Plan
from core.reading.plans.several_verdicts import find_column_of_holders, find_free_column
from core.reading.questions.limits import Comparison
from core.reading.relations.relation import Relation
from core.reading.values import ValueKind
from core.reading.words import HAVE, Word, has_same_noun, split_words

_BEFORE_GIVEN = HAVE | frozenset("having got any some a bekam bekamen eine einen ein".split())


def add_given(plan: Plan) -> Plan:
    """Return the plan with the condition that a column is filled, if the question asks which rows have it at all.

    If it asks where something is free, the condition is that the column of what is free says more than zero.
    """
    if free := find_free_column(plan):
        given = make_given(free, find_position(free, plan.question.words), plan.relation)
        return replace(plan, conditions=(*plan.conditions, given))
    if held := find_column_of_holders(plan):
        return replace(plan, conditions=(*plan.conditions, Condition(held, "", Comparison.MISSING, 1.0)))
    words, subject = plan.question.words, {word.folded for word in plan.subject}
    before = {column: find_position(column, words) - len(split_words(column)) for column in plan.columns}
    asked = [
        column
        for column, at in before.items()
        if at >= 0
        and words[at].folded in _BEFORE_GIVEN
        and not {word.folded for word in split_words(column)} & subject
        and not (plan.measure and plan.measure.column == column)
    ]
    if plan.conditions or plan.question.negated is not None or len(asked) != 1:
        return plan
    given = make_given(asked[0], before[asked[0]] + 1, plan.relation)
    is_all = all(given.holds(row.cells.get(asked[0], "")) for row in plan.relation.rows)
    return plan if is_all else replace(plan, conditions=(given,))


def make_given(column: str, at: int, relation: Relation) -> Condition:
    """Return the condition that a column is filled; a figure has to be more than zero."""
    measure = read_measure(relation, column)
    if measure is None or measure.kind is not ValueKind.NUMBER:
        return Condition(column, "", Comparison.MISSING, 1.0, is_negated=True, at=at)
    zero = replace(next(value for value in measure.values if value), text="0", key=(Decimal(0),), other=())
    return Condition(column, "0", Comparison.MORE, 1.0, zero, read_cells(relation, measure), at=at)


def find_position(column: str, asked_words: Sequence[Word]) -> int:
    header = {word.folded for word in split_words(column) if word.is_content}
    return max((at for at, word in enumerate(asked_words) if has_same_noun(word.folded, header)), default=-1)
