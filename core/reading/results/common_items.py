"""What two tables or lists have in common: "which machines were tested with both BIOS and EFI".

The question names each of the two by words of its heading or introduction that the other one lacks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations

from core.i18n import plural
from core.reading.plans.conditions import Condition
from core.reading.plans.plan import Plan
from core.reading.questions.row_question import RowQuestion
from core.reading.relations.marks import is_blank
from core.reading.relations.relation import Relation
from core.reading.relations.rows import ITEM, OWN_COLUMNS, SECTION, Row
from core.reading.results.result import Result
from core.reading.words import EMPTY_WORDS, Word, has_same_noun, list_capitals, split_words

_BOTH = re.compile(
    r"(?i)\bboth (?P<first>[^?]{2,100}?) and (?P<second>[^?]{2,200})"
    r"|\bsowohl (?P<erste>[^?]{2,100}?),? als auch (?P<zweite>[^?]{2,200})"
)
_MOST_RELATIONS = 20  # of the best page
_MOST_ROWS = 200
_MOST_LEFT = 3  # ordinary words, besides those for what is listed, that neither context has


@dataclass(frozen=True, slots=True)
class _Side:
    """A table or list, and the words of its context."""

    relation: Relation
    words: frozenset[str]


def find_common(row_question: RowQuestion, relations: Sequence[Relation]) -> tuple[Plan, Result] | None:
    """Return what is in both of two tables or lists of the best page; None if the question does not name one pair."""
    match = _BOTH.search(row_question.text)
    if (
        match is None
        or not row_question.operation.is_on_rows
        or row_question.negated is not None
        or row_question.bounds
    ):
        return None
    first, second = (
        _read_content(match[name] or match[other]) for name, other in (("first", "erste"), ("second", "zweite"))
    )
    usable = [each for each in relations if each.kind != "sentence" and 0 < len(each.rows) == each.total <= _MOST_ROWS]
    best = min((each.rank for each in usable), default=0)
    sides = [_Side(each, _read_context(each)) for each in usable if each.rank == best][:_MOST_RELATIONS]
    pairs = [pair for pair in permutations(sides, 2) if _is_pair(row_question, first, second, *pair)]
    return _intersect(row_question, *(side.relation for side in pairs[0])) if len(pairs) == 1 else None


def _read_content(text: str) -> list[Word]:
    return [word for word in split_words(text) if word.is_content and word.folded not in EMPTY_WORDS]


def _read_context(relation: Relation) -> frozenset[str]:
    return frozenset(word.folded for word in split_words(relation.context)) | list_capitals(relation.context)


def _is_pair(
    row_question: RowQuestion, first: Sequence[Word], second: Sequence[Word], one: _Side, other: _Side
) -> bool:
    """Whether the words for the first are in the context of one, those for the second begin with a word of the other's.

    The words that tell the two apart have to be in only one of the contexts.
    """
    if not first or not second or one.relation.kind != other.relation.kind or not _find_key(one.relation):
        return False
    if _find_key(one.relation) != _find_key(other.relation):
        return False
    of_one = {word.folded for word in first if _has(one, word) and not _has(other, word)}
    is_second = _has(other, second[0]) and not _has(one, second[0])
    if not of_one or not is_second or not all(_has(one, word) for word in first):
        return False
    ends = {word.folded for word in (*first, second[0])}
    rest = [word for word in row_question.needed if word.folded not in ends and word not in row_question.subject]
    joined = {a.folded + b.folded for a, b in pairwise(row_question.words)}
    shared = (one.words & joined) | (other.words & joined)
    left = [
        word
        for word in rest
        if not (_has(one, word) or _has(other, word)) and not any(word.folded in each for each in shared)
    ]
    only_one = [word for word in rest if word.is_name and _has(one, word) is not _has(other, word)]
    return not only_one and not any(word.is_name for word in left) and len(left) <= _MOST_LEFT


def _has(side: _Side, word: Word) -> bool:
    return has_same_noun(word.folded, side.words)


def _find_key(relation: Relation) -> str:
    """Return the column that names the rows, "" if it has no name."""
    first = relation.columns[0] if relation.columns else ""
    return first if relation.kind == "list" or first not in OWN_COLUMNS else ""


def _intersect(row_question: RowQuestion, one: Relation, other: Relation) -> tuple[Plan, Result] | None:
    column = ITEM if one.kind == "list" else _find_key(one)
    names = tuple(_name(each, rival) for each, rival in ((one, other), (other, one)))
    known = {_fold(row, column): row for row in reversed(other.rows)}
    found = {_fold(row, column): row for row in reversed(one.rows) if not is_blank(row.cells.get(column, ""))}
    common = [name for name in reversed(found) if name in known]
    if not common:
        return None
    rows = tuple(
        replace(row, cells={column: found[name].cells[column]}) for name in common for row in (found[name], known[name])
    )
    conditions = tuple(Condition(SECTION, name, strength=1.0) for name in names)
    both = replace(
        one, columns=(column,), rows=(*one.rows, *other.rows), heading_path=(), total=len(one.rows) + len(other.rows)
    )
    headline = plural(
        "{count} entry is in both “{first}” and “{second}”:",
        "{count} entries are in both “{first}” and “{second}”:",
        len(common),
        first=names[0],
        second=names[1],
    )
    return Plan(row_question, both, (), (), 1.0, (), compared=conditions), Result(headline, rows)


def _name(relation: Relation, rival: Relation) -> str:
    """Return the last heading, or else the introduction, that the other one does not have."""
    own = [name for name in (*relation.heading_path, relation.introduction) if name and name not in rival.context]
    return (own[-1] if own else relation.title).rstrip(":")


def _fold(row: Row, column: str) -> str:
    return " ".join(word.folded for word in split_words(row.cells.get(column, "")))
