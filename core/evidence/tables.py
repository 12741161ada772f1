"""Tables as written to rows of (header, value) pairs: spans resolved, headers found."""

from __future__ import annotations

from dataclasses import dataclass

from core.evidence.blocks import Cell, Table

_HEADER_WORDS = 6  # a first row of longer cells is data, not a header
_EMPTY = Cell("")


@dataclass(frozen=True, slots=True)
class Row:
    """A data row: its number (from 1), the section it stands in, the row's own label, and its values by header."""

    number: int
    cells: tuple[tuple[str, str], ...]
    section: str = ""


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table of a page: its number on the page (from 1), the headers by column ("" where none) and the data rows."""

    number: int
    headers: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str = ""


Grid = list[list[Cell]]
"""Rows of equal length. A cell that spans several places stands in each of them, as the same object."""


def data_table(table: Table, number: int) -> DataTable:
    """Reads a table: header rows (several join to "A > B"), header columns, section rows, repeated headers."""
    grid = resolve_spans(table)
    header_rows = _header_rows(grid, table.head_rows)
    headers = _column_headers(grid, header_rows)
    label_columns = _label_columns(grid, header_rows)
    rows: list[Row] = []
    section, first_headers = "", headers
    for index, cells in enumerate(grid):
        if index in header_rows:
            continue
        if _is_section(cells) and len(grid) > 1:
            section = cells[0].text
        elif header_rows and index > max(header_rows) and _is_header_row(cells):
            headers = tuple(cell.text for cell in cells)
        elif pairs := _pairs(cells, headers, label_columns):
            rows.append(Row(len(rows) + 1, pairs, section))
    return DataTable(number, first_headers, tuple(rows), table.caption)


def resolve_spans(table: Table) -> Grid:
    """Every place of the table's rectangle filled: with the cell that covers it, or with an empty one."""
    height = len(table.rows)
    places: dict[tuple[int, int], Cell] = {}
    for row, cells in enumerate(table.rows):
        column = 0
        for cell in cells:
            while (row, column) in places:
                column += 1
            for below in range(min(cell.rowspan, height - row)):
                for right in range(cell.colspan):
                    places.setdefault((row + below, column + right), cell)
            column += cell.colspan
    width = max((column + 1 for _, column in places), default=0)
    return [[places.get((row, column), _EMPTY) for column in range(width)] for row in range(height)]


# ---------------------------------------------------------------------------------- finding headers


def _header_rows(grid: Grid, head_rows: int) -> set[int]:
    """The rows that are headers: a ``thead``, leading rows of ``th``, or a first row that looks like one."""
    start = 1 if grid and _is_section(grid[0]) and len(grid) > 2 and len(grid[0]) > 1 else 0
    leading: set[int] = set(range(start, head_rows))
    for index in range(max(start, head_rows), len(grid)):
        if not _is_header_row(grid[index]):
            break
        leading.add(index)
    if leading:
        # Only headers: the table says what it says in its first column then, so its later rows are the data.
        return leading if len(leading) + start < len(grid) else {min(leading)}
    if any(cell.header for row in grid for cell in row):
        return set()
    return {start} if _looks_like_header(grid[start:]) else set()


def _is_header_row(cells: list[Cell]) -> bool:
    filled = [cell for cell in cells if cell.text]
    return bool(filled) and all(cell.header for cell in filled)


def _looks_like_header(grid: Grid) -> bool:
    """Whether the first row of a table without ``th`` reads like one: short, distinct labels above other data."""
    if len(grid) < 2:
        return False
    first, body = grid[0], grid[1:]
    labels = [cell.text for cell in first]
    if all(cell.strong for cell in first if cell.text) and any(labels):
        return not all(row[0].strong for row in body if row[0].text) or len(first) > 2
    if not all(labels) or len(set(labels)) < len(labels) or _is_key_value(grid):
        return False
    limit = _HEADER_WORDS if len(first) > 1 else 3
    return all(len(label.split()) <= limit and label[-1] not in ".!" and not label.isdecimal() for label in labels)


def _is_key_value(grid: Grid) -> bool:
    """Two columns whose first one holds labels: "Owner: | Alice", or bold keys beside plain values."""
    if any(len(row) != 2 for row in grid):
        return False
    keys = [row[0] for row in grid if row[0].text]
    if not keys:
        return False
    marked = all(cell.strong or cell.text.endswith(":") for cell in keys)
    return marked and not all(row[1].strong for row in grid if row[1].text)


def _column_headers(grid: Grid, header_rows: set[int]) -> tuple[str, ...]:
    width = len(grid[0]) if grid else 0
    return tuple(_header_path([grid[row][column] for row in sorted(header_rows)]) for column in range(width))


def _header_path(cells: list[Cell]) -> str:
    path: list[str] = []
    for cell in cells:
        if cell.text and (not path or path[-1] != cell.text):
            path.append(cell.text)
    return " > ".join(path)


def _label_columns(grid: Grid, header_rows: set[int]) -> int:
    """How many leading columns label their rows: all ``th``, or the keys of a key-value table."""
    body = [row for index, row in enumerate(grid) if index not in header_rows and not _is_section(row)]
    if not body:
        return 0
    if not header_rows and _is_key_value(body):
        return 1
    width = 0
    for column in range(len(body[0]) - 1):
        filled = [row[column] for row in body if row[column].text]
        if not filled or not all(cell.header for cell in filled):
            break
        width += 1
    return width


def _is_section(cells: list[Cell]) -> bool:
    """One cell across the whole width: a heading within the table."""
    return len(cells) > 1 and all(cell is cells[0] for cell in cells) and bool(cells[0].text)


# ------------------------------------------------------------------------------------------- values


def _pairs(cells: list[Cell], headers: tuple[str, ...], label_columns: int) -> tuple[tuple[str, str], ...]:
    """(header, value) of every filled place; a cell across columns comes once, under all their headers."""
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
            header = " / ".join(dict.fromkeys(name for name in headers[column:end] if name))
            pairs.append((_qualified(label, header) if unlabelled_corner else header, cells[column].text))
        column = end
    if unlabelled_corner and label and not pairs:
        pairs.append(("", label))
    return tuple(pairs)


def _qualified(label: str, header: str) -> str:
    return f"{label}, {header}" if label and header else label or header
