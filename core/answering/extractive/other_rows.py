"""Leaves out the other rows of a table of which the question names one exactly.

A row about "old-config.patch" shares most words with a question about "config.patch", so scores cannot tell them apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from core.answering.extractive.units import TABLES, Unit
from core.reading.exact import find_exact_names

_Column = tuple[str, int, str]
"""Page, block and header of a first column. Rows with headers of their own, as in a list of facts, are not compared."""


def leave_out_other_rows(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Return the units without the rows of a table that has a row whose first cell the question has verbatim."""
    keys = [_find_key(unit) for unit in units]
    cells: dict[_Column, set[str]] = defaultdict(set)
    for column, cell in filter(None, keys):
        cells[column].add(cell)
    meant = {column: find_exact_names(question, names) for column, names in cells.items()}
    return [
        unit
        for unit, key in zip(units, keys, strict=True)
        if key is None or not meant[key[0]] or key[1] in meant[key[0]]
    ]


def _find_key(unit: Unit) -> tuple[_Column, str] | None:
    """Return the first cell of a row with its column, None for other units."""
    evidence = unit.evidence
    if evidence.kind not in TABLES or evidence.structure is None or unit.index >= len(evidence.rows):
        return None
    cells = evidence.rows[unit.index]
    return ((evidence.page_id, evidence.structure.block, cells[0][0]), cells[0][1].strip()) if cells else None
