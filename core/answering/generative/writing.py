"""Writes evidences as the lines that a language model reads: passages, tables and lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from core.model import RankedEvidence
from core.reading.relations.relation import Relation, make_relations
from core.reading.relations.rows import VALUE, Row

_BEFORE_CHARACTERS = 200  # of the text before a list or table

Shown = Collection[tuple[str, int]]
"""Rows and items to show: the id of their evidence, and the index of their part."""


def write_pieces(pieces: Sequence[RankedEvidence], shown: Shown) -> list[str]:
    """Return the lines of a passage, or of the pieces of one table or list."""
    evidence = pieces[0].evidence
    if evidence.kind in {"passage", "facts"}:
        return [piece.evidence.text for piece in pieces]
    # With the sections of a page the text before is an evidence of its own.
    is_alone = pieces[0].for_reading is None and evidence.context.before
    before = [f"… {evidence.context.before[-_BEFORE_CHARACTERS:]}"] if is_alone else []
    if evidence.structure is None:
        return [*before, *(piece.evidence.text for piece in pieces)]
    write = _write_list if evidence.kind == "list" else _write_table
    return [*before, *write(pieces, shown)]


def _write_table(pieces: Sequence[RankedEvidence], shown: Shown) -> list[str]:
    """Return the lines of a table of these pieces or rows, with the rows to show."""
    [relation] = [each.with_totals for each in make_relations(pieces)]
    rows = [row for row in relation.rows if (row.ranked.evidence.evidence_id, row.part) in shown]
    shortest = min(_write_grid(relation, rows), _write_pairs(rows), key=lambda lines: sum(map(len, lines)))
    return [_describe_count(len(rows), relation.total, "rows"), *shortest]


def _write_list(pieces: Sequence[RankedEvidence], shown: Shown) -> list[str]:
    """Return the lines of a list of these pieces, with the items to show."""
    items: dict[int, list[str]] = {}
    total = 0
    for ranked in pieces:
        evidence, structure = ranked.evidence, ranked.evidence.structure
        total = structure.total if structure else len(evidence.parts)
        numbers = structure.numbers if structure else range(len(evidence.parts))
        for at, (number, part) in enumerate(zip(numbers, evidence.parts, strict=False)):
            if (evidence.evidence_id, at) in shown:
                items.setdefault(number, []).append(part)
    return [_describe_count(len(items), total, "items"), *(line for own in items.values() for line in own)]


def _describe_count(shown: int, total: int, name: str) -> str:
    return f"({total} {name})" if shown == total else f"(showing {shown} of {total} {name})"


def _write_grid(relation: Relation, rows: Iterable[Row]) -> list[str]:
    """Return a header, and one line per row with a place for each column."""
    names = ["" if column == VALUE else column for column in relation.columns]
    return [
        _write_row(names),
        *(_write_row([row.cells.get(column, "") for column in relation.columns]) for row in rows),
    ]


def _write_pairs(rows: Iterable[Row]) -> list[str]:
    """Return one line per row with the column before each value.

    Shorter for tables with many empty cells or one row.
    """
    return [
        "- "
        + "; ".join(_join_lines(cell if column == VALUE else f"{column}: {cell}") for column, cell in row.cells.items())
        for row in rows
    ]


def _write_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(_join_lines(cell) for cell in cells)} |"


def _join_lines(text: str) -> str:
    return " ".join(text.split())
