"""Which of two named things has the most failures or passes: "which system failed most, Windows or Linux"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.i18n import plural
from core.languages import CATALOGUES, choose_catalogue, detect_language
from core.reading.plans.binding import bind_question
from core.reading.plans.conditions import has_span
from core.reading.plans.plan import Plan
from core.reading.plans.plan_facts import has_unbound_name
from core.reading.plans.result_columns import find_result_columns
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.relations.marks import is_test_result, read_verdict
from core.reading.relations.relation import Relation
from core.reading.relations.rows import Row
from core.reading.results.result import Result
from core.reading.words import FAILURE_WORDS, SUCCESS_WORDS, split_words

_ALTERNATIVES = re.compile(
    r"(?: [-–—]|[,:–—]) (?P<first>[^\W_][\w.+ -]{0,30}?) (?:or|oder) (?P<second>[^\W_][\w.+ -]{0,30}?) ?\?"
)
_MOST = re.compile(r"(?i)\b(?:the )?(?:most|more)(?: often)?\b|\b(?:die |den |am )?(?:meisten|häufigsten)\b")
_FAILURES = FAILURE_WORDS | frozenset("failure failures fehlschlag fehlschläge fehlschlägen".split())
_LED = frozenset("which what led lead leads results result had has welche welcher welches hat hatte".split())
_MOST_LEFT = 2
_MOST_ROWS = 15


def find_more_frequent(question: str, relations: Sequence[Relation]) -> tuple[Plan, Result] | None:
    """Return the thing that more than half of the rows with the result have; None if a row has both things.

    With more than half, it has most, even if the other rows name the other thing differently ("Debian" for "Linux").
    """
    match, language = _ALTERNATIVES.search(question), detect_language(question)
    if match is None or not _MOST.search(question[: match.start()]) or language not in CATALOGUES:
        return None
    said = split_words(_MOST.sub(" ", question[: match.start()]))
    folded = {word.folded for word in said}
    succeeds, fails = bool(folded & SUCCESS_WORDS), bool(folded & _FAILURES)
    words = tuple(word for word in said if word.folded not in SUCCESS_WORDS | _FAILURES | _LED)
    if succeeds is fails or not any(word.is_content for word in words):
        return None
    row_question = RowQuestion(Operation.LIST, choose_catalogue(language), words, (), text=question)
    plans = bind_question(row_question, relations)
    return _count(plans[0], (match["first"], match["second"]), succeeds) if plans else None


def _count(plan: Plan, names: tuple[str, str], succeeds: bool) -> tuple[Plan, Result] | None:
    relation = plan.relation
    if relation.kind != "table" or len(relation.rows) < relation.total or has_unbound_name(plan):
        return None
    if len(plan.unbound) > _MOST_LEFT or plan.contradicts:
        return None
    rows = plan.find_rows()
    results = {column: _find_rows(rows, column, succeeds) for column in find_result_columns(relation, rows)}
    columns = [column for column, found in results.items() if found]
    if len(columns) != 1:
        return None
    column, meant = columns[0], results[columns[0]]
    having = [[row for row in meant if _has_name(row, name)] for name in names]
    counts = [len(found) for found in having]
    if max(counts) * 2 <= len(meant) or any(row in having[1] for row in having[0]):
        return None
    best = counts.index(max(counts))
    if counts[best] > _MOST_ROWS:
        return None
    headline = plural(
        "{name} – {found} of {count} row in “{place}” with {column}: {value}",
        "{name} – {found} of {count} rows in “{place}” with {column}: {value}",
        len(meant),
        found=counts[best],
        name=names[best],
        place=relation.name,
        column=column,
        value=split_words(meant[0].cells[column])[0].text,
    )
    return plan, Result(headline, tuple(having[best]))


def _find_rows(rows: Sequence[Row], column: str, succeeds: bool) -> list[Row]:
    cells = ((row, row.cells.get(column, "")) for row in rows)
    return [row for row, cell in cells if is_test_result(cell) and read_verdict(cell) is succeeds]


def _has_name(row: Row, name: str) -> bool:
    words = [word.folded for word in split_words(name)]
    return any(has_span([word.folded for word in split_words(cell)], words) for cell in row.cells.values())
