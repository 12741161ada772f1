"""Joins tables that continue each other.

They are on pages such as "Incident log Q3" and "Q4", below one caption, or below headings of one series beside each
other on one page: the courses of January, those of February, but not what is approved and what is rejected. They have
the same columns, and no two rows begin with the same cell: tables that repeat their rows are versions or comparisons of
each other. What differs in a year is a version, too, of which the newer one is meant.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import chain

from core.dates import MONTHS
from core.reading.questions.row_question import RowQuestion
from core.reading.relations.relation import Relation
from core.reading.relations.rows import SECTION, VALUE
from core.reading.words import fold_words, has_same_noun

_MONTHS = frozenset(fold_words(" ".join(MONTHS)))
_PART = re.compile(r"\d{1,3}|q[1-4]|h[12]|[a-z]|[ivx]{1,4}")
_OF_PARTS = frozenset("part teil page seite continued fortsetzung quarter quartal".split()) | _MONTHS
_WEEKDAYS = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag
    sonnabend sonntag""".split()
)
_SERIES = tuple(map(re.compile, (r"\d{1,3}", "q[1-4]", "h[12]", r"(?:kw|cw|w)\d{1,2}", "[a-z]", "[ivx]{1,4}")))
"""Numbers of parts, quarters, halves of years, weeks, letters and Roman numbers."""
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
    joined = [_join(group) for group in groups if _is_continued(group) and asked_words.isdisjoint(_find_parts(group))]
    by_section = (_join_sections(group, asked_words) for group in _group_sections(chain.from_iterable(alike.values())))
    return [*joined, *(each for each in by_section if each)]


def _group_sections(relations: Iterable[Relation]) -> Iterable[Sequence[Relation]]:
    """Return the tables of each page that have the same columns below headings beside each other."""
    beside: dict[tuple[object, ...], list[Relation]] = defaultdict(list)
    for relation in relations:
        if relation.heading_path and SECTION not in relation.columns:
            beside[relation.page_id, relation.columns, relation.heading_path[:-1]].append(relation)
    return (group for group in beside.values() if len(group) > 1)


def _join_sections(group: Sequence[Relation], asked_words: set[str]) -> Relation | None:
    """Return the rows of all sections with their headings; None if they are no series, or the question names one."""
    headings = [set(fold_words(each.heading_path[-1])) for each in group]
    differing = [heading - headings[0].intersection(*headings) for heading in headings]
    parts = set[str]().union(*differing)
    if len({each.heading_path for each in group}) < len(group) or not _are_apart(group):
        return None
    if not all(differing) or not _are_of_series(parts):
        return None
    if any(has_same_noun(word, parts) for word in asked_words):
        return None
    rows = (
        replace(row, cells={SECTION: each.heading_path[-1], **row.cells})
        for each in sorted(group, key=lambda each: each.rows[0].ranked.evidence.ordinal if each.rows else 0)
        for row in each.rows
    )
    return replace(
        _join(group), heading_path=group[0].heading_path[:-1], columns=(*group[0].columns, SECTION), rows=tuple(rows)
    )


def _are_of_series(parts: Set[str]) -> bool:
    """Whether the words by which headings differ are of one series, such as months. Others may be opposite states."""
    in_series = any(all(each.fullmatch(word) for word in parts) for each in _SERIES)
    return in_series or parts <= _MONTHS or parts <= _WEEKDAYS


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
    return (of_pages or below_one) and _are_apart(group)


def _are_apart(group: Sequence[Relation]) -> bool:
    """Whether no two rows begin with the same cell."""
    first = [cell.strip() for cell in chain.from_iterable(_list_first_cells(each) for each in group)]
    return all(first) and len(set(first)) == len(first)


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
