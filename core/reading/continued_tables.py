"""Joins tables that continue each other: on pages such as "Incident log Q3" and "Q4", or below one caption.

They have the same columns, and no two rows begin with the same cell: tables that repeat their rows are versions or
comparisons of each other. Pages that differ in a year are versions, too, of which the newer one is meant.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from core.evidence.dates import MONTHS
from core.reading.question import RowQuestion
from core.reading.relation import Relation
from core.reading.rows import VALUE
from core.reading.words import fold_words

_PART = re.compile(r"\d{1,3}|q[1-4]|h[12]|[a-z]|[ivx]{1,4}")
_OF_PARTS = frozenset("part teil page seite continued fortsetzung quarter quartal".split()) | frozenset(  # noqa: SIM905
    fold_words(" ".join(MONTHS))
)
_LEAST_COLUMNS = 2
_MOST_PAGES = 6


def join_continued_tables(question: RowQuestion, relations: Iterable[Relation]) -> list[Relation]:
    """Return one relation for each table that several tables make up, unless the question names one of them."""
    alike: dict[tuple[object, ...], list[Relation]] = defaultdict(list)
    for relation in relations:
        if relation.kind == "table" and not relation.is_record and len(relation.columns) >= _LEAST_COLUMNS:
            alike[(relation.columns, relation.heading_path, _leave_out_part(relation.title))].append(relation)
    groups = (group for group in alike.values() if 1 < len(group) <= _MOST_PAGES)
    asked_words = {word.folded for word in question.words}
    return [_join(group) for group in groups if _is_continued(group) and asked_words.isdisjoint(_find_parts(group))]


def _leave_out_part(title: str) -> tuple[str, ...]:
    """Return the words of a title without those that say which part it is."""
    return tuple(word for word in fold_words(title) if not _is_part(word))


def _is_part(word: str) -> bool:
    return bool(_PART.fullmatch(word)) or word in _OF_PARTS


def _find_parts(group: Sequence[Relation]) -> set[str]:
    """Return the words of the titles that not all of them have."""
    words = [set(fold_words(each.title)) for each in group]
    return {word for each in words for word in each if not all(word in other for other in words)}


def _is_continued(group: Sequence[Relation]) -> bool:
    """Whether tables are of different pages, or below one caption, and no row is in two of them."""
    of_pages = len({each.page_id for each in group}) == len(group) and len({each.title for each in group}) == len(group)
    below_one = len({(each.page_id, each.introduction) for each in group}) == 1 and bool(group[0].introduction)
    first = [cell.strip() for cell in chain.from_iterable(_list_first_cells(each) for each in group)]
    return (of_pages or below_one) and all(first) and len(set(first)) == len(first)


def _list_first_cells(relation: Relation) -> Iterator[str]:
    column = next((each for each in relation.columns if each != VALUE), relation.columns[0])
    yield from relation.get_cells(column)


def _join(group: Sequence[Relation]) -> Relation:
    titles = dict.fromkeys(each.title for each in sorted(group, key=lambda each: each.title))
    return replace(
        group[0],
        title=", ".join(titles),
        rows=tuple(row for each in sorted(group, key=lambda each: each.title) for row in each.rows),
        total=sum(each.total for each in group),
        rank=min(each.rank for each in group),
        all_rows=(),
        is_continued=True,
    )
