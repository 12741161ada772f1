"""Rows of tables that an answer quotes, as tables again: what was asked for first, and in bold.

Which line is a row is found by the evidences that it cites: each piece of the line is a cell of one of their rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from core.answering.extractive.compose import BETWEEN_CELLS, replace_brackets
from core.model import Author, Evidence, Turn
from core.reading.words import Word, is_same_noun, split_words
from core.views.document import Block, Run, Runs, Table, label, text_of
from core.views.markdown import Citing, parse_plain, split_mark
from core.views.model import AnswerView, RowView

_LEAST_CELLS = 2
_ITEM = "- "


# ------------------------------------------------------------------------------------------ from a turn


def find_quoted_rows(turn: Turn) -> tuple[RowView, ...]:
    """The lines of an answer in the wiki's own words that are rows of tables which it cites, each once."""
    if turn.answer.author is not Author.WIKI or turn.answer.erased:
        return ()
    cited = {citation.evidence_id for citation in turn.answer.citations}
    rows = _index_rows([ranked.evidence for ranked in turn.evidences if ranked.evidence.evidence_id in cited])
    found: dict[str, RowView] = {}
    for line in turn.answer.text.split("\n") if rows else ():
        words, _ = split_mark(line.strip().removeprefix(_ITEM))
        pieces = words.split(BETWEEN_CELLS)
        # What names the place stands before the first cell: the last one is a cell as it is.
        views = (_view_row(words, pieces, row) for row in rows.get(pieces[-1], ()))
        if len(pieces) >= _LEAST_CELLS and (row := next(filter(None, views), None)):
            found[words] = row
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class _QuotableRow:
    """``cells``: header and value by how an answer writes them. ``leads``: what may stand before the first of them."""

    cells: Mapping[str, tuple[str, str]]
    leads: Sequence[str]


def _index_rows(tables: Sequence[Evidence]) -> dict[str, list[_QuotableRow]]:
    """The rows of tables by each of their cells."""
    rows: dict[str, list[_QuotableRow]] = defaultdict(list)
    for table in tables:
        labels = table.structure.labels if table.structure else ()
        names = (table.context.title, *table.context.heading_path[-1:])
        places = ("", *(f"{_as_written(name)}: " for name in names))
        for at, row in enumerate(table.rows):
            cells = {_as_written(f"{name}: {value}" if name else value): (name, value) for name, value in row}
            section = _as_written(labels[at]) if at < len(labels) else ""
            sections = ("", f"{section} – ") if section else ("",)
            quotable = _QuotableRow(cells, [place + named for place in places for named in sections])
            for cell in cells:
                rows[cell].append(quotable)
    return rows


def _view_row(line: str, pieces: Sequence[str], row: _QuotableRow) -> RowView | None:
    """The row, if all pieces of a line are cells of it."""
    first, *others = pieces
    if not all(piece in row.cells for piece in others):
        return None
    for lead in row.leads:
        begin = first.removeprefix(lead).removeprefix(_ITEM)
        if first.startswith(lead) and begin in row.cells:
            return RowView(line, lead.rstrip(" –:"), tuple(row.cells[piece] for piece in (begin, *others)))
    return None


def _as_written(words: str) -> str:
    """The words of a page as they stand in an answer."""
    return " ".join(replace_brackets(words).split())


# ---------------------------------------------------------------------------------------------- as blocks


def parse_with_rows(view: AnswerView) -> Iterator[Block]:
    """An answer in the wiki's own words: rows that follow each other are a table, the rest is text."""
    rows = {row.line: row for row in view.rows}
    citing = Citing(view.citations)

    def row_of(line: str) -> RowView | None:
        return rows.get(split_mark(line.strip().removeprefix(_ITEM))[0])

    def place_of(line: str) -> str | None:
        row = row_of(line)
        return row.lead if row else None

    for lead, group in groupby(view.text.split("\n"), place_of):
        lines = list(group)
        if lead is None:
            yield from parse_plain("\n".join(lines), view.citations)
            continue
        if lead:
            yield label(f"{lead}:", "body")
        marked = [(row, split_mark(line)[1]) for line in lines if (row := row_of(line))]
        yield _make_table(marked, citing)


def _make_table(rows: Sequence[tuple[RowView, str]], citing: Citing) -> Table:
    """A column for each header of any row. The number that a row cites stands in its first cell."""
    heads = list(dict.fromkeys(header for row, _ in rows for header in _headers(row.cells)))
    shown = []
    for row, number in rows:
        cells = dict(zip(_headers(row.cells), (value for _, value in row.cells), strict=True))
        line: list[Runs] = [(Run(cells[head]),) if cells.get(head) else () for head in heads]
        if number:
            line[0] = (*line[0], Run(" "), citing.mark(number, ()))
        shown.append(tuple(line))
    return Table(tuple((Run(name),) if name else () for name, _ in heads), tuple(shown))


def _headers(cells: Sequence[tuple[str, str]]) -> tuple[tuple[str, int], ...]:
    """The headers of cells, each with how many of the same name stand before it."""
    names = [header for header, _ in cells]
    return tuple((name, names[:at].count(name)) for at, name in enumerate(names))


# ------------------------------------------------------------------------------------------- what was asked


def emphasise(table: Table, question: str) -> Table:
    """The table with the rows that a question names first, and in these the values that it asks for in bold."""
    asked = [word for word in split_words(question) if word.is_content]
    named = _find_named_rows(table, asked) if len(table.rows) > 1 else list(range(len(table.rows)))
    column = _find_asked_column(table, asked)
    others = [at for at in range(len(table.rows)) if at not in named]
    bold = [_embolden(table.rows[at], column) for at in named]
    return replace(table, rows=(*bold, *(table.rows[at] for at in others)))


def _find_named_rows(table: Table, asked: Sequence[Word]) -> list[int]:
    """The rows that the question names by the words of one cell, in the first column that tells some from others."""
    for column in range(len(table.head)):
        named = [at for at, row in enumerate(table.rows) if _names(asked, text_of(_words_only(row[column])))]
        if 0 < len(named) < len(table.rows):
            return named
    return []


def _names(asked: Sequence[Word], cell: str) -> bool:
    words = [word for word in split_words(cell) if word.is_content]
    return bool(words) and all(_is_among(word, asked) for word in words)


def _find_asked_column(table: Table, asked: Sequence[Word]) -> int | None:
    """The column but the first whose header has most words of the question; None where that is none or several."""
    shares: list[tuple[int, float]] = [(0, 0.0)]
    for cell in table.head[1:]:
        words = [word for word in split_words(text_of(cell)) if word.is_content]
        found = sum(_is_among(word, asked) for word in words)
        shares.append((found, found / max(len(words), 1)))
    best = max(shares)
    return shares.index(best) if best[0] and shares.count(best) == 1 else None


def _is_among(word: Word, asked: Sequence[Word]) -> bool:
    return any(is_same_noun(word.folded, other.folded) for other in asked)


def _words_only(cell: Runs) -> Runs:
    """A cell without the marks of citations, which are links."""
    return tuple(run for run in cell if not run.url)


def _embolden(row: tuple[Runs, ...], column: int | None) -> tuple[Runs, ...]:
    if column is None:
        return row
    cell = tuple(
        run if run.url or "bold" in run.styles else replace(run, styles=(*run.styles, "bold")) for run in row[column]
    )
    return (*row[:column], cell, *row[column + 1 :])


def emphasise_tables(blocks: Sequence[Block], question: str) -> tuple[Block, ...]:
    """The blocks, their tables as :func:`emphasise` has them."""
    return tuple(emphasise(block, question) if isinstance(block, Table) else block for block in blocks)
