"""Refines a plan: adds the column that is compared, the target of a verdict, and conditions for limits and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from core.reading.plans.conditions import Condition, find_initials, fulfils, is_short_form
from core.reading.plans.given import add_given, find_position
from core.reading.plans.measure import Measure, find_measure, read_cells, read_measure, score_name
from core.reading.plans.negation import OUTCOME, add_negation
from core.reading.plans.plan import Plan
from core.reading.plans.several_verdicts import (
    FREE_WORDS,
    SUPPORT,
    add_several_verdicts,
    find_column_of_holders,
    find_partly_named,
    is_other_thing,
    is_verdict_column,
)
from core.reading.plans.tasks import add_state, find_words_for_tasks
from core.reading.questions.limits import SAYS_VERDICT, Bound, Comparison, is_clear_limit, is_year, may_limit
from core.reading.questions.row_question import Operation
from core.reading.relations.marks import is_blank, is_test_result
from core.reading.relations.people import is_of_holders
from core.reading.relations.relation import Relation
from core.reading.relations.rows import ITEM, OWN_COLUMNS, PAGE, SECTION
from core.reading.values import ValueKind, read_value
from core.reading.words import (
    END_HEADERS,
    END_VERBS,
    FAILURE_WORDS,
    STATES,
    SUCCESS_WORDS,
    VERDICT_WORDS,
    Word,
    fold_words,
    has_same_noun,
    split_words,
)
from core.text import has_digit

_STEM = 4  # letters at least of a header's word that begins a word of the question
_WITH_MEASURE = frozenset({Operation.LARGEST, Operation.SMALLEST, Operation.SUM, Operation.MEAN})
_IDENTIFIERS = frozenset("id ids nr no number nummer build code port pos position zip plz".split())
"""Words of the headers of numbers whose difference says nothing."""
_OF = frozenset(["of", "an", "von"])
_LETTERS = frozenset(["P", "F"])  # for passed and failed
_VERDICT_HEADER = frozenset("y n yes no ja nein j".split())

_DIMENSIONS = frozenset(
    """size big large length long weight heavy height high price cost groß große größe lang lange länge schwer gewicht
    hoch höhe preis""".split()
)
"""Words that a value with a unit already implies: "64 MB in size"."""


def add_columns(plan: Plan, in_conditions: set[str]) -> Plan:
    """Return the plan with the columns that the operation needs, and with conditions for yes, no and limits."""
    if plan.operation is Operation.COMPARE:  # its two rows are named
        return _add_measure(plan, in_conditions)
    if plan.operation in _WITH_MEASURE:
        return add_given(_add_verdicts(_add_measure(plan, in_conditions)))
    plan = _add_limits(plan)
    if plan.operation is Operation.CHECK:
        return _add_target(plan, in_conditions)
    with_state = add_state(plan)
    return add_negation(add_given(_add_verdicts(plan))) if with_state is plan else with_state


def _add_measure(plan: Plan, in_conditions: set[str]) -> Plan:
    asked_words = [word for word in plan.question.words if word.folded not in in_conditions]
    taken = {condition.column for condition in (*plan.conditions, *plan.compared)}
    subject = {word.folded for word in plan.subject}
    return replace(plan, measure=find_measure(asked_words, plan.relation, taken, plan.question.superlative, subject))


def _add_target(plan: Plan, in_conditions: set[str]) -> Plan:
    if plan.question.bounds:
        return plan
    if held := find_column_of_holders(plan):
        return replace(plan, target=held)
    taken = {condition.column for condition in plan.conditions}
    asked_words = [word for word in plan.question.words if word.folded not in in_conditions]
    scores = {
        column: max(score_name(column, asked_words), float(_is_shortened(column, asked_words)))
        for column in plan.relation.columns
        if column not in taken | {ITEM, SECTION, PAGE}
    }
    best = max(scores.values(), default=0.0)
    found = (
        [column for column, score in scores.items() if score == best] if best else _find_empty_headers(plan.relation)
    )
    return replace(plan, target=found[0]) if len(found) == 1 else plan


def _find_empty_headers(relation: Relation) -> list[str]:
    """Return the columns of yes and no whose headers say nothing else, as in "Option, Y/N"."""
    headers = {column: {word.folded for word in split_words(column)} for column in relation.columns}
    empty = [column for column, words in headers.items() if words and words <= _VERDICT_HEADER]
    return [column for column in empty if is_verdict_column(relation, column)]


def add_compared_column(plan: Plan) -> Plan:
    """Return the plan of a comparison with the column that is compared; other plans are unchanged.

    It is the column that is named, or whose two cells have the unbound words, else the only column of figures.
    """
    if plan.operation is not Operation.COMPARE or plan.measure or not plan.compared:
        return plan
    taken = {condition.column for condition in (*plan.conditions, *plan.compared)}
    named = _prefer_named_in_full([column for column in plan.columns if column not in taken], plan)
    left = {word.folded for word in plan.unbound}
    rows = [row for row in plan.find_rows() if any(fulfils(row, [each]) for each in plan.compared)]
    having = [
        column
        for column in plan.relation.columns
        if left and all(left <= {word.folded for word in split_words(row.cells.get(column, ""))} for row in rows)
    ]
    if len(having) == 1 and rows:
        return replace(plan, target=having[0], unbound=())
    if len(named) == 1:
        return replace(plan, target=named[0])
    if named or plan.unbound or plan.question.superlative.hints:  # something else than the figures is asked for
        return plan
    return replace(plan, measure=_find_only_figures(plan.relation, taken))


def _find_only_figures(relation: Relation, taken: Set[str]) -> Measure | None:
    """Return the only column of figures, None if there are several; years and numbers that identify are none."""
    columns = (column for column in relation.columns if column not in taken | OWN_COLUMNS)
    measures = [
        measure
        for column in columns
        if not any(word in _IDENTIFIERS or word.endswith("nummer") for word in fold_words(column))
        and (measure := read_measure(relation, column))
        and measure.kind is ValueKind.NUMBER
        and not all(is_year(value) for value in measure.values if value)
    ]
    return measures[0] if len(measures) == 1 else None


def _prefer_named_in_full(columns: list[str], plan: Plan) -> list[str]:
    """Return the columns that the question names word for word, if any, else all: for "database" not also "Data"."""
    asked_words = {word.folded for word in plan.question.words}
    in_full = [column for column in columns if asked_words.issuperset(word.folded for word in split_words(column))]
    return in_full or columns


def add_unknown_value(plan: Plan) -> Plan:
    """Return the plan with a value that no row has as a condition, if it is beside a column's name: "build 1999"."""
    if not plan.operation.is_on_rows or len(plan.unbound) != 1 or plan.question.negated is not None:
        return plan
    [word] = plan.unbound
    asked_words = plan.question.words
    at = asked_words.index(word)
    beside = {each.folded for each in (*asked_words[max(at - 1, 0) : at], *asked_words[at + 1 : at + 2])}
    taken = {condition.column for condition in plan.conditions}
    meant = [
        column
        for column in plan.relation.columns
        if column not in taken
        and {each.folded for each in split_words(column) if each.is_content} <= beside
        and _has_only_numbers(plan.relation, column)
    ]
    is_whole = len(plan.relation.rows) == plan.relation.total
    if not (word.is_name and has_digit(word.text) and is_whole) or len(meant) != 1:
        return plan
    unknown = Condition(meant[0], word.text, Comparison.IS, 1.0, at=at)
    return replace(plan, conditions=(*plan.conditions, unknown), unbound=(), contradicts=True)


def _has_only_numbers(relation: Relation, column: str) -> bool:
    filled = [split_words(row.cells[column]) for row in relation.rows if not is_blank(row.cells.get(column, ""))]
    return len(filled) > 1 and all(len(words) == 1 and words[0].text[0].isdigit() for words in filled)


def _is_shortened(column: str, asked_words: Sequence[Word]) -> bool:
    """Whether the question has a header's initials: "EU"."""
    return any(is_short_form(word) and find_initials(column) == word.text for word in asked_words)


def _add_limits(plan: Plan) -> Plan:
    """Return the plan with a condition for each limit of the question if exactly one column fits; else unchanged."""
    added = [_bind_limit(plan, bound) for bound in plan.question.bounds]
    if not added or None in added:
        return plan
    return replace(plan, conditions=(*plan.conditions, *(each for each in added if each)))


def _bind_limit(plan: Plan, bound: Bound) -> Condition | None:
    taken = {condition.column for condition in plan.conditions}
    found: list[tuple[bool, Measure]] = []
    for column in plan.relation.columns:
        measure = read_measure(plan.relation, column) if column not in taken | {ITEM} else None
        if measure and may_limit(bound, [value for value in measure.values if value]):
            found.append((column in plan.columns, measure))
    meant = [measure for is_named, measure in found if is_named]
    if not meant and bound.value.measure:
        meant = [measure for _, measure in found]
    elif not meant:  # a number without a unit fits any column, a date or year only dates and years
        meant = [measure for _, measure in found if measure.kind is ValueKind.DATE or bound.is_temporal]
    if len(meant) != 1:
        return None
    [measure] = meant
    values = read_cells(plan.relation, measure)
    if not is_clear_limit(list(values.values()), bound.comparison, bound.value):
        return None
    return Condition(measure.column, bound.value.text, bound.comparison, 1.0, bound.value, values)


def _add_verdicts(plan: Plan) -> Plan:
    """Return the plan with a condition for the named column of yes and no ("which towers have a camera")."""
    # "Which heated rooms" are not all rooms, but "how many people are remote" asks for those who are.
    subject = set() if plan.question.counts_people else {word.folded for word in plan.subject[-1:]}
    limited = {condition.column for condition in plan.conditions}
    columns = [
        column
        for column in dict.fromkeys((*plan.columns, *find_partly_named(plan)))
        if column not in limited
        and is_verdict_column(plan.relation, column)
        and not {word.folded for word in split_words(column)} & subject
    ]
    if any(is_other_thing(plan, column, find_position(column, plan.question.words)) for column in columns):
        return replace(plan, lists_values=True)  # some rows are meant, and nothing says which
    if several := add_several_verdicts(plan, columns):
        return several
    wanted = _find_wanted_verdict(plan, columns[0]) if len(columns) == 1 else None
    if wanted is None:
        return _add_letter(_add_state_of_rows(plan), limited)
    condition = Condition(columns[0], "", wanted, 1.0, at=find_position(columns[0], plan.question.words))
    return replace(plan, conditions=(*plan.conditions, condition))


def _add_state_of_rows(plan: Plan) -> Plan:
    """Return the plan with a condition on the only column "Y/N" if the question has a state: "enabled", "disabled"."""
    columns = _find_empty_headers(plan.relation)
    positive, negative = (frozenset(states) for states in zip(*STATES, strict=True))
    states = ((Comparison.POSITIVE, positive | SUCCESS_WORDS), (Comparison.NEGATIVE, negative | FAILURE_WORDS))
    said = [
        (wanted, at) for wanted, words in states for at, word in enumerate(plan.question.words) if word.folded in words
    ]
    if len(columns) != 1 or len(said) != 1 or any(each.column == columns[0] for each in plan.conditions):
        return plan
    [(wanted, at)] = said
    return replace(plan, conditions=(*plan.conditions, Condition(columns[0], "", wanted, 1.0, at=at)))


def _add_letter(plan: Plan, limited: set[str]) -> Plan:
    """Return the plan with a condition on the named column of letters ("P/F"), if the question says pass or fail."""
    asked_words = {word.folded for word in plan.question.words}
    fails, succeeds = bool(asked_words & FAILURE_WORDS), bool(asked_words & SUCCESS_WORDS)
    columns = [column for column in plan.columns if column not in limited and _has_letters(plan.relation, column)]
    columns = columns or [
        column
        for column in plan.relation.columns
        if len(split_words(column)) == len(_LETTERS) and _has_letters(plan.relation, column)
    ]
    if fails is succeeds or len(columns) != 1:
        return plan
    at = find_position(columns[0], plan.question.words)
    letter = Condition(columns[0], "F" if fails else "P", Comparison.IS, 1.0, at=at)
    return replace(plan, conditions=(*plan.conditions, letter))


def _has_letters(relation: Relation, column: str) -> bool:
    """Whether a column has P for passed and F for failed."""
    cells = {row.cells.get(column, "").strip() for row in relation.rows}
    return {"p", "f"} <= {word.folded for word in split_words(column)} and cells >= _LETTERS


def _find_measured(plan: Plan) -> Iterator[str]:
    """Yield what is measured by an amount, right after it: "16 GB of RAM"."""
    for each in plan.conditions:
        following = plan.question.words[each.bound.stop :] if each.limit and each.limit.unit else ()
        yield from (word.folded for word in following[1 if following[:1] and following[0].folded in _OF else 0 :][:1])


def _find_wanted_verdict(plan: Plan, column: str) -> Comparison | None:
    """Return whether rows with yes or with no are asked for; None for test results if the question does not say."""
    asked_words = {word.folded for word in plan.question.words}
    fails = bool(asked_words & FAILURE_WORDS)
    if any(is_test_result(row.cells.get(column, "")) for row in plan.relation.rows):
        succeeds = bool(asked_words & SUCCESS_WORDS)
        if succeeds is fails:
            return None
        return Comparison.POSITIVE if succeeds else Comparison.NEGATIVE
    return None if fails else Comparison.POSITIVE


def find_explained_words(plan: Plan) -> set[str]:
    """Return words that the table need not have: those of the verdict, or of what is measured ("due" of a date)."""
    if plan.operation is Operation.CHECK:
        stems = tuple(word.folded for word in split_words(plan.target) if len(word.folded) >= _STEM)
        outcome = OUTCOME if plan.question.quantity else ()
        return {
            *VERDICT_WORDS,
            *(FREE_WORDS if is_of_holders(plan.target) else ()),
            *(word.folded for word in plan.question.words if has_same_noun(word.folded, VERDICT_WORDS)),
            *outcome,
            *(word.folded for word in plan.question.words if word.folded.startswith(stems)),
        }
    if any(each.comparison in SAYS_VERDICT or each.value in _LETTERS for each in plan.conditions):
        return {*VERDICT_WORDS, *SUPPORT, *FREE_WORDS, *find_words_for_tasks(plan)}
    if any(each.is_on_dates and not END_HEADERS.isdisjoint(fold_words(each.column)) for each in plan.conditions):
        return set(END_VERBS)
    if any(read_value(condition.value).unit for condition in plan.conditions):
        return {*_DIMENSIONS, *_find_measured(plan)}
    if plan.measure is None:
        return set()
    hints = plan.question.superlative.hints
    asked_words = {word.folded for word in plan.question.words}
    return {
        name
        for name in asked_words
        if name in hints or plan.measure.is_meant_by(name) or plan.measure.is_counted_in(name)
    }
