"""Leaves out the other rows of a table of which the question names one exactly.

A row about "old-config.patch" shares most words with a question about "config.patch", so scores cannot tell them apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from core.answering.extractive.units import Unit
from core.reading.conditions import find_exact_names

_TABLES = frozenset(["table", "table_row"])


def leave_out_other_rows(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Return the units without the rows of a table that has a row whose first cell the question has verbatim."""
    names: dict[tuple[str, int], set[str]] = defaultdict(set)
    for unit in units:
        if key := _find_key(unit):
            names[_find_table(unit)].add(key)
    meant = {table: find_exact_names(question, cells) for table, cells in names.items()}
    return [unit for unit in units if not (key := _find_key(unit)) or _is_meant(key, meant[_find_table(unit)])]


def _is_meant(key: str, meant: Sequence[str]) -> bool:
    return not meant or key in meant


def _find_table(unit: Unit) -> tuple[str, int]:
    structure = unit.evidence.structure
    return unit.evidence.page_id, structure.block if structure else -1


def _find_key(unit: Unit) -> str:
    """Return the first cell of a row, "" of other units."""
    evidence = unit.evidence
    if evidence.kind not in _TABLES or evidence.structure is None or unit.index >= len(evidence.rows):
        return ""
    cells = evidence.rows[unit.index]
    return cells[0][1].strip() if cells else ""
