"""CSV and TSV: one table."""

from __future__ import annotations

import csv
import io
from collections import Counter

from adapters.files.markup import MOST_CHARACTERS, Markup
from adapters.files.plain import read_text

_SEPARATORS = ",;\t|"
_LINES = 50  # used to detect the separator


def read(content: bytes, markup: Markup) -> str:
    """Read a table, and return its defect, or ""."""
    text = read_text(content)
    csv.field_size_limit(MOST_CHARACTERS)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=_find_separator(text))
    rows: list[list[str]] = []
    characters = 0
    for line in lines:
        row = [" ".join(cell.split()) for cell in line]
        if any(row):
            rows.append(row)
            characters += sum(map(len, row)) + len(row)
        if characters > MOST_CHARACTERS or not markup.has_time():
            break  # markup.table reports what is too much
    width = max(map(len, rows))
    table = [[*row, *[""] * (width - len(row))] for row in rows]
    if width == 1:
        markup.list(row[0] for row in table)
    else:
        markup.add_table(table, has_header=len(table) > 1 and _names_columns(table[0]))
    return ""


def _find_separator(text: str) -> str:
    """Return the separator with the same count in the largest number of the first lines."""
    lines = [line for line in text[: 200 * _LINES].splitlines() if line.strip()][:_LINES]

    def regularity(separator: str) -> tuple[int, int]:
        counts = Counter(line.count(separator) for line in lines)
        per_line, alike = max(counts.items(), key=lambda each: (each[1], each[0]), default=(0, 0))
        return (alike, per_line) if per_line else (0, 0)

    return max(_SEPARATORS, key=regularity)


def _names_columns(row: list[str]) -> bool:
    return not any(cell[:1].isdigit() or cell[:1] in {"+", "-"} for cell in row) and sum(map(bool, row)) > 1
