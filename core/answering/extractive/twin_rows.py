"""Adds the rows that a question names as well as the row that is quoted: of a tower's two tests, both.

Words cannot choose between them, and a difference in writing ("OptiPlex", "Optiplex") must not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.answering.extractive.compose import Statement, quote_units
from core.answering.extractive.units import TABLES, ScoredUnit
from core.answering.focus import Focus, find_names, split_terms

_MOST_TWINS = 3  # more rows are a list
_LEAST_NAMES = 2  # words of a question that name a row, such as a maker and a model
_LEAST_DIGITS = 3  # characters of a name with digits, of which at least one is needed: "7040", not "Windows 10"


def add_twin_rows(focus: Focus, units: Sequence[ScoredUnit], statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements, after a first one of one row those of its table's other rows with the same names."""
    first = statements[0] if statements else None
    quoted = [unit for unit in units if first and unit.evidence.kind in TABLES and unit.text == first.quote]
    names = find_names(focus).difference(_read_place(quoted[0])) if quoted else frozenset[str]()
    named = _find_named_cells(quoted[0], names) if quoted else {}
    if first is None or not _identifies({word for cell in named.values() for word in cell} & names):
        return list(statements)
    shown = {statement.quote for statement in statements}
    twins = list(_find_twins(quoted[0], named, names, units))
    if not 0 < len(twins) <= _MOST_TWINS:
        return list(statements)
    missing = [quote_units(focus, [twin]) for twin in twins if not any(twin.text in each for each in shown)]
    return [first, *missing, *statements[1:]]


def _read_place(unit: ScoredUnit) -> list[str]:
    context = unit.evidence.context
    return split_terms(" ".join((context.title, *context.heading_path)))


def _identifies(names: set[str]) -> bool:
    has_number = any(len(name) >= _LEAST_DIGITS and any(map(str.isdigit, name)) for name in names)
    return len(names) >= _LEAST_NAMES and has_number


def _find_twins(
    unit: ScoredUnit, named: dict[str, tuple[str, ...]], names: frozenset[str], units: Sequence[ScoredUnit]
) -> Iterator[ScoredUnit]:
    seen = {unit.text}
    for other in units:
        if other.text not in seen and _get_key(other) == _get_key(unit) and _find_named_cells(other, names) == named:
            seen.add(other.text)
            yield other


def _get_key(unit: ScoredUnit) -> tuple[str, int]:
    structure = unit.evidence.structure if unit.evidence.kind in TABLES else None
    return unit.evidence.page_id, structure.block if structure else -1


def _find_named_cells(unit: ScoredUnit, names: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Return the words of the cells that have a name of the question, by header."""
    rows = unit.evidence.rows
    cells = rows[unit.index] if unit.index < len(rows) and unit.evidence.structure else ()
    words = {header: tuple(split_terms(value)) for header, value in cells}
    return {header: found for header, found in words.items() if not names.isdisjoint(found)}
