"""Two lists that are compared: what only one of them has, as between the release notes of two versions.

The question names each list by what the other's headings and introduction lack: "what changed from 4.0.0 to 5.0.0".
Nothing is said about why: an entry that reads otherwise is another entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from core.i18n import message, plural
from core.languages import detect_language
from core.reading.conditions import Condition
from core.reading.plan import Plan
from core.reading.question import Operation, RowQuestion
from core.reading.relation import ITEM, SECTION, Relation, Row
from core.reading.result import Result
from core.reading.words import Word, is_same_noun, words_of

_MOST_ENTRIES = 40  # of a list that can be read beside another
_MOST_LISTS = 24


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two lists of a page, with the names by which the question tells them apart, in its order."""

    one: Relation
    other: Relation
    names: tuple[str, str]


def compare_lists(asked: RowQuestion, relations: Sequence[Relation]) -> tuple[Plan, Result] | None:
    """What the two lists of the best page that a question names have not in common; None where not exactly two are."""
    if asked.operation is not Operation.COMPARE:
        return None
    lists = [each for each in relations if each.kind == "list" and 0 < len(each.rows) == each.total <= _MOST_ENTRIES]
    best = min((each.rank for each in lists), default=0)
    of_page = [each for each in lists if each.rank == best][:_MOST_LISTS]
    pairs = [pair for one, other in combinations(of_page, 2) if (pair := _pair(asked, one, other))]
    return _conclude(asked, pairs[0]) if len(pairs) == 1 else None


def _pair(asked: RowQuestion, one: Relation, other: Relation) -> _Pair | None:
    """The two lists, if each has a name of the question that the other lacks, and both together have all its words."""
    said = [words_of(each.place) for each in (one, other)]
    folded = [{word.folded for word in words} for words in said]
    named = [
        [word for word in asked.needed if word.folded in own and word.folded not in others]
        for own, others in (folded, folded[::-1])
    ]
    if not all(any(word.is_name for word in words) for words in named):
        return None
    left = [
        word for word in asked.needed if not any(is_same_noun(word.folded, known) for known in folded[0] | folded[1])
    ]
    written = detect_language(" ".join((one.place, *(row.cells[ITEM] for row in one.rows))))
    if any(word.is_name for word in left) or len(left) > (1 if written != asked.language else 0):
        return None
    first, second = (next(asked.words.index(word) for word in words) for words in named)
    pair = _Pair(one, other, (_name(one, named[0]), _name(other, named[1])))
    return pair if first <= second else _Pair(other, one, pair.names[::-1])


def _name(relation: Relation, named: Sequence[Word]) -> str:
    """The heading or introduction by which the question names a list."""
    words = {word.folded for word in named}
    own = [
        name
        for name in (*relation.heading_path, relation.introduction)
        if not words.isdisjoint(word.folded for word in words_of(name))
    ]
    return own[-1].rstrip(":") if own else relation.title


def _conclude(asked: RowQuestion, pair: _Pair) -> tuple[Plan, Result]:
    known = [{_fold(row) for row in each.rows} for each in (pair.one, pair.other)]
    rows = tuple(
        replace(row, cells={SECTION: name, ITEM: row.cells[ITEM]})
        for each, name, others in zip((pair.one, pair.other), pair.names, known[::-1], strict=True)
        for row in _find_others(each.rows, others)
    )
    first, second = pair.names
    conditions = tuple(Condition(SECTION, name, strength=1.0) for name in pair.names)
    both = replace(pair.one, columns=(SECTION, ITEM), rows=(*pair.one.rows, *pair.other.rows), heading_path=())
    plan = Plan(asked, both, (), (), 1.0, (), alternatives=conditions)
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
    return " ".join(word.folded for word in words_of(row.cells[ITEM]))
