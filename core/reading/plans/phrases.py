"""Phrases without a question word, and questions for when or how often somebody has a role, as questions for rows.

Both are computed only if nothing else is: most phrases look for a text.
"""

from __future__ import annotations

import re
from dataclasses import replace

from core.languages import detect_language
from core.reading.plans.plan import Plan
from core.reading.plans.safety import has_unbound_name, is_safe_to_show_rows, names_each_row
from core.reading.questions.comparison import compile_phrases, is_comparison
from core.reading.questions.limits import Comparison
from core.reading.questions.question import Operation, RowQuestion, read_question
from core.reading.questions.yes_no import find_auxiliary
from core.reading.words import ARTICLES, fold_words, has_same_noun
from core.text_caches import cache_texts

_ASKS = compile_phrases(
    "who(?:m|se)?", "when", "where", "why", "how", "what", "which", "wer", "wem", "wen", "wessen", "wann", "wo",
    "wohin", "woher", "warum", "wieso", "weshalb", "wie", "was", "welche[rnms]?",
)  # fmt: skip
"""Words of questions that are no phrases."""
_OCCURRENCES = re.compile(
    r"(?i)^\W*(?:(?:and|und) )?(?:when|wann|(?P<often>how often|how many times|wie oft))"
    r" (?:is|are|was|were|had|ist|sind|war|waren|hat|hatten?)\b"
)
_BETWEEN = ARTICLES | frozenset(
    """as als which entries welche einträge in im on duty dienst dran scheduled planned eingeteilt geplant""".split()  # noqa: SIM905
)
"""Words besides the person, the role and the title, of which any other changes the sense: "with the reviewer"."""


@cache_texts(64)
def read_listing(question: str) -> RowQuestion | None:
    """Return a phrase for rows, such as "contracts ending in 2027", as if it began with "which"; None for any other."""
    if _ASKS.search(question) or read_question(question) or is_comparison(question):
        return None
    language = detect_language(question)
    if find_auxiliary(question, language):
        return None
    found = read_question(f"{'welche' if language == 'de' else 'which'} {question.strip()}")
    return found if found and found.operation is Operation.LIST and not found.is_distinct else None


def is_safe_to_list(plan: Plan) -> bool:
    """Whether a phrase means the rows of a plan: it accounts for all words, and the first noun names the rows."""
    if plan.unbound or plan.distinct or not plan.conditions or not plan.subject:
        return False
    is_limited = bool(plan.question.bounds) or plan.question.negated is not None
    if len(plan.find_rows()) < (1 if is_limited else 2):  # of one row, one cell may be meant
        return False
    relation = plan.relation
    columns = [each for each in relation.columns if each == relation.columns[0] or names_each_row(relation, each)]
    names = {name for text in (relation.context, *columns) for name in fold_words(text)}
    return has_same_noun(plan.subject[-1].folded, names) and is_safe_to_show_rows(plan)


@cache_texts(64)
def read_occurrences(question: str) -> RowQuestion | None:
    """Return a question for when or how often somebody has a role as one for the rows that say so; None for others."""
    match = _OCCURRENCES.match(question)
    if match is None:
        return None
    is_german = detect_language(question) == "de"
    begins = ("wie viele einträge", "welche einträge") if is_german else ("how many entries", "which entries")
    return read_question(f"{begins[0] if match['often'] else begins[1]} {question[match.end() :]}")


def is_safe_to_show_occurrences(plan: Plan) -> bool:
    """Whether the only condition is a person or thing in a column that the question names: when Ada is the reviewer."""
    plan = replace(plan, unbound=tuple(word for word in plan.unbound if word.folded not in _BETWEEN))
    if len(plan.conditions) != 1 or plan.unbound or plan.distinct or has_unbound_name(plan):
        return False
    [condition] = plan.conditions
    known = {*fold_words(" ".join((condition.column, condition.value, plan.relation.context))), *_BETWEEN}
    if not all(has_same_noun(word.folded, known) for word in plan.question.words):
        return False
    is_value = not condition.limit and condition.comparison in {Comparison.HAS, Comparison.IS}
    is_role = condition.column in plan.columns and condition.column != plan.relation.columns[0]
    context = set(fold_words(plan.relation.context))
    others = [each for each in plan.columns if each != condition.column and not context.issuperset(fold_words(each))]
    return is_value and is_role and not others and is_safe_to_show_rows(plan)
