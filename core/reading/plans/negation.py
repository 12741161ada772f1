"""Negates the condition that the "not" of a question denies: "which boats are not in the harbour"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.reading.plans.conditions import Condition, fulfils
from core.reading.plans.given import find_position, make_given
from core.reading.plans.plan import Plan
from core.reading.plans.several_verdicts import SUPPORT
from core.reading.questions.limits import Comparison
from core.reading.relations.marks import read_verdict
from core.reading.relations.relation import Relation
from core.reading.words import STATE_ADVERBS, Word, has_same_noun, split_words

OUTCOME = frozenset(
    """result results resulted lead leads led cause causes caused end ended show shows showed marked führen
    führte führten ergab ergaben endete endeten zeigte zeigten markiert""".split()
)
"""Words for what something led to. Others say what was done: "not tested on Dell" does not deny "Dell"."""


def add_negation(plan: Plan) -> Plan:
    """Return the plan with the only condition after "not" negated; without conditions if there is not exactly one."""
    negated = plan.question.negated
    if negated is None or any(condition.is_denial for condition in plan.conditions):
        return plan
    begin = len(plan.question.words) - len(negated)
    has_value = any(condition.at >= begin for condition in plan.conditions)  # "not done"
    if not has_value and not any(word.is_content for word in negated):  # "which features does the Wren not have"
        begin, negated = 0, ()
    after = [condition for condition in plan.conditions if condition.at >= begin or condition.limit]
    subject = {word.folded for word in plan.subject}
    named = [
        column
        for column in plan.columns
        if find_position(column, plan.question.words) >= begin
        and not subject.issuperset(word.folded for word in split_words(column))
    ]
    if (
        not after
        and len(named) == 1
        and _is_adjacent(
            negated, find_position(named[0], plan.question.words) - begin, Condition(named[0], ""), plan.relation
        )
    ):
        given = make_given(named[0], begin, plan.relation)
        missing = replace(given, is_negated=not given.is_negated)
        if any(fulfils(row, [missing]) for row in plan.relation.rows):
            return replace(plan, conditions=(*plan.conditions, missing))
    if len(after) != 1 or after[0].limit or not _is_adjacent(negated, after[0].at - begin, after[0], plan.relation):
        return replace(plan, conditions=())
    turned = _negate(after[0], plan.relation)
    others = tuple(each for each in plan.conditions if each is not after[0])
    return replace(plan, conditions=(*others, turned, *_negate_beside(turned, plan.relation)))


def _negate_beside(turned: Condition, relation: Relation) -> Iterator[Condition]:
    """Yield the negated condition for each other column of this name: for "UEFI > Boot" beside "BIOS > Boot"."""
    name = turned.column.rpartition(" > ")[2]
    for column in relation.columns if turned.is_negated else ():
        beside = replace(turned, column=column)
        is_alike = column != turned.column and column.rpartition(" > ")[2] == name
        if is_alike and not all(beside.holds(row.cells.get(column, "")) for row in relation.rows):
            yield beside


def _is_adjacent(negated: Sequence[Word], count: int, meant: Condition, relation: Relation) -> bool:
    """Whether only words of the column or its cells, or for an outcome, are between "not" and what it denies.

    So "do not play melodies" denies a row "Plays melodies".
    """
    known = {word.folded for word in split_words(meant.column)} | SUPPORT | OUTCOME | STATE_ADVERBS
    cells = [
        cell for row in relation.rows if replace(meant, is_negated=False).holds(cell := row.cells.get(meant.column, ""))
    ]
    known |= {word.folded for cell in cells for word in split_words(cell)} if meant.value else set()
    return all(word.folded in known or has_same_noun(word.folded, known) for word in negated[:count] if word.is_content)


def _negate(condition: Condition, relation: Relation) -> Condition:
    if condition.comparison is not Comparison.POSITIVE:
        return replace(condition, is_negated=True)
    cells = (row.cells.get(condition.column, "") for row in relation.rows)
    says_no = any(read_verdict(cell) is False for cell in cells)
    return replace(condition, comparison=Comparison.NEGATIVE if says_no else Comparison.MISSING)
