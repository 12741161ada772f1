"""Answers that are one cell: the value in a row and column that the question names ("the actual of IT").

The question has to name the row by a whole cell, which no other row has, and the column by all words of its header. If
it names only one of them, its row is quoted instead. Or the items below one that the question has in full.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from core.i18n import message, plural
from core.reading.plans.measure import score_name
from core.reading.plans.plan import Plan
from core.reading.plans.plan_facts import has_unbound_name, is_whole_cell
from core.reading.questions.superlatives import find_measured
from core.reading.relations.marks import is_blank
from core.reading.relations.people import is_person
from core.reading.relations.relation import Relation
from core.reading.relations.rows import ITEM, OWN_COLUMNS, SECTION, Row
from core.reading.results.result import Result, name_conditions
from core.reading.words import VERBS_OF_PRESENCE, Word, fold_words, has_same_noun, split_words
from core.text import has_digit, split_subject
from core.wording.quotations import write_header

_FIT = 0.6
_MOST_LEFT = 1  # ordinary word that the table need not have: "when does it close"
_MOST_CELL_WORDS = 12
_LEAST_COLUMNS = 2  # a table with more has another cell in each row that is no heading
_MOST_LEFT_FOR_CHILDREN = 3  # the item is in the question word for word
_LEAST_CHILDREN = 2
_MOST_HEADER_WORDS = 2  # before a number that names a row
_LEAST_NAME_WORDS = 2  # content words of an item that is named; one may be any word of the question


_IN_BRACKETS = re.compile(r"\([^()]{0,100}\)")
_QUOTED = re.compile(r"[“„\"«‚‘']([^“”„\"«»‚‘’']+)[“”\"»‘’']")
_TITLES = frozenset("dr prof professor mr mrs ms miss herr frau".split())


def find_cell(plan: Plan) -> tuple[Plan, Result] | None:
    """Return the cell with its row; None if the plan does not name exactly one."""
    if plan.relation.kind != "table" or has_unbound_name(plan) or plan.contradicts or plan.lists_values:
        return None
    measured = find_measured(plan.question.text)
    if sum(word.folded not in measured for word in plan.unbound) > _MOST_LEFT or plan.fit < _FIT:
        return None
    rows, column = plan.find_rows(), _find_column(plan)
    if len(rows) != 1 or not column or not names_row(plan, rows[0]):
        return None
    cell = " ".join(rows[0].cells.get(column, "").split())
    names_rows = column == plan.relation.columns[0]
    if len(cell.split()) > _MOST_CELL_WORDS or (is_blank(cell) and (cell or names_rows)):
        return None
    if names_rows:  # the row is asked for, by what its cells have
        headline = message("{result} ({conditions})", result=f"{column}: {cell}", conditions=name_conditions(plan))
        return replace(plan, target=column, columns=(column,)), Result(headline, (rows[0],))
    names = dict.fromkeys(each.column for each in plan.conditions)
    row = ", ".join(_write_name(each, rows[0].cells[each]) for each in names)
    if not cell:
        headline = message("“{row}” has no entry in “{column}”.", row=row, column=write_header(column))
        result = Result(headline, (rows[0],), is_empty=True)
        return (replace(plan, target=column), result) if _may_be_empty(plan, rows[0], column) else None
    headline = message("{row}, {column}: {value}", row=row, column=write_header(column), value=cell)
    return replace(plan, target=column, columns=(column,)), Result(headline, (rows[0],))


def _write_name(column: str, cell: str) -> str:
    """Return a cell that names a row; a bare number with its column's header, if that is short: "Sev 2"."""
    name = " ".join(cell.split())
    is_number = name.isdigit() and column not in OWN_COLUMNS and len(column.split()) <= _MOST_HEADER_WORDS
    return f"{write_header(column)} {name}" if is_number else name


def _may_be_empty(plan: Plan, row: Row, column: str) -> bool:
    """Whether an empty cell says that there is nothing: not in a row that is only a heading, nor among ticks."""
    own = [each for each in plan.relation.columns if each not in OWN_COLUMNS]
    filled = [each for each in own if row.cells.get(each, "").strip()]
    is_heading = len(own) > _LEAST_COLUMNS and len(filled) <= 1
    return not is_heading and any(len(cell.strip()) > 1 for cell in plan.relation.get_cells(column))


def names_row(plan: Plan, row: Row) -> bool:
    """Whether a condition is a whole cell of the row, or all words are bound, and a part of its name stands for it."""
    first = plan.relation.columns[0]
    of_name = [each for each in plan.conditions if each.column == first and not each.limit and not each.is_negated]
    if any(_is_name_before_brackets(each.value, row.cells.get(first, "")) for each in of_name):
        return True
    by_part = not plan.unbound and any(_stands_for_name(each.value, row, plan.relation) for each in of_name)
    return by_part or any(each.limit is None and is_whole_cell(each, [row]) for each in plan.conditions)


def _is_name_before_brackets(part: str, name: str) -> bool:
    """Whether a part is all of a name but what explains it in brackets: "Goods in" of "Goods in (gate 2)"."""
    return fold_words(part) == fold_words(_IN_BRACKETS.sub(" ", name))


def _stands_for_name(part: str, row: Row, relation: Relation) -> bool:
    """Whether a part of a row's name is enough: "a Lapwing" of “Class 231 "Lapwing"”, but not "Pro" of "Pro Max".

    It is enough if it is in quotation marks or the last word, or if all other words are in quotation marks or brackets,
    numbers, titles or a noun for the rows. A person is named by any word of the name.
    """
    first = relation.columns[0]
    name = row.cells.get(first, "")
    words, said = split_words(name), set(fold_words(part))
    if not said or not said <= set(fold_words(name)):
        return False
    nouns = fold_words(" ".join((first, relation.title, *relation.heading_path)))
    outside = _IN_BRACKETS.sub(" ", _QUOTED.sub(" ", name))
    others = (word for word in split_words(outside) if word.folded not in said and word.is_content)
    is_last = words[-1].folded in said or said <= set(fold_words(" ".join(_QUOTED.findall(name))))
    is_rest = all(
        has_digit(word.text) or word.folded in _TITLES or has_same_noun(word.folded, nouns) for word in others
    )
    return is_last or is_rest or is_person(row, first)


def _find_column(plan: Plan) -> str:
    """Return the column whose header the question has in full, of several the longest; "" if that is not one.

    A follow-up names it by its own words, or asks for the same column of another row ("and of Berlin?").
    """
    of_title = _find_words_of_title(plan)
    asked_words = [word for word in plan.question.words if word.is_content and word.folded not in of_title]
    own, subject = split_subject(plan.question.text)
    said = set(fold_words(own)) if subject else {word.folded for word in asked_words}
    if column := _find_named_column(plan, [word for word in asked_words if word.folded in said]):
        return column
    of_rows = {name for each in plan.conditions for name in fold_words(each.value)}
    is_same = subject and all(word.folded in of_rows for word in split_words(own) if word.is_content)
    return _find_named_column(plan, asked_words) if is_same else ""


def _find_named_column(plan: Plan, asked_words: Sequence[Word]) -> str:
    taken = {each.column for each in plan.conditions}
    said = {word.folded for word in asked_words}
    scores = {
        column: score_name(column, asked_words)
        for column in plan.relation.columns
        if column not in taken
        and column not in OWN_COLUMNS
        and all(word.folded in said for word in split_words(column) if word.is_name)
    }
    best = max(scores.values(), default=0.0)
    named = [column for column, score in scores.items() if score == best]
    if best < 1:  # "how long does it take" of a column "Duration"
        measured = find_measured(plan.question.text)
        if _asks_for_other_measure(plan, measured):
            return ""
        named = [column for column in scores if not measured.isdisjoint(fold_words(column))]
    return named[0] if len(named) == 1 else ""


def _asks_for_other_measure(plan: Plan, measured: Set[str]) -> bool:
    """Whether a word may change what is measured: "how much is the course discounted", "how much was it used".

    Words that completion took from the question before do not count.
    """
    own = set(fold_words(split_subject(plan.question.text)[0]))
    bound = {name for each in plan.conditions for name in fold_words(each.value)}
    known = measured | bound | set(fold_words(plan.relation.context))
    left = {word.folded for word in plan.question.words if word in plan.unbound or word.folded in VERBS_OF_PRESENCE}
    return not left & own <= known


def _find_words_of_title(plan: Plan) -> set[str]:
    """Return the words that only the title in brackets has, which completion added: it names no column."""
    own, subject = split_subject(plan.question.text)
    return set(fold_words(subject)).intersection(fold_words(plan.relation.title)).difference(fold_words(own))


def find_children(plan: Plan) -> tuple[Plan, Result] | None:
    """Return the items that are nested in the item of a list that the question has in full; None if it has none."""
    rows = plan.find_rows()
    if plan.relation.kind != "list" or has_unbound_name(plan) or plan.fit < _FIT:
        return None
    if len(plan.unbound) > _MOST_LEFT_FOR_CHILDREN:
        return None
    if len(plan.conditions) != 1 or plan.conditions[0].column != SECTION or len(rows) < _LEAST_CHILDREN:
        return None
    [above, *others] = {row.cells[SECTION] for row in rows}
    item = above.rpartition(" > ")[2]
    said = [word.folded for word in split_words(plan.conditions[0].value)]
    is_whole = [word.folded for word in split_words(item)] == said
    if others or not is_whole or sum(word.is_content for word in split_words(item)) < _LEAST_NAME_WORDS:
        return None
    name = item.rstrip(" .:;,")
    headline = plural("{count} entry in “{place}”:", "{count} entries in “{place}”:", len(rows), place=name)
    return plan, Result(headline, tuple(replace(row, cells={ITEM: row.cells[ITEM]}) for row in rows))
