"""Conditions for cells that a question has verbatim: names of things by their form, and cells without content words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from core.reading.conditions import Condition, find_span
from core.reading.limits import Comparison
from core.reading.question import Operation, RowQuestion
from core.reading.relation import Relation
from core.reading.words import split_words

CERTAIN = 1.0
"""Strength of a condition that is a whole cell, or whose column is named."""


def find_exact_row(question: RowQuestion, relation: Relation, place: Set[str]) -> list[Condition]:
    """Return the condition that the first cell is the name that the question has verbatim, if it has exactly one."""
    if relation.kind != "table" or question.operation is Operation.COMPARE or question.has_range:
        return []
    first = relation.columns[0]
    names = find_exact_names(question.text, (row.cells.get(first, "").strip() for row in relation.rows))
    words = [word.folded for word in split_words(names[0])] if len(names) == 1 else []
    at = find_span([word.folded for word in question.words], words) if words else None
    if at is None or place >= set(words):
        return []
    return [Condition(first, names[0], Comparison.IS, CERTAIN, at=at)]


def find_literal(question: RowQuestion, relation: Relation) -> list[Condition]:
    """Return the condition of a cell that the question has verbatim, though its words say nothing: "w/ and w/o"."""
    found = _find_literal_cell(question.text, relation) if relation.kind == "table" else None
    if found is None or not question.operation.is_on_rows:
        return []
    column, cell = found
    at = find_span([word.folded for word in question.words], [word.folded for word in split_words(cell)])
    return [] if at is None else [Condition(column, cell, Comparison.IS, CERTAIN, at=at)]


_LETTER = re.compile(r"[^\W\d_]")
_EXACT = re.compile(r"\w[._/:@+~#-]+\w|\d")


def find_exact_names(text: str, cells: Iterable[str]) -> list[str]:
    """Return the cells that a text has verbatim and that name one thing by their form, such as "config.patch".

    A cell that stands only as a part of a longer one is left out.
    """
    folded = " ".join(text.casefold().split())
    names = {cell: " ".join(cell.casefold().split()) for cell in dict.fromkeys(cells)}
    spans = {
        match.span(): cell
        for cell, name in names.items()
        if name in folded and _LETTER.search(name) and _EXACT.search(name)
        for match in re.finditer(rf"(?<![\w./-]){re.escape(name)}(?![\w/-]|\.\w)", folded)
    }
    whole = [cell for span, cell in spans.items() if not any(_is_within(span, other) for other in spans)]
    return list(dict.fromkeys(whole))


def _find_literal_cell(text: str, relation: Relation) -> tuple[str, str] | None:
    """Return the column and the cell without content words that a text has verbatim; None if not exactly one."""
    cells = relation.empty_cells
    names = find_exact_names(text, (cell for _, cell in cells))
    columns = {column for column, cell in cells if cell in names}
    return (columns.pop(), names[0]) if len(names) == len(columns) == 1 else None


def _is_within(span: tuple[int, int], other: tuple[int, int]) -> bool:
    return span != other and other[0] <= span[0] and span[1] <= other[1]
