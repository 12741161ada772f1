"""Compares two lists of a page: the items that only one of them has, as in "what changed from 4.0.0 to 5.0.0"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from core.i18n import message, plural
from core.languages import detect_language
from core.reading.plans.conditions import Condition
from core.reading.plans.plan import Plan
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.relations.relation import Relation
from core.reading.relations.rows import ITEM, SECTION, Row
from core.reading.results.result import Result
from core.reading.words import Word, is_same_noun, split_words

_MOST_ITEMS = 40  # of a list that can be compared by reading
_MOST_LISTS = 24


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two lists of a page, with the names by which the question distinguishes them, in its order."""

    one: Relation
    other: Relation
    names: tuple[str, str]


def compare_lists(row_question: RowQuestion, relations: Sequence[Relation]) -> tuple[Plan, Result] | None:
    """Return the items that only one of two lists has; None unless the question names exactly two of the best page.

    The question names each list by words of its headings and introduction that the other lacks. Items with other words
    are different items.
    """
    if row_question.operation is not Operation.COMPARE:
        return None
    lists = [each for each in relations if each.kind == "list" and 0 < len(each.rows) == each.total <= _MOST_ITEMS]
    best = min((each.rank for each in lists), default=0)
    of_page = [each for each in lists if each.rank == best][:_MOST_LISTS]
    pairs = [pair for one, other in combinations(of_page, 2) if (pair := _find_pair(row_question, one, other))]
    return _conclude(row_question, pairs[0]) if len(pairs) == 1 else None


def _find_pair(row_question: RowQuestion, one: Relation, other: Relation) -> _Pair | None:
    """Return the pair if each list has a name of the question that the other lacks, and both have all its words."""
    said = [split_words(each.context) for each in (one, other)]
    folded = [{word.folded for word in words} for words in said]
    named = [
        [word for word in row_question.needed if word.folded in own and word.folded not in others]
        for own, others in (folded, folded[::-1])
    ]
    if not all(any(word.is_name for word in words) for words in named):
        return None
    left = [
        word
        for word in row_question.needed
        if not any(is_same_noun(word.folded, known) for known in folded[0] | folded[1])
    ]
    written = detect_language(" ".join((one.context, *(row.cells[ITEM] for row in one.rows))))
    if any(word.is_name for word in left) or len(left) > (1 if written != row_question.language else 0):
        return None
    first, second = (next(row_question.words.index(word) for word in words) for words in named)
    pair = _Pair(one, other, (_name_list(one, named[0]), _name_list(other, named[1])))
    return pair if first <= second else _Pair(other, one, pair.names[::-1])


def _name_list(relation: Relation, named: Sequence[Word]) -> str:
    """Return the heading or introduction by which the question names a list."""
    words = {word.folded for word in named}
    own = [
        name
        for name in (*relation.heading_path, relation.introduction)
        if not words.isdisjoint(word.folded for word in split_words(name))
    ]
    return own[-1].rstrip(":") if own else relation.title


def _conclude(row_question: RowQuestion, pair: _Pair) -> tuple[Plan, Result]:
    known = [{_fold(row) for row in each.rows} for each in (pair.one, pair.other)]
    rows = tuple(
        replace(row, cells={SECTION: name, ITEM: row.cells[ITEM]})
        for each, name, others in zip((pair.one, pair.other), pair.names, known[::-1], strict=True)
        for row in _find_others(each.rows, others)
    )
    first, second = pair.names
    conditions = tuple(Condition(SECTION, name, strength=1.0) for name in pair.names)
    both = replace(pair.one, columns=(SECTION, ITEM), rows=(*pair.one.rows, *pair.other.rows), heading_path=())
    plan = Plan(row_question, both, (), (), 1.0, (), compared=conditions)
    if not rows:
        return plan, Result(message("“{first}” and “{second}” have the same entries.", first=first, second=second), ())
    headline = plural(
        "“{first}” and “{second}” have {count} entry in common and differ in these:",
        "“{first}” and “{second}” have {count} entries in common and differ in these:",
        len(known[0] & known[1]),
        first=first,
        second=second,
    )
    return plan, Result(headline, rows)


def _find_others(rows: Sequence[Row], known: set[str]) -> Iterator[Row]:
    return (row for row in rows if _fold(row) not in known)


def _fold(row: Row) -> str:
    return " ".join(word.folded for word in split_words(row.cells[ITEM]))
