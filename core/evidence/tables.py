"""Turns tables into rows of (header, value) pairs: resolves spans and finds headers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from itertools import takewhile

from core.evidence.blocks import Cell, Table
from core.evidence.budget import Budget

_HEADER_WORDS = 6  # a first row with longer cells is data
_LABEL_CHARS = 120  # longer texts are no labels, even in a <th>, because every row's text repeats its labels
_HEADER_ROWS = 4
_LABEL_COLUMNS = 3
_CODE = re.compile(r"[^\W_]+(?:[_./-][^\W_]+)+")
_CODE_PARTS = re.compile(r"[_./-]")
_DATA = re.compile(r"[@/\\]|://|^[\d\W²³¹⁰-₉]+$")  # addresses, paths and numbers are not labels
_EMPTY = Cell("")
_PAIR = 2


@dataclass(frozen=True, slots=True)
class TableRow:
    """A data row."""

    number: int  # from 1
    cells: tuple[tuple[str, str], ...]  # (header, value) pairs
    section: str = ""


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table with resolved headers."""

    number: int  # on its page, from 1
    headers: tuple[str, ...]
    rows: tuple[TableRow, ...]
    caption: str = ""


Grid = list[list[Cell]]
"""Rows of equal length. A cell with spans is the same object at each position that it covers."""


def resolve_table(table: Table, number: int, budget: Budget) -> DataTable:
    """Resolve a table's header rows (joined as "A > B"), header columns, section rows and repeated headers."""
    grid = _split_pairs(resolve_spans(table, budget))
    header_rows = _find_header_rows(grid, table.head_rows)
    found = list(_read_data_rows(grid, header_rows)) or [((("", cell.text),), "") for cell in _list_filled_cells(grid)]
    rows = tuple(TableRow(index, pairs, section) for index, (pairs, section) in enumerate(found, start=1))
    used = dict.fromkeys(header for row in rows for header, _ in row.cells)
    return DataTable(number, tuple(used), rows, table.caption)


Pairs = tuple[tuple[str, str], ...]


def _read_data_rows(grid: Grid, header_rows: set[int]) -> Iterator[tuple[Pairs, str]]:
    """Yield the pairs and the section of each data row. A section without rows becomes a row."""
    headers = _list_column_headers(grid, header_rows)
    label_columns = _label_columns(grid, header_rows)
    has_data = any(cell.text and not cell.header for row in grid for cell in row)
    section, waiting = "", False
    for index, cells in enumerate(grid):
        if index in header_rows or _repeats(grid, index):
            continue
        title = _find_title(cells) if header_rows and index < min(header_rows) else ""
        if title or _is_section(cells):
            if waiting:
                yield (("", section),), ""
            section, waiting = title or cells[0].text, True
        elif has_data and header_rows and index > max(header_rows) and _is_header_row(cells):
            headers = tuple(cell.text.rstrip(":") for cell in cells)
        elif _is_note(cells):
            yield (("", cells[0].text),), section
            waiting = False
        elif pairs := _pair_cells(cells, headers, label_columns):
            yield pairs, section
            waiting = False
    if waiting:
        yield (("", section),), ""


def _repeats(grid: Grid, index: int) -> bool:
    """Whether a row has no cell of its own, because cells above span all of it."""
    return index > 0 and all(
        cell is above or not cell.text for cell, above in zip(grid[index], grid[index - 1], strict=True)
    )


def _list_filled_cells(grid: Grid) -> list[Cell]:
    """Return every filled cell once, for tables that consist of headers only."""
    return [cell for cell in {id(cell): cell for row in grid for cell in row}.values() if cell.text]


def resolve_spans(table: Table, budget: Budget) -> Grid:
    """Return the table as a rectangle: each position has the cell that covers it, or an empty one.

    Raises PageOverBudget before creating more positions than the page's size allows.
    """
    positions = _Positions(len(table.rows), budget)
    for row, cells in enumerate(table.rows):
        column = 0
        for cell in cells:
            column = positions.find_next_free(row, column)
            positions.fill(row, column, cell)
            column += cell.colspan
    return positions.make_rectangle()


class _Positions:
    """The positions of a table by row; None where there is no cell yet."""

    def __init__(self, height: int, budget: Budget) -> None:
        self._rows: list[list[Cell | None]] = [[] for _ in range(height)]
        self._budget = budget

    def find_next_free(self, row: int, column: int) -> int:
        positions = self._rows[row]
        while column < len(positions) and positions[column] is not None:
            column += 1
        return column

    def fill(self, row: int, column: int, cell: Cell) -> None:
        end = column + cell.colspan
        for positions in self._rows[row : row + cell.rowspan]:
            self._budget.add_steps(cell.colspan)
            self._widen(positions, end)
            for at in range(column, end):
                if positions[at] is None:  # the first cell takes precedence
                    positions[at] = cell

    def make_rectangle(self) -> Grid:
        width = max(map(len, self._rows), default=0)
        for positions in self._rows:
            self._widen(positions, width)
        return [[_EMPTY if cell is None else cell for cell in positions] for positions in self._rows]

    def _widen(self, positions: list[Cell | None], width: int) -> None:
        if (missing := width - len(positions)) > 0:
            self._budget.add_positions(missing)
            positions.extend([None] * missing)


# ---------------------------------------------------------------------- several labels in each row


def _split_pairs(grid: Grid) -> Grid:
    """Return a table whose rows are several labels, each followed by its value, with one label in each row.

    "Host | hb-01 | Owner | Olaf", as people arrange the properties of one thing. Other tables are returned as they are.
    """
    for is_label in (_is_marked_header, _is_marked_label):
        rows = [_read_pairs(row, is_label) for row in grid]
        if all(rows) and sum(len(row) > 1 for row in rows) > len(rows) / 2:
            return [pair for row in rows for pair in row]
    return grid


def _read_pairs(cells: list[Cell], is_label: Callable[[Cell], bool]) -> list[list[Cell]]:
    """Return the labels of a row with their values; [] if its cells are not labels and values by turns."""
    distinct = [cell for at, cell in enumerate(cells) if at == 0 or cell is not cells[at - 1] or cell is _EMPTY]
    while len(distinct) > _PAIR and not any(cell.text for cell in distinct[-_PAIR:]):
        distinct = distinct[:-_PAIR]
    pairs = [distinct[at : at + _PAIR] for at in range(0, len(distinct), _PAIR)]
    is_paired = all(len(pair) == _PAIR and is_label(pair[0]) and not is_label(pair[1]) for pair in pairs)
    return pairs if is_paired else []


def _is_marked_header(cell: Cell) -> bool:
    return cell.header and bool(cell.text) and len(cell.text) <= _LABEL_CHARS


def _is_marked_label(cell: Cell) -> bool:
    is_marked = cell.strong or cell.text.endswith(":")
    return is_marked and not cell.header and bool(cell.text) and len(cell.text) <= _LABEL_CHARS


# ---------------------------------------------------------------------------------- finding headers


def _find_header_rows(grid: Grid, head_rows: int) -> set[int]:
    """Return the indexes of the header rows: ``thead``, leading rows of ``th``, or a first row that looks like one."""
    start = _find_start(grid)
    leading: set[int] = set()
    for index in range(start, min(len(grid), start + _HEADER_ROWS)):
        if not (_is_header_row(grid[index]) or (index < head_rows and _are_labels(grid[index]))):
            break
        leading.add(index)
    if leading and _divides_header(grid, max(leading) + 1):
        leading.add(max(leading) + 1)
    if leading:
        # If all rows are headers, the later rows are the data.
        return leading if len(leading) + start < len(grid) else {min(leading)}
    if any(cell.header for row in grid for cell in row):
        return set()
    return {start} if _looks_like_header(grid[start:]) else set()


def _divides_header(grid: Grid, index: int) -> bool:
    """Whether a row of ``td`` names the columns below merged header cells: it has labels there, and nothing else.

    Such rows come about where cells of the header are merged later in the editor. Below each merged cell, no label is
    repeated: "early" and "late" below each week.
    """
    if index >= len(grid) - 1:
        return False
    above, cells = grid[index - 1], grid[index]
    merged = [sum(other is cell for other in above) > 1 for cell in above]
    named = [(over, cell.text) for over, cell, is_merged in zip(above, cells, merged, strict=True) if is_merged]
    labels = [label for _, label in named]
    others = [
        cell for cell, is_merged, over in zip(cells, merged, above, strict=True) if not is_merged and cell is not over
    ]
    return (
        bool(labels)
        and all(labels)
        and len({(id(over), label) for over, label in named}) == len(named)
        and not any(map(_DATA.search, labels))
        and not all(merged)
        and not any(cell.text for cell in others)
        and _are_labels(cells)
    )


def _find_start(grid: Grid) -> int:
    """Return the index of the first row below a title and empty rows, as tables of spreadsheets have them."""
    if len(grid) > 2 and _is_section(grid[0]):
        return 1
    above = len(list(takewhile(lambda row: _find_title(row) or not any(cell.text for cell in row), grid)))
    is_followed = 0 < above < len(grid) - 1 and len(grid[0]) > 2
    # Only marked labels in all columns show that the rows above them are no data.
    is_marked = is_followed and all(cell.text and (cell.strong or cell.header) for cell in grid[above])
    return above if is_marked and not any(_DATA.search(cell.text) for cell in grid[above]) else 0


def _find_title(cells: list[Cell]) -> str:
    """Return the text of a row whose first cell only is filled; "" for another row."""
    return cells[0].text if len(cells) > 1 and _are_labels(cells) and not any(each.text for each in cells[1:]) else ""


def _is_header_row(cells: list[Cell]) -> bool:
    """Whether all filled cells are ``th``. A single ``th`` beside empty ``td`` labels its row instead."""
    filled = {id(cell): cell for cell in cells if cell.text}.values()
    if not filled or not all(cell.header for cell in filled) or not _are_labels(cells):
        return False
    return len(filled) > 1 or all(cell.header for cell in cells)


def _are_labels(cells: list[Cell]) -> bool:
    return all(len(cell.text) <= _LABEL_CHARS for cell in cells)


def _looks_like_header(grid: Grid) -> bool:
    """Whether the first row of a table without ``th`` has short, distinct labels that do not occur below them."""
    if len(grid) < 2:
        return False
    first, body = grid[0], grid[1:]
    labels = [cell.text for cell in first]
    if not _are_labels(first):
        return False
    if all(cell.strong for cell in first if cell.text) and any(labels):
        return not all(row[0].strong for row in body if row[0].text) or len(first) > 2
    if not all(labels) or len(set(labels)) < len(labels) or _is_key_value(grid):
        return False
    for column, label in enumerate(labels):
        below = {row[column].text for row in body}
        if label in below or not any(below) or _is_code_like(label, below):
            return False
    limit = _HEADER_WORDS if len(first) > 1 else 3
    return all(len(label.split()) <= limit and label[-1] not in ".!" and not _DATA.search(label) for label in labels)


def _is_code_like(label: str, below: Set[str]) -> bool:
    """Whether a label is a code with a part that most cells below it have: "rook_bell" over "heron_bell"."""
    filled = [text for text in below if text]
    parts = _CODE_PARTS.split(label.casefold()) if _CODE.fullmatch(label) else []
    return any(sum(part in text.casefold() for text in filled) * 2 > len(filled) > 1 for part in parts if len(part) > 2)


def _is_key_value(grid: Grid) -> bool:
    """Whether a table has two columns with labels in the first: "Owner: | Alice", or bold keys with plain values."""
    if any(len(row) != 2 for row in grid):
        return False
    keys = [row[0] for row in grid if row[0].text]
    if not keys:
        return False
    marked = all((cell.strong or cell.text.endswith(":")) and len(cell.text) <= _LABEL_CHARS for cell in keys)
    return marked and not all(row[1].strong for row in grid if row[1].text)


def _list_column_headers(grid: Grid, header_rows: set[int]) -> tuple[str, ...]:
    width = len(grid[0]) if grid else 0
    return tuple(_join_header_path([grid[row][column] for row in sorted(header_rows)]) for column in range(width))


def _join_header_path(cells: list[Cell]) -> str:
    path: list[str] = []
    for cell in cells:
        name = cell.text.rstrip(":")
        if name and (not path or path[-1] != name):
            path.append(name)
    return " > ".join(path)


def _label_columns(grid: Grid, header_rows: set[int]) -> int:
    """Count the leading columns that label their rows: all ``th``, or the keys of a key-value table."""
    body = [row for index, row in enumerate(grid) if index not in header_rows and not _is_section(row)]
    if not body:
        return 0
    if not header_rows and _is_key_value(body):
        return 1
    width = 0
    for column in range(min(len(body[0]) - 1, _LABEL_COLUMNS)):
        filled = [row[column] for row in body if row[column].text]
        if not filled or not all(cell.header for cell in filled) or not _are_labels(filled):
            break
        width += 1
    return width


def _is_section(cells: list[Cell]) -> bool:
    """Whether a row is one short cell across the whole width, which is a heading within the table."""
    return _spans_all(cells) and _are_labels(cells)


def _is_note(cells: list[Cell]) -> bool:
    """Whether a row is one long cell across the whole width, which is a note that belongs to no column."""
    return _spans_all(cells) and not _are_labels(cells)


def _spans_all(cells: list[Cell]) -> bool:
    return len(cells) > 1 and all(cell is cells[0] for cell in cells) and bool(cells[0].text)


# ------------------------------------------------------------------------------------------- values


def _pair_cells(cells: list[Cell], headers: tuple[str, ...], label_columns: int) -> tuple[tuple[str, str], ...]:
    """Return (header, value) of every filled cell. A cell across several columns has all their headers."""
    label = " ".join(dict.fromkeys(cell.text.rstrip(":") for cell in cells[:label_columns] if cell.text))
    unlabelled_corner = label_columns and not any(headers[:label_columns])
    pairs: list[tuple[str, str]] = []
    start = label_columns if unlabelled_corner else 0
    column = start
    while column < len(cells):
        end = column + 1
        while end < len(cells) and cells[end] is cells[column] and cells[column] is not _EMPTY:
            end += 1
        if cells[column].text:
            header = _join_headers(headers[column:end])
            pairs.append((_qualify(label, header) if unlabelled_corner else header, cells[column].text))
        column = end
    if unlabelled_corner and label and not pairs:
        pairs.append(("", label))
    return tuple(pairs)


def _join_headers(headers: tuple[str, ...]) -> str:
    """Join the headers of a cell; if they are too long, only the first and last."""
    names = list(dict.fromkeys(name for name in headers if name))
    if sum(len(name) + 3 for name in names) - 3 <= 2 * _LABEL_CHARS:
        return " / ".join(names)
    return f"{names[0]} / … / {names[-1]}"


def _qualify(label: str, header: str) -> str:
    return f"{label}, {header}" if label and header else label or header
