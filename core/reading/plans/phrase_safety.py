"""Declines plans for phrases, most of which look for a text: see :mod:`core.reading.questions.phrases`."""

from __future__ import annotations

from dataclasses import replace

from core.reading.plans.plan import Plan
from core.reading.plans.plan_facts import has_unbound_name, names_each_row
from core.reading.plans.safety import is_safe_to_show_rows
from core.reading.questions.limits import OF_WORDS
from core.reading.words import ARTICLES, fold_words, has_same_noun

_BETWEEN = ARTICLES | frozenset(
    """as als which entries welche einträge in im on duty dienst dran scheduled planned eingeteilt geplant""".split()
)
"""Words besides the person, the role and the title, of which any other changes the sense: "with the reviewer"."""


def is_safe_to_list(plan: Plan, least: int = 2) -> bool:
    """Whether a phrase means the rows of a plan: it accounts for all words, and the first noun names the rows.

    Without a limit, they have to be at ``least`` as many: of one row, one cell may be meant.
    """
    if plan.unbound or plan.distinct or not plan.conditions or not plan.subject:
        return False
    is_limited = bool(plan.question.bounds) or plan.question.negated is not None
    if len(plan.find_rows()) < (1 if is_limited else least):
        return False
    relation = plan.relation
    columns = [each for each in relation.columns if each == relation.columns[0] or names_each_row(relation, each)]
    names = {name for text in (relation.context, *columns) for name in fold_words(text)}
    return has_same_noun(plan.subject[-1].folded, names) and is_safe_to_show_rows(plan)


def is_safe_to_show_occurrences(plan: Plan) -> bool:
    """Whether the only condition is a person or thing in a column that the question names: when Ada is the reviewer."""
    plan = replace(plan, unbound=tuple(word for word in plan.unbound if word.folded not in _BETWEEN))
    if len(plan.conditions) != 1 or plan.unbound or plan.distinct or has_unbound_name(plan):
        return False
    [condition] = plan.conditions
    known = {*fold_words(" ".join((condition.column, condition.value, plan.relation.context))), *_BETWEEN}
    if not all(has_same_noun(word.folded, known) for word in plan.question.words):
        return False
    is_value = not condition.limit and condition.comparison in OF_WORDS
    is_role = condition.column in plan.columns and condition.column != plan.relation.columns[0]
    context = set(fold_words(plan.relation.context))
    others = [each for each in plan.columns if each != condition.column and not context.issuperset(fold_words(each))]
    return is_value and is_role and not others and is_safe_to_show_rows(plan)
