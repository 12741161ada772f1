"""A table as a language model reads it: its header once, then a line a row, and how many of its rows these are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from core.model import RankedEvidence
from core.reading.relation import VALUE, Relation, Row, make_relations

Shown = Collection[tuple[str, int]]
"""Rows and items that are shown: the id of their evidence, and the index of their part."""


def write_table(pieces: Sequence[RankedEvidence], shown: Shown) -> list[str]:
    """The lines of a table that the evidences are pieces or rows of, with the rows that are shown."""
    [relation] = make_relations(pieces)
    rows = [row for row in relation.rows if (row.ranked.evidence.evidence_id, row.part) in shown]
    return [_count_of(len(rows), relation.total, "rows"), *_shorter(_as_grid(relation, rows), _as_pairs(rows))]


def write_list(pieces: Sequence[RankedEvidence], shown: Shown) -> list[str]:
    """The lines of a list that the evidences are pieces of, with the items that are shown."""
    items: dict[int, list[str]] = {}
    total = 0
    for ranked in pieces:
        evidence, structure = ranked.evidence, ranked.evidence.structure
        total = structure.total if structure else len(evidence.parts)
        numbers = structure.numbers if structure else range(len(evidence.parts))
        for at, (number, part) in enumerate(zip(numbers, evidence.parts, strict=False)):
            if (evidence.evidence_id, at) in shown:
                items.setdefault(number, []).append(part)
    return [_count_of(len(items), total, "items"), *(line for own in items.values() for line in own)]


def _count_of(shown: int, total: int, name: str) -> str:
    return f"({total} {name})" if shown == total else f"(showing {shown} of {total} {name})"


def _as_grid(relation: Relation, rows: Iterable[Row]) -> list[str]:
    """A header, and a line a row with a place for each column."""
    names = ["" if column == VALUE else column for column in relation.columns]
    return [_line(names), *(_line([row.cells.get(column, "") for column in relation.columns]) for row in rows)]


def _as_pairs(rows: Iterable[Row]) -> list[str]:
    """A line a row, with the column before each value: of tables with many empty cells, or with one row."""
    return [
        "- "
        + "; ".join(_one_line(cell if column == VALUE else f"{column}: {cell}") for column, cell in row.cells.items())
        for row in rows
    ]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(_one_line(cell) for cell in cells)} |"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _shorter(one: list[str], other: list[str]) -> list[str]:
    return min(one, other, key=lambda lines: sum(map(len, lines)))
