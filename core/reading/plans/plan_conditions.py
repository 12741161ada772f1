"""Chooses the conditions of a plan: those that are certain, and of those that are guessed the ones that rows fulfil."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations

from core.reading.plans.conditions import Condition, find_conditions, find_denial, find_openings, fulfils
from core.reading.plans.exact_cells import (
    CERTAIN,
    find_coded,
    find_exact_row,
    find_grade,
    find_literal,
    find_row_of_range,
    find_section,
    find_states,
    find_unknown_composite,
)
from core.reading.plans.light_values import find_light_values
from core.reading.plans.measure import find_periods
from core.reading.questions.limits import Comparison
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.relations.relation import Relation
from core.reading.words import ONLY_WORDS, VERDICT_WORDS, Word, has_same_noun, split_words

SURE = 0.8  # strength of a condition that is not taken for anything else
_BEFORE_VALUE = 3
_AND = frozenset(["and", "und"])


@dataclass(frozen=True, slots=True)
class PlanConditions:
    """The conditions of a plan. ``unclear``: words that may be values, see :mod:`core.reading.plans.light_values`.

    The others are described at :class:`core.reading.plans.plan.Plan`.
    """

    kept: tuple[Condition, ...]
    compared: tuple[Condition, ...]
    contradicts: bool
    lists_values: bool
    unclear: tuple[Word, ...]


def find_all_conditions(
    question: RowQuestion, relation: Relation, context: Set[str], of_column: set[int]
) -> PlanConditions:
    """Return the conditions for the words of the question.

    Those that are guessed are left out, the weakest first, until a row fulfils the others. If a row is named exactly,
    and one of its cells is asked for, all others may be left out.
    """
    asked_words = question.words
    periods = find_periods(asked_words, relation, context, question.text) if question.operation.is_on_rows else []
    named = (
        find_exact_row(question, relation, context)
        or find_unknown_composite(question, relation)
        or find_row_of_range(question, relation)
    )
    literal = find_literal(question, relation)
    coded = find_coded(question, relation, context)
    of_section = find_section(question, relation)
    graded = find_grade(question, relation)
    sure = [*_find_denial(question, relation), *periods, *named, *literal, *graded, *coded, *of_section]
    taken = {at for each in sure for at in each.bound}
    sure += [each for each in find_states(question, relation) if taken.isdisjoint(each.bound)]
    taken = {at for each in sure for at in each.bound}
    light = find_light_values(question, relation, context, taken)
    sure += light.conditions
    taken = {at for each in sure for at in each.bound}
    of_rows = {word.folded for word in question.subject[-1:] if has_same_noun(word.folded, context)}
    denied = {word.folded for word in question.negated or ()}  # "which are not in Utrecht" of "Machines in Utrecht"
    guessed = [
        each
        for each in find_conditions(asked_words, relation, context - denied | of_rows, taken | of_column)
        if not _is_verdict(question, each) and not _is_header_letter(each, asked_words)
    ]
    guessed += _find_joined([*sure, *guessed], asked_words, relation)
    sure, guessed = ([_narrow(each, asked_words, relation) for each in some] for some in (sure, guessed))
    if not (sure or guessed) and question.operation is Operation.LIST and relation.kind == "list":
        in_context = {at for at, word in enumerate(asked_words) if has_same_noun(word.folded, context)}
        guessed = list(find_openings(asked_words, relation, in_context))[:1]
    if question.operation is Operation.CHECK:
        sure, guessed = ([each for each in some if not _is_other_column(each, relation)] for some in (sure, guessed))
    compared: tuple[Condition, ...] = ()
    if question.operation is Operation.COMPARE or question.has_range:
        compared = _find_compared(asked_words, relation, [*sure, *guessed])
        sure, guessed = ([each for each in some if each not in compared] for some in (sure, guessed))
    conditions = [*sure, *guessed]
    is_row_certain = bool(named) and question.operation is Operation.CELL
    contradicts = _has_contradiction(conditions, relation) and not is_row_certain
    lists_values = contradicts and len({condition.column for condition in conditions}) < len(conditions)
    keeps_all = question.operation is Operation.CHECK or (contradicts and _are_certain(conditions))
    while guessed and not keeps_all and not any(fulfils(row, [*sure, *guessed]) for row in relation.rows):
        guessed.remove(min(guessed, key=lambda condition: condition.strength))
    return PlanConditions((*sure, *guessed), compared, contradicts, lists_values, light.unclear)


def _narrow(condition: Condition, asked_words: Sequence[Word], relation: Relation) -> Condition:
    """Return the condition that the whole cell is the value if "only" is before it: "only the tools"."""
    before = [word.folded for word in asked_words[max(condition.at - _BEFORE_VALUE, 0) : condition.at]]
    if condition.comparison not in {Comparison.HAS, Comparison.LISTS} or ONLY_WORDS.isdisjoint(before):
        return condition
    value = [word.folded for word in split_words(condition.value)]
    cells = (row.cells.get(condition.column, "") for row in relation.rows)
    whole = next((cell for cell in cells if [word.folded for word in split_words(cell)] == value), None)
    length = condition.length or len(value)
    return replace(condition, value=whole, comparison=Comparison.IS, length=length) if whole else condition


def _find_joined(
    conditions: Sequence[Condition], asked_words: Sequence[Word], relation: Relation
) -> Iterator[Condition]:
    """Yield the conditions for words that are joined with a value by "and", though the context has them too."""
    bound = {at for each in conditions for at in each.bound}
    for each in conditions:
        at = each.at - 2
        is_joined = (
            at >= 0 and asked_words[at + 1].folded in _AND and at not in bound and each.comparison is Comparison.HAS
        )
        if (
            is_joined
            and asked_words[at].is_content
            and asked_words[at].folded in relation.vocabularies.get(each.column, ())
        ):
            yield Condition(each.column, asked_words[at].text, strength=each.strength, at=at)


def _find_denial(question: RowQuestion, relation: Relation) -> list[Condition]:
    """Return the condition of what the question denies, if cells deny it in the same words."""
    if not question.negated or not question.operation.is_on_rows:
        return []
    skipped = next((at for at, word in enumerate(question.negated) if word.is_content), len(question.negated))
    begin = len(question.words) - len(question.negated) + skipped
    denial = find_denial(question.words, begin, relation)
    return [denial] if denial else []


def _is_verdict(question: RowQuestion, condition: Condition) -> bool:
    """Whether a condition is only the verdict that is asked for: "did it pass"."""
    words = {word.folded for word in split_words(condition.value)}
    return question.operation is Operation.CHECK and words <= VERDICT_WORDS


def _is_header_letter(condition: Condition, asked_words: Sequence[Word]) -> bool:
    """Whether a condition is a letter of its column's name, which the question has in full: "P" of "S3 P/F"."""
    said = [word.folded for word in asked_words]
    header = {word.folded for word in split_words(condition.column)}
    letter = condition.value.lower()
    return condition.comparison is Comparison.IS and letter in header <= set(said) and said.count(letter) == 1


def _is_other_column(condition: Condition, relation: Relation) -> bool:
    """Whether a small part of a cell is rather the name of another column: "OXT-243" of "OXT-243 Repro"."""
    words = split_words(condition.value)
    if condition.strength >= SURE or not any(word.is_name for word in words):
        return False
    headers = ({word.folded for word in split_words(name)} for name in relation.columns if name != condition.column)
    return any({word.folded for word in words} <= header for header in headers)


def _are_certain(conditions: Sequence[Condition]) -> bool:
    """Whether all conditions are certain, each on a column of its own."""
    is_apart = len({condition.column for condition in conditions}) == len(conditions)
    return is_apart and all(condition.strength >= CERTAIN for condition in conditions)


def _has_contradiction(conditions: Sequence[Condition], relation: Relation) -> bool:
    """Whether no row fulfils all conditions: "HP and Dell", or a vendor with a build that it does not have."""
    return len(conditions) > 1 and not any(fulfils(row, conditions) for row in relation.rows)


def _find_compared(
    asked_words: Sequence[Word], relation: Relation, conditions: Sequence[Condition]
) -> tuple[Condition, ...]:
    """Return two conditions of one column that no row fulfils both: of the compared rows, or of a range's ends."""
    apart = [
        pair
        for pair in combinations(conditions, 2)
        if pair[0].column == pair[1].column and not any(fulfils(row, pair) for row in relation.rows)
    ]
    if apart:
        return apart[0] if len(apart) == 1 else ()
    if not relation.columns:
        return ()
    first = relation.columns[0]
    known = [condition for condition in conditions if condition.column == first]
    at_known = {known_at for each in known for known_at in range(each.at, each.at + len(split_words(each.value)))}
    for at, word in enumerate(asked_words):
        if at in at_known or not word.is_content:
            continue
        wanted = Condition(first, word.text, strength=1.0, at=at)
        rows = [row for row in relation.rows if wanted.holds(row.cells.get(first, ""))]
        if len(rows) == 1 and not any(fulfils(rows[0], [each]) for each in known):
            known.append(wanted)
    return tuple(known) if len(known) == 2 else ()
