"""Answers with a number that a cell states: "how many bandages are in the kit" of the row "Bandages | 40".

A count of rows would be 1 there, since the question names a single row. If it names several, as two models of a thing,
their numbers are added. What is counted is named by the header of the
column ("Seats"), or by the row; then the number is in the only column of plain numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from core.i18n import message
from core.reading.plans.conditions import Condition
from core.reading.plans.plan import Plan
from core.reading.plans.plan_facts import has_unbound_name, names_counted, names_record
from core.reading.questions.limits import Comparison, is_year
from core.reading.relations.relation import Relation
from core.reading.relations.rows import OWN_COLUMNS, Row
from core.reading.relations.totals import is_total_word
from core.reading.results.arithmetic import describe_sum
from core.reading.results.cell import names_row
from core.reading.results.result import Result
from core.reading.values import Value, ValueKind, find_quantity, read_column, write_number
from core.reading.words import PREPOSITIONS, Word, fold_words, has_same_noun, is_same_noun, split_words
from core.text import has_digit, split_subject
from core.wording.quotations import write_header

_FIT = 0.6
_SEATS = frozenset("capacity persons places seats kapazität personen plätze sitzplätze".split())
"""Headers of the number of people that a thing has room for."""
_NUMBERS = frozenset("anzahl bestand count menge number pieces qty quantity stückzahl".split())
"""Headers of how many there are of what a row names."""
_HOW_MANY = frozenset(
    """a all altogether an and are at available do es exist for from gab gibt got haben hat have here how i im in
    insgesamt is lager many of on our overall own owned sind stock sum the there total und us uns unser unsere unserem
    auf bei das dem den der die viel viele vom von vorhanden vorrätig we wie wir zu zur""".split()
)
"""Words of a question for how many there are of a thing, besides the thing."""
_IN_BRACKETS = re.compile(r"\([^()]{0,40}\)")
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
    if len(rows) != 1 or not _names_row(plan, rows[0]):
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


def find_sum(plan: Plan) -> tuple[Plan, Result] | None:
    """Return how many there are of a thing that several rows name, as the sum of the only column that says so; or None.

    The question has no other words than the thing, those of the context, and "do we have" or the like: a word that
    selects rows, or asks for kinds, allows no sum. Each row has to name the thing and something more: "Tester BT-48".
    """
    relation, thing = plan.relation, plan.subject
    columns = [column for column in relation.columns if _IN_BRACKETS.sub("", column).strip().lower() in _NUMBERS]
    if relation.kind != "table" or relation.is_record or len(relation.rows) < relation.total or len(columns) != 1:
        return None
    if not thing or not _asks_only_how_many(plan):
        return None
    kinds = {
        column: [row for row in relation.rows if _names_kind(thing, row.cells.get(column, ""))]
        for column in relation.columns
    }
    named, rows = max(kinds.items(), key=lambda each: len(each[1]))
    if len(rows) <= 1:
        return None
    values = [_read_number(relation, columns[0], row) if columns[0] in row.cells else None for row in rows]
    if not all(value and not find_quantity(value.unit) for value in values):
        return None
    written = " ".join(word.text for word in thing)
    condition = Condition(named, written, Comparison.HAS, strength=1.0)
    total = sum((value.key[0] for value in values if value), Decimal(0))
    headline = describe_sum(plan, columns[0], len(rows), write_number(total, "", plan.question.language))
    added = replace(plan, conditions=(condition,), target=columns[0], columns=(columns[0],), fit=1.0, unbound=())
    return added, Result(message("{result} ({conditions})", result=headline, conditions=written), tuple(rows))


def _asks_only_how_many(plan: Plan) -> bool:
    """Whether a question has no word but those for the thing, of the context, and for being there."""
    own, _ = split_subject(plan.question.text)
    words = [word.folded for word in split_words(own)]
    thing = {word.folded for word in plan.subject}
    context = set(fold_words(plan.relation.context))
    return all(word in _HOW_MANY or word in thing or word in context for word in words)


def _names_kind(thing: Sequence[Word], cell: str) -> bool:
    """Whether a cell is the name of a kind of the thing: "Battery tester BT-48", but not "Tester" or "Tester case"."""
    words = split_words(cell)
    end = next((at for at, word in enumerate(words) if word.is_name or word.folded in PREPOSITIONS), len(words))
    head = words[max(end - len(thing), 0) : end]
    is_same = len(head) == len(thing) and all(
        is_same_noun(asked.folded, word.folded) for asked, word in zip(thing, head, strict=True)
    )
    return is_same and len(words) > len(thing) and not any(is_total_word(word.folded) for word in words)


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
        seats = (column for column in numbers if not _SEATS.isdisjoint(fold_words(column)))
        named = [column for column in seats if not find_quantity(numbers[column].unit) and not _has_unit(column)]
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
