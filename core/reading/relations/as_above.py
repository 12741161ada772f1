"""Cells that stand for the one above them: marks such as "″" and "dito", and empty cells.

An empty cell usually says that there is nothing. It stands for the one above if the page says so ("An empty cell means
the same as above"), or if it is the name of its row: then it continues the rows of a name that was written once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from core.model import Evidence
from core.reading.relations.rows import OWN_COLUMNS, Row
from core.reading.words import IN_CHARGE, fold_words

_MARKS = frozenset(
    ('"', "''", "″", "〃", "”", "“", "„", "dito", "ditto", "asabove", "seeabove", "wieoben", "sieheoben", "s.o")
)
"""Cells in lower case, without spaces and the last full stop."""
_EMPTY = r"(?:empty|blank|leere?[nrs]?)"
_ABOVE = r"(?:above|previous|oben|darüber|vorherige[nrs]?|vorige[nrs]?)"
_ELSE = r"(?:if|unless|see|nobody|none|wenn|falls|siehe|niemand|kein\w*)"
_SAYS_SO = re.compile(
    rf"(?i)\b{_EMPTY}\b(?:(?!\b{_ELSE}\b)[^.;\n]){{0,80}}\b{_ABOVE}\b"
    rf"|\b(?:as|same|wie)\b[^.;\n]{{0,30}}\b{_ABOVE}\b[^.;\n]{{0,30}}\b{_EMPTY}\b"
)
"""In one clause. "Empty cells mean nobody; see the previous version" says something else."""


def fill_cells(rows: Sequence[Row], columns: Sequence[str], says_so: bool) -> Sequence[Row]:
    """Return the rows of a whole table with the cells that they stand for. ``says_so``: whether the page says it."""
    named = columns[0] if columns and columns[0] not in OWN_COLUMNS and _names_groups(rows, columns[0]) else ""
    filled: list[Row] = []
    for row in rows:
        above: Mapping[str, str] = filled[-1].cells if filled else {}
        cells = dict(_fill(row, columns, above, says_so, named))
        filled.append(row if cells == dict(row.cells) else replace(row, cells=cells))
    return filled


def says_same_as_above(evidences: Sequence[Evidence]) -> bool:
    """Whether the text around a table says that its empty cells are as those above."""
    contexts = {each.context for each in evidences}
    return any(_SAYS_SO.search(text) for each in contexts for text in (each.before, each.after))


def _names_groups(rows: Sequence[Row], column: str) -> bool:
    """Whether rows without a name continue those of the name above.

    No name may come twice, and the column may not say who is in charge. Two names have to have such rows, or one has
    several and another name follows, because a single row may have no name at all.
    """
    names = [row.cells.get(column, "").strip() for row in rows]
    named = [at for at, name in enumerate(names) if name]
    is_unique = len({names[at] for at in named}) == len(named) > 1
    if not (named and named[0] == 0 and is_unique) or not IN_CHARGE.isdisjoint(fold_words(column)):
        return False
    sizes = [end - begin - 1 for begin, end in pairwise([*named, len(names)])]
    return sum(size > 0 for size in sizes) > 1 or any(size > 1 for size in sizes[:-1])


def _fill(
    row: Row, columns: Sequence[str], above: Mapping[str, str], says_so: bool, named: str
) -> Iterator[tuple[str, str]]:
    for column in columns:
        cell = row.cells.get(column, "")
        is_empty = not cell.strip() and (says_so or column == named)
        is_mark = "".join(cell.split()).lower().removesuffix(".") in _MARKS
        if column in above and (is_empty or is_mark):
            cell = above[column]
        if column in row.cells or cell:
            yield column, cell
