"""The rows of tables and lists: named cells, each with its evidence and the part of it.

The pieces of a table or list that was split into several evidences are read in their order. Row headers become a
column, and columns that are repeated side by side become rows.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from core.model import RankedEvidence, Structure

ITEM = "item"
"""The column of a list's items."""
VALUE = "value"
"""A column without a header."""
SECTION = "section"
"""The column of a row's section, or of the items that an item is nested in."""
DONE = "done"
"""The column of a task's state, ``yes`` or ``no``."""
PAGE = "page"
"""The column of the title and headings over a row, in joined tables (``join_similar_tables``)."""

OWN_COLUMNS = frozenset({ITEM, VALUE, SECTION, DONE, PAGE})
"""Columns that no page has under this name."""

_MATRIX_ROWS = 2
_BETWEEN_HEADERS = " / "  # of the columns that a cell is across
_SECOND, _REPEATED, _LEAST_WIDTH = " (2)", re.compile(r" \([0-9]{1,2}\)$"), 2
CHECKBOXES = {"[x]": "yes", "[ ]": "no"}
"""The markers of tasks, with the values of the column DONE."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row. ``cells``: column to value; ``part``: index of the first part of the evidence that is this row.

    ``more``: further parts with their evidences, if the row is made from several.
    """

    cells: Mapping[str, str]
    ranked: RankedEvidence
    part: int
    depth: int = 0
    more: tuple[tuple[RankedEvidence, int], ...] = ()

    @property
    def sources(self) -> Sequence[tuple[RankedEvidence, int]]:
        """The parts of evidences that it is made from."""
        return ((self.ranked, self.part), *self.more)


def read_rows(pieces: Sequence[tuple[RankedEvidence, Structure]]) -> Iterator[Row]:
    """Read the rows of a table's pieces, in the order of the table."""
    cells: dict[int, dict[str, str]] = defaultdict(dict)
    first: dict[int, tuple[RankedEvidence, int]] = {}
    for ranked, structure in pieces:
        for part, (number, section, pairs) in enumerate(
            zip(structure.numbers, structure.labels, ranked.evidence.rows, strict=False)
        ):
            if number in first and first[number][0].evidence.kind == "table" != ranked.evidence.kind:
                continue  # the evidence of the row repeats the table
            first.setdefault(number, (ranked, part))
            own = cells[number]
            if section:
                own.setdefault(SECTION, section)
            for name, value in _name_cells(pairs):
                own[name] = f"{own[name]} {value}" if name in own and own[name] != value else value
    for number in sorted(cells):
        yield Row(cells[number], *first[number])


def split_row_headers(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the rows of a table with headers on both sides with the row's header in a column of its own.

    The cells of such a table are named "row, column". Other rows are returned unchanged.
    """
    names = [_find_row_header(row) for row in rows]
    pairs = zip(rows, names, strict=True)
    things = {thing for row, name in pairs if name for thing in _remove_beginning(row.cells, f"{name}, ")}
    names = [name or _find_header_of_cell(row, things) for row, name in zip(rows, names, strict=True)]
    if len(rows) < _MATRIX_ROWS or not all(names) or len(set(names)) < len(rows):
        return rows
    pairs = zip(rows, names, strict=True)
    split = fill_merged_cells(
        [replace(row, cells={VALUE: name, **_remove_beginning(row.cells, f"{name}, ")}) for row, name in pairs]
    )
    counts = Counter(column for row in split for column in row.cells)
    return split if sum(count * 2 > len(rows) for count in counts.values()) > _MATRIX_ROWS else rows


def _remove_beginning(cells: Mapping[str, str], beginning: str) -> dict[str, str]:
    return {name.removeprefix(beginning): cell for name, cell in cells.items() if name.startswith(beginning)}


def _find_header_of_cell(row: Row, things: Set[str]) -> str:
    """Return the row's header of a row with one cell, across columns that other rows have, or with none; else ""."""
    if len(row.cells) != 1:
        return ""
    [(name, cell)] = row.cells.items()
    if name == VALUE:
        return cell  # extraction stores the header of an empty row so
    header, _, columns = name.rpartition(", ")
    return header if things >= {*columns.split(_BETWEEN_HEADERS)} else ""


def fill_merged_cells(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the rows with a cell across several columns in each of them: "staging / prod" in "staging" and "prod".

    A column of this name is one of its own if a row has a cell in it and in one of the others: "Adult / Child".
    """
    columns = dict.fromkeys(name for row in rows for name in row.cells)
    split = ((name, name.split(_BETWEEN_HEADERS)) for name in columns if _BETWEEN_HEADERS in name)
    across = {
        name: parts
        for name, parts in split
        if columns.keys() >= {*parts}
        and not any(name in row.cells and not row.cells.keys().isdisjoint(parts) for row in rows)
    }
    return [replace(row, cells=_fill_columns(row.cells, across)) for row in rows] if across else rows


def _fill_columns(cells: Mapping[str, str], across: Mapping[str, Sequence[str]]) -> dict[str, str]:
    spread: dict[str, str] = {}
    for name, cell in cells.items():
        spread.update(dict.fromkeys(across.get(name, (name,)), cell))
    return spread


def stack_repetitions(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the rows of a table that repeats its columns side by side as one row for each repetition.

    "Default part, Y/N, Optional part, Y/N" is a row of the section "Default part", and one of the section "Optional
    part", with the columns "part" and "Y/N".
    """
    columns = list(dict.fromkeys(name for row in rows for name in row.cells))
    second = next((at for at, name in enumerate(columns) if name.endswith(_SECOND)), 0)
    first = columns[second].removesuffix(_SECOND) if second else ""
    width = second - columns.index(first) if first in columns else 0
    if width < _LEAST_WIDTH or len(columns) % width or not OWN_COLUMNS.isdisjoint(columns):
        return rows
    groups = [columns[at : at + width] for at in range(0, len(columns), width)]
    names = [[_REPEATED.sub("", name) for name in group] for group in groups]
    if any(each[1:] != names[0][1:] for each in names):
        return rows
    sections = [each[0] for each in names]
    first_name = _find_shared_ending(sections)
    stacked: list[Row] = []
    for row in rows:
        for group, section in zip(groups, sections, strict=True):
            pairs = zip(group, [first_name, *names[0][1:]], strict=True)
            cells = {name: row.cells[column] for column, name in pairs if column in row.cells}
            named = {SECTION: section} if section != first_name else {}
            stacked += [replace(row, cells={**named, **cells})] if cells else []
    return stacked


def _find_shared_ending(names: Sequence[str]) -> str:
    """Return the last words that names share: "part" of "Default part" and "Optional part"; else VALUE."""
    split = [name.split() for name in names]
    size = next((at for at in range(1, min(map(len, split)) + 1) if len({tuple(each[-at:]) for each in split}) > 1), 0)
    shared = split[0][-(size - 1) :] if size > 1 else split[0] if not size else []
    return " ".join(shared) or VALUE


def _find_row_header(row: Row) -> str:
    """Return the beginning up to a comma that the names of all cells of a row share; "" if they differ."""
    columns = list(row.cells)
    if len(columns) < _MATRIX_ROWS or SECTION in columns:
        return ""
    first, last = min(columns), max(columns)  # their common beginning is that of all
    shared = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:shared].rpartition(", ")[0]


def _name_cells(pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the cells with distinct names: the second column "P/F" is "P/F (2)"."""
    seen: Counter[str] = Counter()
    for header, value in pairs:
        name = header or VALUE
        seen[name] += 1
        yield (name if seen[name] == 1 else f"{name} ({seen[name]})"), value


def read_items(pieces: Sequence[tuple[RankedEvidence, Structure]]) -> Iterator[Row]:
    """Read the items of a list's pieces, each with the items that it is nested in as its section."""
    above: list[tuple[int, str]] = []
    done = set[int]()
    # The evidence may have fewer parts than the structure, if an instruction to a model was removed.
    for ranked, structure in pieces:
        own = zip(structure.numbers, structure.depths, structure.labels, ranked.evidence.parts, strict=False)
        for part, (number, depth, marker, text) in enumerate(own):
            if number in done:
                continue  # a later piece of a long item
            done.add(number)
            item = text.lstrip(" ").removeprefix(marker).lstrip()
            while above and above[-1][0] >= depth:
                above.pop()
            cells = {ITEM: item}
            if marker in CHECKBOXES:
                cells[DONE] = CHECKBOXES[marker]
            if above:
                cells[SECTION] = " > ".join(name for _, name in above)
            yield Row(cells, ranked, part, depth)
            above.append((depth, item))
