"""Show the table rows that an answer quotes as tables again, with the requested values first and in bold.

A line of the answer is such a row if each piece of it is a cell of one row of a cited evidence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from core.answering.extractive.compose import BETWEEN_CELLS, replace_brackets
from core.model import Author, Evidence, Turn
from core.reading.words import Word, is_same_noun, words_of
from core.views.document import Block, Run, Runs, Table, label, text_of
from core.views.markdown import Citing, parse_plain, split_mark
from core.views.model import AnswerView, RowView

_LEAST_CELLS = 2
_ITEM = "- "


# ------------------------------------------------------------------------------------------ from a turn


def find_quoted_rows(turn: Turn) -> tuple[RowView, ...]:
    """Find the lines of an extractive answer that are rows of cited tables, each once."""
    if turn.answer.author is not Author.WIKI or turn.answer.erased:
        return ()
    cited = {citation.evidence_id for citation in turn.answer.citations}
    rows = _index_rows([ranked.evidence for ranked in turn.evidences if ranked.evidence.evidence_id in cited])
    found: dict[str, RowView] = {}
    for line in turn.answer.text.split("\n") if rows else ():
        words, _ = split_mark(line.strip().removeprefix(_ITEM))
        pieces = words.split(BETWEEN_CELLS)
        # The name of the place precedes the first cell, so only the last piece is always a whole cell.
        views = (_view_row(words, pieces, row) for row in rows.get(pieces[-1], ()))
        if len(pieces) >= _LEAST_CELLS and (row := next(filter(None, views), None)):
            found[words] = row
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class _QuotableRow:
    """A row that an answer may quote.

    ``cells``: header and value by their form in an answer. ``leads``: possible texts before the first cell.
    """

    cells: Mapping[str, tuple[str, str]]
    leads: Sequence[str]


def _index_rows(tables: Sequence[Evidence]) -> dict[str, list[_QuotableRow]]:
    """Index the rows of tables by each of their cells."""
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
    """Return the row if all pieces of the line are its cells."""
    first, *others = pieces
    if not all(piece in row.cells for piece in others):
        return None
    for lead in row.leads:
        begin = first.removeprefix(lead).removeprefix(_ITEM)
        if first.startswith(lead) and begin in row.cells:
            return RowView(line, lead.rstrip(" –:"), tuple(row.cells[piece] for piece in (begin, *others)))
    return None


def _as_written(words: str) -> str:
    """Return a page's words in the form they have in an answer."""
    return " ".join(replace_brackets(words).split())


# ---------------------------------------------------------------------------------------------- as blocks


def parse_with_rows(view: AnswerView) -> Iterator[Block]:
    """Parse an extractive answer: consecutive rows become a table, the rest is text."""
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
    """Make a table with a column for each header. A row's citation stands in its first cell."""
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
    """Return the headers of cells, each with the number of equal headers before it."""
    names = [header for header, _ in cells]
    return tuple((name, names[:at].count(name)) for at, name in enumerate(names))


# ------------------------------------------------------------------------------------------- what was asked


def emphasise(table: Table, question: str) -> Table:
    """Move the rows that a question names to the top, and make the values it asks for bold."""
    asked = [word for word in words_of(question) if word.is_content]
    named = _find_named_rows(table, asked) if len(table.rows) > 1 else list(range(len(table.rows)))
    column = _find_asked_column(table, asked)
    others = [at for at in range(len(table.rows)) if at not in named]
    bold = [_embolden(table.rows[at], column) for at in named]
    return replace(table, rows=(*bold, *(table.rows[at] for at in others)))


def _find_named_rows(table: Table, asked: Sequence[Word]) -> list[int]:
    """Return the indexes of rows that the question names, by the first column that names some but not all."""
    for column in range(len(table.head)):
        named = [at for at, row in enumerate(table.rows) if _names(asked, text_of(_words_only(row[column])))]
        if 0 < len(named) < len(table.rows):
            return named
    return []


def _names(asked: Sequence[Word], cell: str) -> bool:
    words = [word for word in words_of(cell) if word.is_content]
    return bool(words) and all(_is_among(word, asked) for word in words)


def _find_asked_column(table: Table, asked: Sequence[Word]) -> int | None:
    """Return the column, except the first, whose header shares most words with the question; None if ambiguous."""
    shares: list[tuple[int, float]] = [(0, 0.0)]
    for cell in table.head[1:]:
        words = [word for word in words_of(text_of(cell)) if word.is_content]
        found = sum(_is_among(word, asked) for word in words)
        shares.append((found, found / max(len(words), 1)))
    best = max(shares)
    return shares.index(best) if best[0] and shares.count(best) == 1 else None


def _is_among(word: Word, asked: Sequence[Word]) -> bool:
    return any(is_same_noun(word.folded, other.folded) for other in asked)


def _words_only(cell: Runs) -> Runs:
    """Return a cell without citation marks, which are links."""
    return tuple(run for run in cell if not run.url)


def _embolden(row: tuple[Runs, ...], column: int | None) -> tuple[Runs, ...]:
    if column is None:
        return row
    cell = tuple(
        run if run.url or "bold" in run.styles else replace(run, styles=(*run.styles, "bold")) for run in row[column]
    )
    return (*row[:column], cell, *row[column + 1 :])


def emphasise_tables(blocks: Sequence[Block], question: str) -> tuple[Block, ...]:
    """Apply :func:`emphasise` to the tables among blocks."""
    return tuple(emphasise(block, question) if isinstance(block, Table) else block for block in blocks)
