"""Tables as aligned lines, for a message that has no tables."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

Row = Sequence[str]
WIDEST = 76
"""Columns that fit beside each other on a screen; a wider table reads better row by row."""


def width(text: str) -> int:
    """Columns that a text takes in a fixed-width font: wide letters and emoji two, combining marks none."""
    columns = 0
    for character in text:
        if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
            continue
        columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns


def align_table(header: Row, rows: Sequence[Row]) -> list[str] | None:
    """The lines: header, rule, rows. None where they would be too wide."""
    cells = [[*row, *[""] * (len(header) - len(row))][: len(header)] for row in (header, *rows)]
    widths = [max(width(row[column]) for row in cells) for column in range(len(header))]
    if sum(widths) + 3 * (len(widths) - 1) > WIDEST:
        return None
    lines = [" │ ".join(_padded(cell, wide) for cell, wide in zip(row, widths, strict=True)).rstrip() for row in cells]
    return [lines[0], "─┼─".join("─" * wide for wide in widths), *lines[1:]]


def _padded(text: str, wide: int) -> str:
    return text + " " * (wide - width(text))
