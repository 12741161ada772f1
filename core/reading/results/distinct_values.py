"""The distinct values of a column, see :mod:`core.reading.plans.distinct_columns`, and the people that it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.i18n import Message, message, plural
from core.reading.plans.conditions import fulfils
from core.reading.plans.distinct_columns import find_named_columns, group_rows
from core.reading.plans.plan import Plan
from core.reading.relations.marks import is_blank
from core.reading.relations.people import is_name_of_people
from core.reading.relations.rows import ITEM, OWN_COLUMNS, Row
from core.reading.results.result import Result, name_conditions
from core.reading.words import IN_CHARGE, Word, is_same_noun, split_words
from core.wording.quotations import write_header

_MOST_PEOPLE = 5
_OF_PAGES = IN_CHARGE | frozenset("author creator editor contact autor autorin ersteller kontakt".split())


def has_different_rows(plan: Plan) -> bool:
    """Whether no two rows have the same value in what is counted or listed, so that the rows can stand for the values.

    What is counted or listed is the item of a list, or the only column that the question names.
    """
    named = [ITEM] if plan.relation.kind != "table" else find_named_columns(plan.question, plan.relation)
    cells = [row.cells.get(named[0], "") for row in plan.find_rows()] if len(named) == 1 else []
    values = {" ".join(cell.casefold().split()) for cell in cells if not is_blank(cell)}
    return bool(cells) and len(values) == len(cells)


def list_named_people(plan: Plan) -> tuple[Plan, Result] | None:
    """Return the people in the column that "who is the reporter for the pump tests" names, under such a heading.

    Return None if a word selects rows, or if the page itself may be meant, which has an owner or author too.
    """
    if plan.relation.kind != "table" or len(plan.relation.rows) < plan.relation.total:
        return None
    if plan.conditions or plan.contradicts or plan.unbound:
        return None
    columns = [column for column in plan.relation.columns if column not in OWN_COLUMNS]
    named = [column for column in columns if any(_is_only_word(column, word) for word in plan.question.needed)]
    others = [word for word in plan.question.needed if not named or not _is_only_word(named[0], word)]
    if len(named) != 1 or not others or any(word.folded in _OF_PAGES for word in split_words(named[0])):
        return None
    with_column = replace(plan, distinct=named[0])
    rows = [row for row in plan.relation.rows if not is_blank(row.cells.get(named[0], ""))]
    groups = group_rows(with_column, rows)
    if not 0 < len(groups) <= _MOST_PEOPLE or not all(is_name_of_people(row, named[0]) for row in rows):
        return None
    headline = message("{name}", name=", ".join(value for _, value in groups.values()))
    return with_column, Result(headline, tuple(row for row, _ in groups.values()))


def _is_only_word(column: str, word: Word) -> bool:
    header = split_words(column)
    return len(header) == 1 and is_same_noun(word.folded, header[0].folded)


def list_values(plan: Plan) -> Result | None:
    """Return the number of distinct values and the values, with the first row of each; None if there is none."""
    groups = group_rows(plan, plan.find_rows())
    denied = group_rows(plan, _find_denied_rows(plan))
    groups = {name: group for name, group in groups.items() if name not in denied}
    if not groups:
        return None
    rows = {id(row): row for row, _ in groups.values()}
    return Result(_write_headline(plan, [value for _, value in groups.values()]), tuple(rows.values()))


def _find_denied_rows(plan: Plan) -> Iterator[Row]:
    """Yield the rows that fulfil the conditions, except that they state what the question denies."""
    turned = [each for each in plan.conditions if each.is_negated]
    others = [each for each in plan.conditions if not each.is_negated]
    for row in plan.relation.rows if turned else ():
        if fulfils(row, others) and not fulfils(row, turned):
            yield row


def _write_headline(plan: Plan, values: Sequence[str]) -> Message:
    named = {"column": write_header(plan.distinct), "place": plan.relation.name}
    shown = ", ".join(values)
    if not plan.conditions:
        return plural(
            "{count} value of “{column}” in “{place}”: {values}",
            "{count} different values of “{column}” in “{place}”: {values}",
            len(values),
            values=shown,
            **named,
        )
    return plural(
        "{count} value of “{column}” in “{place}” for {conditions}: {values}",
        "{count} different values of “{column}” in “{place}” for {conditions}: {values}",
        len(values),
        values=shown,
        conditions=name_conditions(plan),
        **named,
    )
