"""Declines plans that do not account for the question. A wrong computed answer is worse than a quoted row."""

from __future__ import annotations

from itertools import pairwise

from core.reading.plans.conditions import Condition
from core.reading.plans.measure import Measure
from core.reading.plans.plan import Plan
from core.reading.plans.plan_facts import (
    ORDINALS,
    STRONG,
    has_all_conditions,
    has_unbound_name,
    is_named_by_heading,
    is_whole_cell,
    names_counted,
    names_each_row,
)
from core.reading.questions.limits import SAYS_VERDICT, Comparison
from core.reading.questions.row_question import Operation
from core.reading.relations.marks import is_absent
from core.reading.relations.relation import Relation
from core.reading.relations.rows import ITEM, OWN_COLUMNS, VALUE
from core.reading.relations.transposed import find_nouns_for_things
from core.reading.values import find_quantity
from core.reading.words import (
    ARTICLES,
    CHANGE_WORDS,
    HAVE,
    ONLY_WORDS,
    PREPOSITIONS,
    TIMES,
    VERDICT_WORDS,
    Word,
    fold_words,
    has_same_noun,
    is_period,
    is_same_noun,
    split_words,
)

_COUNT_FIT, _MEANT_FIT, _LIST_FIT, _WHOLE_FIT, _VALUE_FIT, _CHECK_FIT = 0.3, 0.45, 0.45, 0.65, 0.6, 0.7
_SHORTEST_PART, _SHORTEST_REST = 4, 3  # letters of the parts of a compound
_NAME_WORDS = 6  # of a list's item that is a person
_FIRST_WORDS, _LAST_WORDS = 4, 3  # of an introduction, which describe the rows
_LEAST_OF_COUNT = 0.35  # strength of a condition; weaker ones are parts of sentences, which say it in many ways
_MOST_LEFT = 2  # unbound words of a question for a list, besides those for what is listed

_ROWS = frozenset(["entry", "item", "row", "one", "eintrag", "zeile"])
"""Nouns for whatever the rows of a table are."""

_MACHINES = frozenset(["machine", "system", "device", "computer", "maschine", "gerät", "rechner"])
_OF_MACHINES = frozenset(["model", "modell", "host", "hostname", "cpu", "processor", "prozessor"])
"""Words of the headers of tables whose rows are machines."""


def is_safe_to_show_rows(plan: Plan) -> bool:
    """Whether rows can be counted or listed."""
    if has_unbound_name(plan) or _has_unbound_period(plan) or plan.lists_values or not has_all_conditions(plan):
        return False
    if any(has_same_noun(word.folded, VERDICT_WORDS) for word in plan.unbound) or _lacks_whole_value(plan):
        return False  # it selects rows, by a column that is not known
    if _may_be_properties(plan):
        return False
    chooses_by_value = any(each.limit or each.comparison in SAYS_VERDICT for each in plan.conditions)
    if chooses_by_value and _is_restricted(plan):
        return False
    strength = max((condition.strength for condition in plan.conditions), default=0.0)
    is_bound = any(word not in plan.unbound for word in plan.subject)
    if not is_bound and (plan.question.asks_value or (strength < STRONG and not plan.is_meant)):
        return False
    if not is_bound and (plan.relation.has_unknown_codes or _asks_about_row(plan)):
        return False  # what is counted may be one of the codes; what is listed may be something that the table lacks
    if _selects_by_what_is_listed(plan):
        return False
    if plan.operation is Operation.COUNT:
        return _is_safe_count(plan, strength >= STRONG, is_bound)
    if plan.conditions:
        return plan.fit >= _LIST_FIT and _is_safe_list(plan, strength >= STRONG, is_bound)
    return _is_safe_whole_list(plan)


def _is_safe_whole_list(plan: Plan) -> bool:
    """Whether all rows can be listed."""
    if plan.fit < _WHOLE_FIT or plan.unbound or plan.relation.total == 1:  # one row is not all of anything
        return False
    kind = plan.relation.kind
    is_list = kind == "list" and is_named_by_heading(plan)
    return (kind == "table" or is_list) and not (_may_select_by_column(plan) or _begins_header(plan))


def _may_be_properties(plan: Plan) -> bool:
    """Whether properties may be counted or listed, and not the things that have them, as nothing selects things."""
    things = {name for cell in plan.relation.get_cells(VALUE) for name in fold_words(cell)}
    is_selected = any(each.column != VALUE for each in plan.conditions)
    names_things = bool(plan.subject) and has_same_noun(plan.subject[-1].folded, things)
    return bool(plan.relation.properties) and not is_selected and not names_things


def _may_select_by_column(plan: Plan) -> bool:
    """Whether the question may select rows by a column that it names after "have", with no condition on it.

    It says what the column has ("which offices have Sundays off"), or names the column in part ("which towers have a
    battery" of "Battery lasts"), or a row has nothing in the column.
    """
    others = plan.relation.columns[1:]
    context = {*fold_words(plan.relation.context), *(word.folded for word in plan.subject)}
    words = plan.question.words
    begin = next((at for at, word in enumerate(words) if word.folded in HAVE), len(words))
    having = [word.folded for word in words[begin:] if word.is_content]
    naming = {
        column: [name for name in fold_words(column) if not has_same_noun(name, context)]
        for column in others
        if column not in OWN_COLUMNS
    }
    named = [column for column, names in naming.items() if any(has_same_noun(each, names) for each in having)]
    if any(column not in plan.columns or _has_none(plan.relation, column) for column in named):
        return True
    last = [at for at, word in enumerate(words) for column in named if has_same_noun(word.folded, naming[column])]
    return bool(last) and max(last) >= begin and max(last) + 1 < len(words)


def _begins_header(plan: Plan) -> bool:
    """Whether a word, besides what is listed, begins the header of another column: "holz" of "Holzboden"."""
    context = {*fold_words(plan.relation.context), *(word.folded for word in plan.subject)}
    headers = {name for column in plan.relation.columns[1:] for name in fold_words(column)}
    names = {word.folded for word in plan.question.needed if not has_same_noun(word.folded, context | headers)}
    return any(
        len(name) >= _SHORTEST_PART and header.startswith(name) and len(header) - len(name) >= _SHORTEST_REST
        for name in names
        for header in headers
    )


def _has_none(relation: Relation, column: str) -> bool:
    """Whether a cell of a column says that there is nothing."""
    cells = [row.cells.get(column, "") for row in relation.rows]
    return any(is_absent(cell) or cell.strip() == "0" for cell in cells)


def _asks_about_row(plan: Plan) -> bool:
    """Whether the only condition is the name of one row: "what colour is the winter coat" asks for no row."""
    if plan.operation is not Operation.LIST or len(plan.conditions) != 1 or len(plan.find_rows()) != 1:
        return False
    [condition] = plan.conditions
    return (
        condition.column == plan.relation.columns[0]
        and not condition.is_negated
        and is_whole_cell(condition, plan.find_rows())
    )


def _lacks_whole_value(plan: Plan) -> bool:
    """Whether the question says "only", and no condition is a whole cell or a limit."""
    is_whole = any(each.comparison in {Comparison.IS, Comparison.NEGATIVE} or each.limit for each in plan.conditions)
    return any(word.folded in ONLY_WORDS for word in plan.question.words) and not is_whole


def _selects_by_what_is_listed(plan: Plan) -> bool:
    """Whether the listed noun itself selects the rows, and a word that describes it is nowhere."""
    if plan.operation is not Operation.LIST or not any(word in plan.unbound for word in plan.subject[:-1]):
        return False
    parts = [each for each in plan.conditions if not is_whole_cell(each, plan.find_rows())]
    listed = plan.subject[-1].folded
    return len(parts) == len(plan.conditions) == 1 and listed in {word.folded for word in split_words(parts[0].value)}


def _is_safe_count(plan: Plan, is_strong: bool, is_bound: bool) -> bool:
    """Whether the rows are what is counted, and all of them if there is no condition."""
    things = find_nouns_for_things(plan.relation)  # "months", which are counted as rows, and not measured
    measured = (word for word in plan.subject if not has_same_noun(word.folded, things))
    if any(_is_measured(word) or _has_figure_column(plan, word) for word in measured):
        return False
    if not plan.is_meant and not is_strong and not _has_counted(plan, plan.subject[-1]):
        return False
    if not is_bound and _is_other_counted(plan):
        return False
    if any(each.is_on_dates and _is_of_other_rows(plan, each) for each in plan.conditions):
        return False
    if plan.question.counts_people and plan.relation.kind == "list" and not _holds_names(plan):
        return False
    if plan.conditions:
        return plan.fit >= _COUNT_FIT and all(each.strength >= _LEAST_OF_COUNT for each in plan.conditions)
    if plan.relation.kind == "sentence":  # may be examples, or explanations of letters
        return False
    if any(word.folded in _LIMITS for word in plan.question.words) or _may_be_of_some(plan):
        return False
    if plan.is_meant:
        return plan.fit >= _MEANT_FIT
    is_counted = all(word not in plan.unbound and not _is_only_mentioned(plan, word) for word in plan.subject)
    return plan.fit >= _WHOLE_FIT and is_counted and not _is_of_some_rows(plan)


def _may_be_of_some(plan: Plan) -> bool:
    """Whether a word that nothing binds may restrict the rows that are counted.

    A name is often typed in lower case. If another word than the subject is bound, the table is that of the question.
    """
    is_alone = all(word in plan.unbound or word in plan.subject for word in plan.question.needed)
    return _is_restricted(plan, in_any_case=is_alone) or _may_name_kind(plan)


def _may_name_kind(plan: Plan) -> bool:
    """Whether an unbound word, other than what is counted, may be a kind of rows: "how many patches were rejected"."""
    return plan.relation.has_kinds and any(word != plan.subject[-1] for word in plan.unbound)


def _holds_names(plan: Plan) -> bool:
    """Whether most items are short enough to be people, and not what they do."""
    items = [row.cells[ITEM] for row in plan.relation.rows if row.depth == 0]
    return sum(len(item.split()) <= _NAME_WORDS for item in items) * 2 > len(items)


def _is_of_some_rows(plan: Plan) -> bool:
    """Whether some rows, but not all, have an unbound word: it selects rows, though no condition does."""
    rows = [{word.folded for cell in row.cells.values() for word in split_words(cell)} for row in plan.relation.rows]
    return any(0 < sum(word.folded in row for row in rows) < len(rows) for word in plan.unbound)


def _is_safe_list(plan: Plan, is_strong: bool, is_bound: bool) -> bool:
    """Whether few unbound words could select rows, besides those for what is listed."""
    left = [word for word in plan.unbound if word not in plan.subject]
    if is_strong:
        return len(left) <= _MOST_LEFT
    names_a_row = any(word.is_name for each in plan.conditions for word in split_words(each.value))
    if names_a_row and is_bound and len(plan.find_rows()) == 1:
        return len(left) <= _MOST_LEFT
    return len(left) <= 1 and is_bound and plan.fit >= _WHOLE_FIT


def is_safe_to_calculate(plan: Plan) -> bool:
    """Whether values can be compared or added up: with a named column, one ordinary word may be unbound."""
    if has_unbound_name(plan) or not has_all_conditions(plan) or plan.contradicts or _leaves_out_column(plan):
        return False
    if any(word.folded in CHANGE_WORDS for word in plan.unbound):
        return False
    is_named = plan.target or (plan.measure and _is_named(plan, plan.measure))
    if plan.subject and plan.subject[-1] in plan.unbound and not (is_named and _is_any_row(plan)):
        return False
    return len(plan.unbound) <= (1 if is_named else 0) and plan.fit >= _VALUE_FIT


def _is_named(plan: Plan, measure: Measure) -> bool:
    """Whether the question names a measure by its column, or by a word for what is measured: "RAM" of "Memory"."""
    is_meant = any(measure.is_meant_by(word.folded) for word in plan.question.words)
    return is_meant or measure.column in plan.columns


def _leaves_out_column(plan: Plan) -> bool:
    """Whether the question names a column besides that of the values, those of conditions, and what the rows are."""
    if plan.measure is None:
        return False
    used = {plan.relation.columns[0], plan.target, *(each.column for each in (*plan.conditions, *plan.compared))}
    said = split_words(f"{plan.measure.column} {plan.relation.context}")
    known = {word.folded for word in (*said, *plan.subject)}
    named = (each for each in plan.columns if each not in used and not names_each_row(plan.relation, each))
    others = ([word.folded for word in split_words(each)] for each in named)
    return any(not all(has_same_noun(name, known) for name in header) for header in others)


def _is_any_row(plan: Plan) -> bool:
    """Whether the question's noun for rows may be any row of a table: "Which machine has the most memory"."""
    if plan.relation.kind != "table" or len(plan.subject) > 1:  # "Which HP machine …" is not any
        return False
    headers = {word.folded for column in plan.relation.columns for word in split_words(column)}
    noun = plan.subject[0].folded
    return has_same_noun(noun, _ROWS) or (has_same_noun(noun, _MACHINES) and not headers.isdisjoint(_OF_MACHINES))


def is_safe_to_check(plan: Plan, says_yes: bool) -> bool:
    """Whether a verdict can be given. With "no" an adverb may be unbound: it also denies "reliably"."""
    if has_unbound_name(plan) or not has_all_conditions(plan):
        return False
    left = list(plan.unbound)
    if not says_yes and len(left) == 1 and left[0].folded.endswith("ly"):
        left = []
    return not left and plan.fit >= _CHECK_FIT


def _is_other_counted(plan: Plan) -> bool:
    """Whether another word of the question names the rows: "how many kilometres did the HP machines run"."""
    chosen = {word.folded for condition in plan.conditions for word in split_words(condition.column)}
    others = [word for word in plan.question.needed if word not in plan.subject and word.folded not in chosen]
    names = [split_words(plan.relation.columns[0]), split_words(plan.relation.name)]
    return any(len(name) == 1 and is_same_noun(name[0].folded, word.folded) for name in names for word in others)


def _is_of_other_rows(plan: Plan, condition: Condition) -> bool:
    """Whether the rows are dates, and something else is counted: "how many pages from January to March"."""
    header = {word.folded for word in split_words(condition.column)}
    is_first = condition.column == plan.relation.columns[0]
    return is_first and not any(is_same_noun(plan.subject[-1].folded, name) for name in header)


def _has_unbound_period(plan: Plan) -> bool:
    """Whether the question is about a time of which the relation says nothing: "last year"."""
    return any(is_period(word.folded) for word in plan.unbound)


def _is_restricted(plan: Plan, in_any_case: bool = False) -> bool:
    """Whether an unbound name may restrict the rows: "in Utrecht", "for Berta"; ``in_any_case`` also "in utrecht"."""
    if plan.question.quoted:
        return False  # the quotation selects the rows
    words = [word for word in plan.question.words if word.folded not in ARTICLES]
    following = [word for before, word in pairwise(words) if before.folded in PREPOSITIONS]
    unbound = [word for word in following if word in plan.unbound and word.is_content and word.folded not in ORDINALS]
    return any(in_any_case or word.text[0].isupper() for word in unbound)


def _has_counted(plan: Plan, counted: Word) -> bool:
    """Whether the relation has the name of what is counted, or all rows that fulfil the conditions have it."""
    if counted not in plan.unbound:
        return True
    rows = [split_words(" ".join(row.cells.values())) for row in plan.find_rows()]
    return bool(rows) and all(any(is_same_noun(counted.folded, word.folded) for word in row) for row in rows)


def _is_only_mentioned(plan: Plan, counted: Word) -> bool:
    """Whether only the middle of the introduction has the word, or only a heading above the last one.

    "The user may choose one of these modes:" does not introduce users, and a list in one section of a heading is not
    all of what the heading names.
    """
    relation = plan.relation
    introduction = split_words(relation.introduction)
    ends = (*introduction[:_FIRST_WORDS], *introduction[-_LAST_WORDS:])
    elsewhere = " ".join(
        (relation.title, *relation.heading_path[-1:], *relation.columns, *(word.text for word in ends))
    )
    mentioning = (*introduction, *split_words(" ".join(relation.heading_path[:-1])))
    is_mentioned = any(is_same_noun(counted.folded, word.folded) for word in mentioning)
    return is_mentioned and not any(is_same_noun(counted.folded, word.folded) for word in split_words(elsewhere))


def is_count_in_one_row(plan: Plan) -> bool:
    """Whether the question names the only row that a count leaves, so that the count 1 says nothing.

    Either the table does not have what is counted, or the row is what is counted: "how many bandages" of the row
    "Bandages | 40".
    """
    first = plan.relation.columns[0]
    if first in {ITEM, VALUE}:
        return False
    if any(condition.column == first for condition in plan.conditions) and all(
        word in plan.unbound for word in plan.subject
    ):
        return True
    return len(plan.conditions) == 1 and names_counted(plan)


def _is_measured(word: Word) -> bool:
    """Whether the word is a unit, or a German compound with one ("Urlaubstage")."""
    return bool(word.folded in _UNITS or find_quantity(word.folded)) or any(
        len(unit) > 3 and word.folded.endswith(unit) for unit in _UNITS
    )


_LIMITS = frozenset("may can allowed maximum max possible darf dürfen kann können erlaubt maximal höchstens".split())
"""Words of questions for a permitted number, which is not the number of rows."""
_UNITS = TIMES | frozenset("byte bytes kb mb gb tb percent euro euros dollar dollars times prozent mal".split())
"""Units, which are measured and not counted: the text states the number."""


def _has_figure_column(plan: Plan, counted: Word) -> bool:
    """Whether a column has the number that is asked for, such as "Patches: 12"."""
    for column in plan.columns:
        if counted.folded in {word.folded for word in split_words(column)}:
            values = [row.cells[column] for row in plan.relation.rows if column in row.cells]
            return sum(value.strip().isdigit() for value in values) > len(values) / 2
    return False
