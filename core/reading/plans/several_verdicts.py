"""Columns that select rows by yes and no: several at once, or the only one with yes. Also columns of what is free."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from core.reading.plans.conditions import Condition
from core.reading.plans.measure import read_measure
from core.reading.plans.plan import Plan
from core.reading.questions.limits import Comparison
from core.reading.questions.row_question import Operation
from core.reading.relations.marks import is_blank, is_test_result, read_verdict
from core.reading.relations.people import is_of_holders
from core.reading.relations.relation import Relation
from core.reading.values import ValueKind
from core.reading.words import (
    ARTICLES,
    FAILURE_WORDS,
    ONLY_WORDS,
    PREPOSITIONS,
    SUCCESS_WORDS,
    VERDICT_WORDS,
    fold_words,
    has_same_noun,
    split_words,
)

_MOST_VERDICTS = 0.8  # share of a verdict column's filled cells that say yes or no
_OTHERWISE = frozenset("or oder but aber either entweder sowohl".split())
_PARTICIPLE_HEADER = re.compile(r"(?i)\w+(?:ed|en|t) (?:to|by|from|an|von|durch|bei)")
_MODALS = frozenset(
    """can cannot could may might must shall should will would
    kann können könnte darf dürfen muss müssen soll sollen""".split()
)
_BEFORE_VERB = _MODALS | frozenset("i we you they he she it ich wir man sie er".split())
_BEFORE_NAME = (
    ARTICLES | PREPOSITIONS | frozenset("any some have has my your ein eine einen einem einer hat haben".split())
)
_SHORT_FORM = 3  # letters at least of "con" for "conditioning"
_ADJECTIVE = re.compile(
    r"(?P<stem>\w{2,}(?:frei|bar|lich|ig|isch|los|sam|haft|fähig|fest|dicht|tauglich|gerecht|geeignet))(?:e[nrsm]?)?"
)
SUPPORT = frozenset("support supports supported allow allows include includes unterstützen unterstützt".split())
"""Verbs that say no more than "have"."""
FREE_WORDS = frozenset("free available left remaining frei freie freien verfügbar übrig".split())
"""Words for what is left, in questions and headers."""


def is_verdict_column(relation: Relation, column: str) -> bool:
    """Whether nearly all filled cells of a column say yes or no."""
    filled = [row.cells[column] for row in relation.rows if not is_blank(row.cells.get(column, ""))]
    said = sum(read_verdict(cell) is not None for cell in filled)
    return len(filled) > 1 and said >= _MOST_VERDICTS * len(filled)


def find_partly_named(plan: Plan) -> list[str]:
    """Return the columns of yes and no that the question names by a word that no other header has, nor the context.

    "Take my dog" names "Dogs included", and "a lift" names "Access > Lift" below two header rows.
    """
    relation, subject = plan.relation, {word.folded for word in plan.subject}
    bound = {at for each in plan.conditions for at in each.bound}
    context = set(fold_words(relation.context))
    free = (word for at, word in enumerate(plan.question.words) if at not in bound and word.is_content)
    asked_words = {word.folded for word in free if not has_same_noun(word.folded, context | subject)}
    headers = {column: {word.folded for word in split_words(column) if word.is_content} for column in relation.columns}
    asked_words |= {word.folded for word in plan.subject[:-1] if _ADJECTIVE.fullmatch(word.folded)}
    naming = {
        name: [each for each in headers if has_same_noun(name, headers[each]) or _is_adjective_of(name, headers[each])]
        for name in asked_words
    }
    named = {columns[0] for columns in naming.values() if len(columns) == 1}
    return [column for column in relation.columns if column in named and is_verdict_column(relation, column)]


def _is_adjective_of(name: str, header: Collection[str]) -> bool:
    """Whether the only word of a header begins with a German adjective: "barrierefreie" names "Barrierefreiheit".

    "Erreichbar" does not name a column "Erreichbarkeit überwacht".
    """
    match = _ADJECTIVE.fullmatch(name)
    return match is not None and len(header) == 1 and any(word.startswith(match["stem"]) for word in header)


def is_other_thing(plan: Plan, column: str, at: int) -> bool:
    """Whether the word that names a column is a part of a name for another thing: "a dog ban", "a guard dog".

    If it is only a part of the header, it may also be a verb: in "can I access", it does not name "API access".
    """
    words, header = plan.question.words, fold_words(column)
    if at < 0:
        return False
    if column not in plan.columns and at and words[at - 1].folded in _BEFORE_VERB:
        return True
    before = words[at - 1 : at] if at > 1 and words[at - 2].folded in _BEFORE_NAME else ()
    after = () if at > 1 and words[at - 2].folded in _MODALS else words[at + 1 : at + 2]  # "can my dog travel"
    if plan.question.language == "de":  # its verbs follow the noun
        after = tuple(word for word in after if word.text[0].isupper())
    bound = {words[place].folded for each in plan.conditions for place in each.bound if place < len(words)}
    known = bound | plan.relation.headers | VERDICT_WORDS | FREE_WORDS | SUPPORT
    return any(
        word in plan.question.needed
        and not has_same_noun(word.folded, known)
        and not any(len(word.folded) >= _SHORT_FORM and name.startswith(word.folded) for name in header)
        for word in (*before, *after)
    )


def add_several_verdicts(plan: Plan, columns: Sequence[str]) -> Plan | None:
    """Return the plan with yes in all of the named columns of yes and no, or, after "only", in the one and no other.

    With "or", or a negation, nothing is certain: the plan then lists nothing. None: if it is neither.
    """
    asked_words = {word.folded for word in plan.question.words}
    if asked_words & (SUCCESS_WORDS | FAILURE_WORDS) or any(_has_results(plan.relation, column) for column in columns):
        return None
    if len(columns) > 1:
        if not _OTHERWISE.isdisjoint(fold_words(plan.question.text)) or plan.question.negated is not None:
            return replace(plan, lists_values=True)
        return replace(plan, conditions=(*plan.conditions, *(_say(each, Comparison.POSITIVE) for each in columns)))
    if not columns or ONLY_WORDS.isdisjoint(asked_words) or plan.question.negated is not None:
        return None
    others = [each for each in plan.relation.columns if each not in columns and is_verdict_column(plan.relation, each)]
    if not others:
        return None
    said = (_say(columns[0], Comparison.POSITIVE), *(_say(each, Comparison.NEGATIVE) for each in others))
    return replace(plan, conditions=(*plan.conditions, *said))


def _has_results(relation: Relation, column: str) -> bool:
    return any(is_test_result(cell) for cell in relation.get_cells(column))


def _say(column: str, comparison: Comparison) -> Condition:
    return Condition(column, "", comparison, 1.0)


def find_free_column(plan: Plan) -> str:
    """Return the named column with the figures of what is free, if a list of the rows that have some is asked for."""
    asked_words = {word.folded for word in plan.question.words}
    if plan.operation is not Operation.LIST or asked_words.isdisjoint(FREE_WORDS) or plan.question.negated is not None:
        return ""
    taken = {condition.column for condition in plan.conditions}
    columns = [column for column in plan.columns if column not in taken and is_free_column(plan.relation, column)]
    return columns[0] if len(columns) == 1 else ""


def find_column_of_holders(plan: Plan) -> str:
    """Return the only column of whoever has the thing, where some rows have nobody, if what is free is asked for.

    What is lent to nobody is free: "Ausgeliehen an", "Borrowed by".
    """
    if not asks_what_is_free(plan) or plan.question.negated is not None:
        return ""
    taken = {condition.column for condition in plan.conditions}
    held = [each for each in plan.relation.columns if each not in taken and is_of_holders(each)]
    some = [each for each in held if 0 < sum(map(is_blank, plan.relation.get_cells(each))) < len(plan.relation.rows)]
    return some[0] if len(some) == 1 else ""


def asks_what_is_free(plan: Plan) -> bool:
    """Whether the question has a word for what is left, which the table does not have."""
    return any(
        word.folded in FREE_WORDS - plan.relation.vocabulary - plan.relation.headers for word in plan.question.words
    )


def has_participle(column: str) -> bool:
    """Whether a header names those to or by whom something is done: "Approved by", "Ausgeliehen an"."""
    return bool(_PARTICIPLE_HEADER.fullmatch(column.strip()))


def is_free_column(relation: Relation, column: str) -> bool:
    """Whether a column has the figures of what is free."""
    if FREE_WORDS.isdisjoint(fold_words(column)):
        return False
    measure = read_measure(relation, column)
    return measure is not None and measure.kind is ValueKind.NUMBER
