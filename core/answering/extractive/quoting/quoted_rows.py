"""Finds the table rows that an extractive answer quotes, from the lines of its text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from core.answering.extractive.quoting.compose import label_heading
from core.model import Author, Evidence, Turn
from core.model.views import RowView
from core.wording.quotations import BETWEEN_CELLS, ELLIPSIS, ITEM, replace_brackets, split_mark

_LEAST_CELLS = 2
_CUT = f" {ELLIPSIS}"  # the end of a quotation that is only a part of its row


def find_quoted_rows(turn: Turn) -> tuple[RowView, ...]:
    """Find the lines of an extractive answer that are rows of cited tables, each once."""
    if turn.answer.author is not Author.WIKI or turn.answer.erased:
        return ()
    cited = {citation.evidence_id for citation in turn.answer.citations}
    rows = _index_rows([ranked.evidence for ranked in turn.evidences if ranked.evidence.evidence_id in cited])
    found: dict[str, RowView] = {}
    before: _QuotedRow | None = None
    for line in turn.answer.text.split("\n") if rows else ():
        words, _ = split_mark(line.strip().removeprefix(ITEM))
        pieces = words.split(BETWEEN_CELLS)
        is_cut = pieces[-1] not in rows and pieces[-1].endswith(_CUT)
        pieces[-1] = pieces[-1].removesuffix(_CUT) if is_cut else pieces[-1]
        # The name of its table precedes the first cell, so only the last piece is always a whole cell.
        quoted = (_read_row(pieces, row) for row in rows.get(pieces[-1], ()))
        row = next(filter(None, quoted), None) if len(pieces) >= _LEAST_CELLS else None
        if row and before and not row.name and row.source.table == before.source.table:
            row = replace(row, name=before.name)  # an answer names the table of rows in a row once
        if row:
            rest = (("", ELLIPSIS),) if is_cut else ()
            found[words] = RowView(words, f"{row.name}{row.section}".rstrip(" –:"), (*row.cells, *rest))
        before = row
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class _QuotableRow:
    """A row that an answer may quote.

    ``table``: the page and headings of its table. ``cells``: header and value by their form in an answer. ``names``
    and ``sections``: possible texts before the first cell, first a name of the table, then a section of it.
    """

    table: tuple[str, tuple[str, ...]]
    cells: Mapping[str, tuple[str, str]]
    names: Sequence[str]
    sections: Sequence[str]


@dataclass(frozen=True, slots=True)
class _QuotedRow:
    """A row as a line of an answer quotes it, with a name of its table and a section before its cells, "" for none."""

    source: _QuotableRow
    name: str
    section: str
    cells: tuple[tuple[str, str], ...]


def _index_rows(tables: Sequence[Evidence]) -> dict[str, list[_QuotableRow]]:
    """Index the rows of tables by each of their cells."""
    rows: dict[str, list[_QuotableRow]] = defaultdict(list)
    headers = {name for table in tables for row in table.rows for name, _ in row if name}
    left_out = {f"{_normalise(name)}: {ELLIPSIS}": (name, ELLIPSIS) for name in headers}  # the form of such a cell
    for table in tables:
        labels = table.structure.labels if table.structure else ()
        title, path = table.context.title, table.context.heading_path
        heading = label_heading(table.context) if path else ""
        # An answer of an older version may have a heading "Which ones?" with a colon.
        names = (f"{title}:", *((f"{path[-1]}:", heading, f"{title} › {heading}") if path else ()))
        before = ("", *(f"{_normalise(name)} " for name in names))
        for at, row in enumerate(table.rows):
            own = {_normalise(f"{name}: {value}" if name else value): (name, value) for name, value in row}
            cells = left_out | own
            section = _normalise(labels[at]) if at < len(labels) else ""
            sections = ("", f"{section} – ") if section else ("",)
            quotable = _QuotableRow((table.page_id, path), cells, before, sections)
            for cell in cells:
                rows[cell].append(quotable)
    return rows


def _read_row(pieces: Sequence[str], row: _QuotableRow) -> _QuotedRow | None:
    """Return the row if all pieces of the line are its cells."""
    first, *others = pieces
    if not all(piece in row.cells for piece in others):
        return None
    for name, section in product(row.names, row.sections):
        begin = first.removeprefix(name + section).removeprefix(ITEM)
        if first.startswith(name + section) and begin in row.cells:
            return _QuotedRow(row, name, section, tuple(row.cells[piece] for piece in (begin, *others)))
    return None


def _normalise(words: str) -> str:
    """Return a page's words in the form they have in an answer."""
    return " ".join(replace_brackets(words).split())
