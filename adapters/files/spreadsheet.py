"""Excel workbooks (.xlsx, .xlsm), read with openpyxl: the rows of each visible sheet as one or more tables.

A row with a single cell above a table is its title. An empty row followed by a title or header begins another table.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

import openpyxl

from adapters.files.archive import check_archive
from adapters.files.markup import MOST_CHARACTERS, Full, Markup

_CURRENCY = re.compile("[€$£¥]")
_QUOTED = re.compile(r'"[^"]*"|\\.')
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class _Value:
    """The text of a cell, and whether it is a number, date or the like."""

    text: str
    is_data: bool = False


_NOTHING = _Value("")


def read(content: bytes, markup: Markup) -> str:
    """Read a workbook, and return its defect, or ""."""
    archive = check_archive(content)
    workbook = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
    counted = _FormulaCount(content if _has_formulas(archive) else None)
    for sheet in workbook.worksheets:
        if sheet.sheet_state != "visible":
            continue
        sheet.reset_dimensions()  # the size that a file states may be wrong
        markup.add_heading(1, f"Sheet {sheet.title}")
        for rows in _find_tables(_read_rows(sheet, counted, markup)):
            _write(rows, markup)
        if markup.incomplete:
            raise Full
    if counted.lacking:
        return (
            f"has {counted.lacking} formulas without values: these cells were left out. Open it in Excel, save it and "
            "attach it again."
        )
    return ""


@dataclass
class _FormulaCount:
    """Counts formulas without stored values."""

    content: bytes | None
    lacking: int = 0

    def read_rows(self, title: str) -> Iterator[Any]:
        if self.content is None:
            return
        workbook = openpyxl.load_workbook(io.BytesIO(self.content), read_only=True, keep_links=False)
        sheet = workbook[title]
        sheet.reset_dimensions()
        yield from sheet.iter_rows()


def _has_formulas(archive: zipfile.ZipFile) -> bool:
    for name in archive.namelist():
        if name.startswith("xl/worksheets/"):
            with archive.open(name) as sheet:
                before = b""
                while some := sheet.read(_CHUNK):
                    if b"<f>" in before + some or b"<f " in before + some:
                        return True
                    before = some[-2:]
    return False


def _read_rows(sheet: Any, counted: _FormulaCount, markup: Markup) -> Iterator[list[_Value]]:
    """Yield the rows of a sheet, without empty cells at their ends."""
    formulas = counted.read_rows(sheet.title)
    characters = 0
    for cells in sheet.iter_rows():
        if characters > MOST_CHARACTERS or not markup.has_time():
            return  # writing reports what is too much
        row = [_read_value(cell) for cell in cells]
        for cell, with_formula in zip(cells, next(formulas, ()), strict=False):
            if cell.value is None and with_formula.value is not None:
                counted.lacking += 1
        while row and not row[-1].text:
            row.pop()
        characters += sum(len(value.text) + 1 for value in row)
        yield row


def _read_value(cell: Any) -> _Value:
    value = cell.value
    if value is None:
        return _NOTHING
    if isinstance(value, bool):
        return _Value("yes" if value else "no", is_data=True)
    if isinstance(value, int | float):
        return _Value(_format_number(value, cell.number_format or ""), is_data=True)
    if isinstance(value, datetime):
        day = value.date().isoformat()
        return _Value(day if value.time() == time() else f"{day} {value:%H:%M}", is_data=True)
    if isinstance(value, date | time):
        return _Value(value.isoformat(), is_data=True)
    return _Value(" ".join(str(value).split()))


def _format_number(value: float, number_format: str) -> str:
    shown = number_format.partition(";")[0]
    if "%" in _QUOTED.sub("", shown):
        return f"{round(value * 100, 6):.10g}%"
    text = str(round(value)) if value == int(value) and abs(value) < 1e15 else f"{round(value, 8):.12g}"
    found = _CURRENCY.search(shown) if "$" not in shown.replace("[$", "") or "[$" in shown else re.search(r"\$", shown)
    return f"{found[0]}{text}" if found and not _is_locale(shown, found.start()) else text


def _is_locale(shown: str, at: int) -> bool:
    """Whether a dollar sign only begins the code of a locale, as in ``[$-407]``."""
    return shown[at] == "$" and shown[at - 1 : at] == "["


def _find_tables(rows: Iterable[list[_Value]]) -> Iterator[list[list[_Value]]]:
    """Group the rows of each table."""
    table: list[list[_Value]] = []
    after_empty = False
    for row in rows:
        filled = [cell for cell in row if cell.text]
        if not filled:
            after_empty = True
            continue
        if table and after_empty and _begins_another(filled, table):
            yield table
            table = []
        after_empty = False
        table.append(row)
    if table:
        yield table


def _begins_another(filled: list[_Value], table: list[list[_Value]]) -> bool:
    if len(filled) == 1:
        return True
    has_data = any(cell.is_data for row in table for cell in row)
    return has_data and not any(cell.is_data for cell in filled)


def _write(rows: list[list[_Value]], markup: Markup) -> None:
    """Write titles as paragraphs, and the rest as a table without empty columns."""
    titles = 0
    while titles < len(rows) and sum(1 for cell in rows[titles] if cell.text) == 1:
        titles += 1
    if titles < len(rows):
        for row in rows[:titles]:
            markup.add_paragraph("".join(cell.text for cell in row))
        rows = rows[titles:]
    width = max(map(len, rows))
    used = sorted({column for row in rows for column, cell in enumerate(row) if cell.text})
    padded = [[*row, *[_NOTHING] * (width - len(row))] for row in rows]
    has_header = len(rows) > 1 and len(used) > 1 and not any(cell.is_data for cell in rows[0])
    texts = [[row[column].text for column in used] for row in padded]
    if len(used) == 1:
        markup.list(text for (text,) in texts)
    else:
        markup.add_table(texts, has_header)
