"""Answers with a number that a cell states: "how many bandages are in the kit" of the row "Bandages | 40".

A count of rows would be 1 there, since the question names a single row. If it names several, as two models of a thing,
their numbers are added. What is counted is named by the header of the
column ("Seats"), or by the row; then the number is in the only column of plain numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.i18n import message
from core.reading.plans.measure import read_measure
from core.reading.plans.plan import Plan
from core.reading.plans.plan_facts import has_unbound_name, names_counted, names_record
from core.reading.questions.limits import is_year
from core.reading.questions.row_question import Operation
from core.reading.relations.relation import Relation
from core.reading.relations.rows import OWN_COLUMNS, Row
from core.reading.results.arithmetic import compute_aggregate
from core.reading.results.cell import names_row
from core.reading.results.result import Result
from core.reading.values import Value, ValueKind, find_quantity, read_column
from core.reading.words import Word, fold_words, has_same_noun, is_same_noun, split_words
from core.text import has_digit, split_subject
from core.wording.quotations import write_header

_FIT = 0.6
_SEATS = frozenset("capacity persons places seats kapazität personen plätze sitzplätze".split())
"""Headers of the number of people that a thing has room for."""
_NUMBERS_OF_THINGS = frozenset("anzahl bestand count menge pieces qty quantity stock stück stückzahl units".split())
"""Headers of how many there are of what a row names."""
_MOST_LEFT = 1  # ordinary word that the table need not have: "how many do we get"

_TIMES = frozenset(["duration", "months"])  # quantities
_RATE = re.compile(
    r"(?i)\b(?:how many|how much|wie ?viele?n?)(?: [^\s?,]+){1,3}? "
    r"(?P<sign>per|pro|je|(?:an?|each|every|jede[nrsm]?)(?= (?:hour|day|night|week|month|quarter|year|stunde|tag|nacht"
    r"|woche|monat|quartal|jahr)\b)) (?P<of>[^\W\d_]+)"
)
_SAME_RATE = (
    ("hour", "stunde", "stündlich"),
    ("day", "dail", "tag", "täglich"),
    ("night", "nacht"),
    ("week", "woche", "wöchentlich"),
    ("month", "monat"),
    ("quarter", "quartal"),
    ("year", "annual", "jahr", "jährlich"),
)
"""Beginnings of words for the same period: "a week", "Weekly hours", "Wochenstunden"."""
_DISTANCE = re.compile(
    r"(?i)\b(?:how many|how much|wie ?viele?n?) (?P<unit>[^\W\d_]+) (?P<sign>before|after|vor|nach)\b(?! ort\b)"
)
"""Of "how many days before the wedding": the days of a wedding are something else."""
_AHEAD = ("before", "vor", "advance", "ahead", "notice", "prior", "lead", "frist")
_AFTER = ("after", "nach", "later")
"""Beginnings of words for the same distance: "Days in advance", "Vorlauf (Tage)"."""


def find_amount(plan: Plan) -> tuple[Plan, Result] | None:
    """Return the cell with the number, and its row; None if the plan does not name exactly one."""
    if plan.relation.kind != "table" or has_unbound_name(plan) or plan.contradicts or plan.lists_values:
        return None
    left = [word for word in plan.unbound if word not in plan.subject]
    is_of_seats = bool(plan.subject) and plan.subject[-1].folded in _SEATS and not left  # whatever the header says
    if len(left) > _MOST_LEFT or (plan.fit < _FIT and not is_of_seats) or _follow_translated_row(left, plan):
        return None
    rows = plan.find_rows()
    if len(rows) > 1:
        return _add_numbers(plan)
    if not rows or not _names_row(plan, rows[0]):
        return None
    column = _find_column(plan, rows[0])
    if not column or _asks_for_relation(plan.question.text, column, rows[0], plan.relation):
        return None
    cell = " ".join(rows[0].cells[column].split())
    names = dict.fromkeys(each.column for each in plan.conditions)
    name = ", ".join(" ".join(rows[0].cells[each].split()) for each in names) or plan.relation.title
    headline = message("{row}, {column}: {value}", row=name, column=write_header(column), value=cell)
    fit = 1.0 if is_of_seats else plan.fit
    return replace(plan, target=column, columns=(column,), fit=fit), Result(headline, (rows[0],))


def _add_numbers(plan: Plan) -> tuple[Plan, Result] | None:
    """Return the sum of the only column that says how many there are of each row, for what several rows are named."""
    columns = [column for column in plan.relation.columns if not _NUMBERS_OF_THINGS.isdisjoint(fold_words(column))]
    if len(columns) != 1 or plan.unbound or not names_counted(plan):
        return None
    measure = read_measure(plan.relation, columns[0])
    question = replace(plan.question, operation=Operation.SUM)
    added = replace(plan, question=question, measure=measure, target=columns[0], columns=(columns[0],), fit=1.0)
    result = compute_aggregate(added)
    return (added, result) if result else None


def _follow_translated_row(left: Sequence[Word], plan: Plan) -> bool:
    """Whether words stand after the name of a row that letters do not bind: it may then be about something else.

    "Hause" of "von zu Hause arbeiten" is no "Moving house", and "Geburt eines Enkels" no "Birth of a child". Words
    before the name tell what is counted: "Tage frei beim Umzug".
    """
    asked = set(fold_words(plan.question.text))
    names = [name for each in plan.conditions for name in fold_words(each.value)]
    if all(has_same_noun(name, asked) for name in names):
        return False
    words = list(plan.question.words)
    begin = next((at for at, word in enumerate(words) if word.folded in names), len(words))
    return any(word in words[begin:] for word in left)


def _asks_for_relation(question: str, column: str, row: Row, relation: Relation) -> bool:
    """Whether the number of another relation is asked for than the column has: "days a week", "days before"."""
    own, _ = split_subject(question)
    named = set(fold_words(f"{column} {relation.context}"))
    if rate := _RATE.search(own):
        of = rate["of"].lower()
        same = next((each for each in _SAME_RATE if of.startswith(each)), ())
        said = named.union(fold_words(" ".join((*row.cells, *row.cells.values()))))
        return not (has_same_noun(of, said) or any(word.startswith(same) for word in said))
    distance = _DISTANCE.search(own)
    if distance is None or find_quantity(distance["unit"]) not in _TIMES:
        return False
    of_sign = _AHEAD if distance["sign"].lower() in _AHEAD else _AFTER
    return not any(word.startswith(of_sign) for word in named)


def _names_row(plan: Plan, row: Row) -> bool:
    if plan.relation.is_record:
        return names_record(plan)
    return names_row(plan, row)


def _find_column(plan: Plan, row: Row) -> str:
    """Return the column with the number of what is counted; "" if that is not one."""
    taken = {condition.column for condition in plan.conditions} | OWN_COLUMNS
    numbers = {
        column: value
        for column in plan.relation.columns
        if column not in taken and column in row.cells and (value := _read_number(plan.relation, column, row))
    }
    counted = plan.subject[-1].folded
    named = [column for column in numbers if any(is_same_noun(counted, word.folded) for word in split_words(column))]
    if not named and counted in _SEATS:
        named = [column for column in numbers if not _SEATS.isdisjoint(fold_words(column))]
    numbered = [column for column in numbers if _list_numbers(column)]
    if len(numbered) > 1 and not all(_list_numbers(column) <= plan.free_numbers for column in named):
        named = [column for column in numbered if _list_numbers(column) <= plan.free_numbers]  # "5 days", "4 days"
    # A number before the thing is its class or position: "9 | Batteries | 800 kg".
    first = min(map(plan.relation.columns.index, taken & {*plan.relation.columns}), default=0)
    plain = [
        column
        for column, value in numbers.items()
        if not find_quantity(value.unit) and not _has_unit(column) and plan.relation.columns.index(column) > first
    ]
    found = named or (plain if names_counted(plan) else [])
    return found[0] if len(found) == 1 else ""


def _list_numbers(column: str) -> set[str]:
    return set(filter(has_digit, fold_words(column)))


def _read_number(relation: Relation, column: str, row: Row) -> Value | None:
    """Return the number in a cell of a column of numbers, None for a year or any other cell."""
    values = read_column([each.cells[column] for each in relation.rows if column in each.cells], relation.language)
    [value] = read_column([row.cells[column]], relation.language)
    numbers = sum(each.kind is ValueKind.NUMBER for each in values)
    is_number = value.kind is ValueKind.NUMBER and not is_year(value) and numbers * 2 > len(values)
    return value if is_number else None


def _has_unit(column: str) -> bool:
    """Whether a header has a unit, so that the column measures: "Price (€)"."""
    return any(find_quantity(word) for word in column.replace("(", " ").replace(")", " ").split())
