"""Binds a question to a table or list: makes the plan of an operation and conditions on columns.

The words of a question are bound to the relation: values to cells, names of columns to headers, the others to the
context (title, headings, introduction). The plan keeps the words that cannot be bound, so that it can be declined for
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from core.dates import find_date
from core.reading.plans.conditions import Condition, find_common_words, find_initials, has_span
from core.reading.plans.continued_tables import join_continued_tables
from core.reading.plans.distinct_columns import (
    find_denied_column,
    find_distinct_column,
    find_words_of_column,
    is_safe_to_list_values,
)
from core.reading.plans.meaning import NO_MEANINGS, Meanings
from core.reading.plans.measure import find_measure, list_named
from core.reading.plans.plan import Plan
from core.reading.plans.plan_conditions import SURE, find_all_conditions
from core.reading.plans.plan_exclusion import (
    leave_out_later_lists,
    leave_out_legends,
    leave_out_mentions,
    leave_out_old_tables,
    leave_out_other_versions,
    leave_out_plans_under_other_headings,
)
from core.reading.plans.refine import add_columns, add_compared_column, add_unknown_value, find_explained_words
from core.reading.plans.result_columns import find_quantified_column, find_result_column
from core.reading.plans.states import write_states
from core.reading.plans.tasks import asks_for_state, find_words_for_actions, join_task_lists
from core.reading.plans.translation import NO_TRANSLATIONS, Translations, translate
from core.reading.questions.limits import Comparison
from core.reading.questions.question import read_question
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.relations.relation import Relation, join_similar_tables
from core.reading.relations.rows import OWN_COLUMNS
from core.reading.relations.totals import is_total_word
from core.reading.relations.transposed import arrange_by_column, find_nouns_for_things, leave_out_references
from core.reading.words import Word, has_same_noun, is_compound, list_capitals, split_words
from core.text_caches import cache_texts
from core.wording.focus import find_carried_words
from core.wording.word_matches import match_text, match_texts

_MOST_CELLS = 50_000  # of all relations that a question is bound to; further relations are not read
_BOUND = 0.4  # a word that matches less is not bound
_LEAST_OF_ROWS = {Operation.CELL: 0.0, Operation.PERSON: 0.5}
"""The share of its rows that a relation needs if one row is enough; for other operations it needs all of them.

Of a table on a later page, or one that :mod:`core.gathering.additional_evidences` did not add, some rows are retrieved.
"""
_OF_SEVERAL_ROWS = {
    Operation.COUNT,
    Operation.LIST,
    Operation.LARGEST,
    Operation.SMALLEST,
    Operation.SUM,
}
"""Operations for which a record is no table: its fields are no rows."""
_OF_EXTREMES = {Operation.LARGEST, Operation.SMALLEST}
_LIST_OF = re.compile(r"(\w{4,}?)(?:listen?|übersicht(?:en)?|tabellen?|verzeichnis|register|inventar|katalog|matrix)")
_HEAVY = 2.0  # weight of names, and of what is counted or listed


def make_plans(
    question: str,
    relations: Sequence[Relation],
    translations: Translations = NO_TRANSLATIONS,
    meanings: Meanings = NO_MEANINGS,
) -> list[Plan]:
    """Return the plans for a question, one for each relation, the best first."""
    row_question = read_question(question)
    return bind_question(row_question, relations, translations, meanings) if row_question else []


def bind_question(
    row_question: RowQuestion,
    relations: Sequence[Relation],
    translations: Translations = NO_TRANSLATIONS,
    meanings: Meanings = NO_MEANINGS,
) -> list[Plan]:
    """Return :func:`make_plans` of a question that was read already."""
    least = _LEAST_OF_ROWS.get(row_question.operation, 1.0)
    if _asks_for_total(row_question):
        relations = [each.with_totals for each in relations]
    complete = [each for each in relations if len(each.rows) >= least * each.total]
    usable = [
        each for each in _limit_cells(complete) if not (each.is_record and row_question.operation in _OF_SEVERAL_ROWS)
    ]
    if row_question.operation in _OF_EXTREMES:
        usable = [_arrange_to_compare(row_question, each) for each in usable]
    if asks_for_state(row_question):
        usable = join_task_lists(usable)
    if row_question.operation is Operation.COMPARE:
        usable += _limit_cells(join_similar_tables(usable))
    if row_question.operation in _OF_SEVERAL_ROWS or row_question.operation is Operation.MEAN:
        usable += _limit_cells(join_continued_tables(row_question, usable))
    quoting = [each for each in usable if _has_quoted(each, row_question)]
    written = [(write_states(translate(row_question, each, translations), each), each) for each in quoting]
    plans = [_add_meaning(_bind(question, each), meanings) for question, each in written]
    plans = leave_out_plans_under_other_headings(row_question, leave_out_legends(plans))
    plans = leave_out_other_versions(row_question, plans)
    plans = leave_out_old_tables(row_question, plans)
    meant = leave_out_later_lists(row_question, leave_out_mentions(row_question, plans))
    return sorted(meant, key=lambda plan: -plan.score)


def _arrange_to_compare(row_question: RowQuestion, relation: Relation) -> Relation:
    """Return a table with a row for each column, if only so the question names what is compared: the row "Latency"."""
    carried = find_carried_words(row_question.text)
    asked_words = [word for word in row_question.words if word.is_content and word.folded not in carried]
    subject = {word.folded for word in row_question.subject}
    wanted = row_question.superlative
    said = {word.folded for word in asked_words}
    turned = arrange_by_column(relation, said)
    if turned is not relation and not find_measure(asked_words, relation, (), wanted, subject):
        relation = turned if find_measure(asked_words, turned, (), wanted, subject) else relation
    return leave_out_references(relation, said) if relation.properties else relation


def _asks_for_total(row_question: RowQuestion) -> bool:
    """Whether a question asks for the cell of a row that is a total: "what is the total budget"."""
    is_cell = row_question.operation is Operation.CELL or row_question.asks_value
    return is_cell and not row_question.bounds and any(is_total_word(word.folded) for word in row_question.words)


def _add_meaning(plan: Plan, meanings: Meanings) -> Plan:
    """Return the plan with the match of its relation by meaning.

    A weak condition that only repeats the context is dropped; with any other, the relation as a whole is not what is
    meant.
    """
    key = plan.relation.key
    if key not in meanings.scores:
        return plan
    context = _find_words_of_context(plan.relation.context)
    weak = [each for each in plan.conditions if each.strength < SURE and not each.is_negated]
    said = {word.folded for condition in weak for word in split_words(condition.value)} - context
    is_meant = key == meanings.meant_key and all(match_text((w,), plan.relation.context)[0] >= _BOUND for w in said)
    kept = tuple(each for each in plan.conditions if not is_meant or each not in weak)
    return replace(plan, meaning=meanings.scores[key], is_meant=is_meant, conditions=kept)


def _has_quoted(relation: Relation, question: RowQuestion) -> bool:
    """Whether a relation, or its context, has each quoted phrase verbatim."""
    if not question.quoted:
        return True
    texts = [relation.title, *relation.heading_path, relation.introduction, *relation.columns]
    texts += [cell for row in relation.rows for cell in row.cells.values()]
    said = [[word.folded for word in split_words(text)] for text in texts]
    return all(
        any(has_span(words, [word.folded for word in phrase]) for words in said) for phrase in question.quoted if phrase
    )


def _limit_cells(relations: Sequence[Relation]) -> list[Relation]:
    """Return the first relations by rank with at most ``_MOST_CELLS`` cells together, which bounds the time."""
    kept: list[Relation] = []
    cells = 0
    for relation in sorted(relations, key=lambda relation: relation.rank):
        size = sum(len(row.cells) for row in relation.rows)
        if cells + size <= _MOST_CELLS:
            cells += size
            kept.append(relation)
    return kept


def _weigh_words(asked_words: Sequence[Word], subject: Sequence[Word]) -> dict[str, float]:
    """Return the weights, with sum 1, of the words that a relation has to account for.

    They depend on the question alone, so that a plan does not depend on other tables, such as those removed for an
    explanation.
    """
    heavy = {word.folded for word in asked_words if word.is_name or word in subject}
    raw = {word.folded: _HEAVY if word.folded in heavy else 1.0 for word in asked_words}
    total = sum(raw.values()) or 1.0
    return {name: weight / total for name, weight in raw.items()}


def _bind(question: RowQuestion, relation: Relation) -> Plan:
    if question.quantity:
        column = find_quantified_column(question, relation)
        plan = _bind_rows(question, relation, column)
        return replace(plan, distinct=column, target=find_result_column(relation, plan.find_rows()))
    if distinct := find_distinct_column(question, relation):
        plan = replace(_bind_rows(question, relation, distinct), distinct=distinct)
        if is_safe_to_list_values(plan):
            return plan
    plan = _bind_rows(question, relation)
    denied = find_denied_column(plan)
    return replace(plan, distinct=denied) if denied else plan


def _bind_rows(question: RowQuestion, relation: Relation, distinct: str = "") -> Plan:
    """Return the plan. No condition is made from the words for the column of ``distinct`` values."""
    asked_words = question.words
    weights = _weigh_words(question.needed, question.subject)
    context = _find_words_of_context(relation.context)
    of_column = find_words_of_column(question, relation, distinct) if distinct else set[int]()
    found = find_all_conditions(question, relation, context, of_column)
    chosen = (*found.kept, *found.compared)
    in_conditions = {word.folded for each in chosen for word in _find_bound_words(each, asked_words)}
    columns = [column for column in relation.columns if column not in OWN_COLUMNS]
    named = tuple(list_named(columns, asked_words, in_conditions))
    bound = _bind_words(asked_words, weights, relation, columns, context | find_common_words(relation), in_conditions)
    plan = Plan(
        question,
        relation,
        found.kept,
        named,
        0.0,
        (),
        compared=found.compared,
        contradicts=found.contradicts,
        lists_values=found.lists_values,
    )
    plan = add_columns(plan, in_conditions)
    explained = find_explained_words(plan) | find_words_for_actions(plan)
    explained |= {asked_words[at].folded for at in of_column} | question.of_context
    legends = (relation.legend.get(each.column, "") for each in chosen)
    explained |= {word.folded for legend in legends for word in split_words(legend)}
    things = find_nouns_for_things(relation)
    bound.update((name, 1.0) for name in weights if name in explained or has_same_noun(name, things))
    fit = sum(weight * bound[name] for name, weight in weights.items())
    unbound = (*(word for word in question.needed if bound[word.folded] < _BOUND), *found.unclear)
    return add_unknown_value(add_compared_column(replace(plan, fit=fit, unbound=unbound)))


@cache_texts(2_000)
def _find_words_of_context(context: str) -> frozenset[str]:
    """Return the words of a context, and "server" for "Serverliste".

    For a date, add the words that people write: "August" and "16" for 2018-08-16.
    """
    words = {word.folded for word in split_words(context)} | list_capitals(context)
    words |= {match[1] for word in words if (match := _LIST_OF.fullmatch(word))}
    if found := find_date(context):
        day = found.day
        words |= {word.folded for word in split_words(f"{day.day} {day:%B} {day.year}")}
        words |= {f"{day.day}{ending}" for ending in ("st", "nd", "rd", "th")}
    return frozenset(words)


def _find_bound_words(condition: Condition, asked_words: Sequence[Word]) -> Iterator[Word]:
    """Yield the words of the question that a condition binds."""
    if (condition.limit is None or condition.comparison is Comparison.DURING) and condition.value:
        yield from split_words(condition.value)
        yield from asked_words[condition.at : condition.at + condition.length]


def _bind_words(
    asked_words: Sequence[Word],
    weights: dict[str, float],
    relation: Relation,
    columns: Sequence[str],
    context: Set[str],
    in_conditions: set[str],
) -> dict[str, float]:
    bound = dict.fromkeys(weights, 1.0)
    initials = {find_initials(column.rpartition(" > ")[2]).lower() for column in columns}
    left = tuple(name for name in weights if name not in in_conditions and name not in context)
    around = context | relation.headers
    of_context, *of_columns = match_texts(left, [relation.context, *columns]) if left else [[]]
    for at, name in enumerate(left):
        header = max((matches[at] for matches in of_columns), default=0.0)
        header = 1.0 if len(name) > 1 and name in initials else header
        is_inflected = has_same_noun(name, around) or is_compound(name, around)
        bound[name] = max(0.8 * of_context[at], 0.9 * header, 0.95 * is_inflected)
    for one, other in pairwise(asked_words):  # "D-Bus" for "DBus"
        if one.folded + other.folded in context and {one.folded, other.folded} <= bound.keys():
            bound[one.folded] = bound[other.folded] = 1.0
    return bound
