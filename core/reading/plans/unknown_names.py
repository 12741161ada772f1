"""Names that no row has: "Which laptops are in Paris?" if all laptops are listed and none is in Paris.

A table without the word is not enough, since it may list something else. The name has to be where the question selects
rows, all other words have to be bound, and no evidence may have the name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.languages import detect_language
from core.model import RankedEvidence
from core.reading.plans.conditions import Condition, is_short_form
from core.reading.plans.plan import Plan
from core.reading.questions.limits import Comparison, is_temporal
from core.reading.relations.rows import VALUE
from core.reading.values import ValueKind, find_date_value, read_value
from core.reading.words import Word, is_period, is_same_noun, split_words

_BEFORE_NAMES = frozenset("in at from by aus bei im am von".split())
_MOST_WORDS = 3
_DAY_OR_MONTH = re.compile(r"(?:0?[1-9]|[12][0-9]|3[01])(?:[./-](?:0?[1-9]|[12][0-9]|3[01]))?(?:st|nd|rd|th)?")
_SURE = 0.8  # strength of the other conditions


def add_unknown_name(plan: Plan, evidences: Sequence[RankedEvidence]) -> Plan | None:
    """Return the plan with the name that no row has as a condition; None if it is not certain that it is one."""
    relation = plan.relation
    if not plan.operation.is_on_rows or plan.question.negated is not None or relation.kind != "table":
        return None
    if len(relation.rows) < relation.total or any(each.strength < _SURE for each in plan.conditions):
        return None
    span = _find_name(plan)
    if (
        not span
        or _may_have_other_form(plan, span)
        or _may_be_date(plan, span)
        or not _is_counted_in_rows(plan, span)
        or _is_mentioned(span, evidences)
    ):
        return None
    name = " ".join(word.text for word in span)
    unknown = Condition(_find_column(plan, span) or VALUE, name, Comparison.HAS, 1.0)
    return replace(plan, conditions=(*plan.conditions, unknown), unbound=())


def _find_name(plan: Plan) -> tuple[Word, ...]:
    """Return the unbound words if they are one name that selects rows; else ()."""
    asked_words, unbound = plan.question.words, plan.unbound
    if not unbound or len(unbound) > _MOST_WORDS:
        return ()
    at = asked_words.index(unbound[0])
    is_one = asked_words[at : at + len(unbound)] == unbound
    # Cells may have another format of a date, and none for "last year".
    is_time = any(is_period(word.folded) or is_temporal(read_value(word.text)) for word in unbound)
    if not is_one or is_time or any(not (word.text[0].isupper() or word.is_name) for word in unbound):
        return ()
    end = at + len(unbound)
    while at > 1 and asked_words[at - 1].text[0].isupper() and not asked_words[at - 1].is_content:
        at -= 1  # "New York"
    span = asked_words[at:end]
    follows = at > 0 and asked_words[at - 1].folded in _BEFORE_NAMES
    is_code = len(span) == 1 and span[0].is_name
    stands_by_rows = is_code and (span[0] in plan.subject[:-1] or bool(_find_column(plan, span)))
    return tuple(span) if follows or stands_by_rows else ()


def _may_be_date(plan: Plan, span: Sequence[Word]) -> bool:
    """Whether a number may be a day or a month, which cells with dates write in another way: "am 14."."""
    has_number = any(_DAY_OR_MONTH.fullmatch(word.text) for word in span)
    cells = (cell for row in plan.relation.rows for cell in row.cells.values())
    return has_number and any(find_date_value(cell) or read_value(cell).kind is ValueKind.DATE for cell in cells)


def _find_column(plan: Plan, span: Sequence[Word]) -> str:
    """Return the column whose name is right before the words; "" if there is none."""
    asked_words = plan.question.words
    at = asked_words.index(span[0])
    before = asked_words[at - 1].folded if at else ""
    named = [column for column in plan.columns if [word.folded for word in split_words(column)][-1:] == [before]]
    return named[0] if len(named) == 1 else ""


def _is_counted_in_rows(plan: Plan, span: Sequence[Word]) -> bool:
    """Whether the first column or the context has the name of what is counted or listed."""
    counted = plan.subject[-1]
    relation = plan.relation
    named = split_words(" ".join((relation.title, *relation.heading_path[-1:], relation.columns[0])))
    return counted not in span and any(is_same_noun(counted.folded, word.folded) for word in named)


def _may_have_other_form(plan: Plan, span: Sequence[Word]) -> bool:
    """Whether the table may have the name in another language ("Großbritannien") or in full ("NL")."""
    if any(character.isdigit() for word in span for character in word.text):
        return False
    written = detect_language(" ".join((plan.relation.context, *plan.relation.columns)))
    return written != plan.question.language or any(is_short_form(word) for word in span)


def _is_mentioned(span: Sequence[Word], evidences: Sequence[RankedEvidence]) -> bool:
    names = {word.folded for word in span if word.is_content}
    return any(
        not names.isdisjoint(word.folded for word in split_words(text))
        for ranked in evidences
        for text in (ranked.evidence.text, ranked.evidence.context.title, *ranked.evidence.context.heading_path)
    )
