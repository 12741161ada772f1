"""Linearises tables and rows: the paper's verbalisation, and the four formats that it compares (Table 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Literal

from core.evidence.tables import DataTable, TableRow

LineariserName = Literal["verbalised", "piped", "markdown", "html", "plaintext"]


@dataclass(frozen=True, slots=True)
class Lineariser:
    """Functions for the text of a single row, of a row within its table, and of the lines before and after those."""

    row: Callable[[DataTable, TableRow], str]
    line: Callable[[DataTable, TableRow], str]
    frame: Callable[[DataTable], tuple[str, str]]


def _verbalise(table: DataTable, row: TableRow) -> str:
    """``Row i in Table j: <header> is <value>, and …`` (RAGonite, section 3)."""
    position = f"Row {row.number} in Table {table.number}"
    if row.section:
        position += f" ({row.section})"
    return f"{position}: " + ", and ".join(f"{header} is {value}" if header else value for header, value in row.cells)


def _list_values(table: DataTable, row: TableRow) -> list[str]:
    """Return one value per header. The section precedes the first value, as these formats have no place for it."""
    values: dict[str, list[str]] = {}
    for header, value in row.cells:
        values.setdefault(header, []).append(value)
    line = ["; ".join(values.get(header, [])) for header in table.headers]
    if table.headers == ("",):
        line = [value for _, value in row.cells]
    return [f"{row.section}: {line[0]}".rstrip(": "), *line[1:]] if row.section else line


def _format_plain(table: DataTable, row: TableRow) -> str:
    return " ".join(value for value in (row.section, *(value for _, value in row.cells)) if value)


def _format_piped_line(cells: list[str]) -> str:
    return " | ".join(cell.replace("\n", " ") for cell in cells)


def _format_markdown_line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _format_html_line(cells: list[str], name: str) -> str:
    return "<tr>" + "".join(f"<{name}>{escape(cell)}</{name}>" for cell in cells) + "</tr>"


def _add_frame(frame: Callable[[DataTable], tuple[str, str]], line: Callable[[DataTable, TableRow], str]) -> Lineariser:
    def row(table: DataTable, data: TableRow) -> str:
        before, after = frame(table)
        return "\n".join(part for part in (before, line(table, data), after) if part)

    return Lineariser(row, line, frame)


def _format_markdown_frame(table: DataTable) -> tuple[str, str]:
    headers = list(table.headers)
    return f"{_format_markdown_line(headers)}\n{_format_markdown_line(['---'] * len(headers))}", ""


LINEARISERS: dict[LineariserName, Lineariser] = {
    "verbalised": Lineariser(_verbalise, _verbalise, lambda table: ("", "")),
    "piped": _add_frame(
        lambda table: (_format_piped_line(list(table.headers)), ""),
        lambda table, row: _format_piped_line(_list_values(table, row)),
    ),
    "markdown": _add_frame(_format_markdown_frame, lambda table, row: _format_markdown_line(_list_values(table, row))),
    "html": _add_frame(
        lambda table: ("<table>" + _format_html_line(list(table.headers), "th"), "</table>"),
        lambda table, row: _format_html_line(_list_values(table, row), "td"),
    ),
    "plaintext": Lineariser(_format_plain, _format_plain, lambda table: ("", "")),
}
