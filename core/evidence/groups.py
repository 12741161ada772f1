"""Cuts the blocks of a page or comment into pieces of limited length, grouped by adjacent texts, list or table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.evidence.blocks import (
    Edge,
    Heading,
    ItemHeading,
    ItemLine,
    List,
    ListItem,
    PageBlock,
    Table,
    Text,
    fence_code,
    flatten_items,
)
from core.evidence.budget import Budget
from core.evidence.headings import Headings, Section, is_long
from core.evidence.linearise import LINEARISERS, Lineariser, LineariserName
from core.evidence.split import group_lengths, join_label, shorten, split_lines, split_part
from core.evidence.tables import DataTable, TableRow, resolve_table
from core.model import EvidenceKind, Structure

_REPEATED_CAPTION_CHARACTERS = 300  # in the second and later pieces of a table

Rows = tuple[tuple[tuple[str, str], ...], ...]


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """The parameters of extraction. After a change, the next sync extracts every page again."""

    lineariser: LineariserName = "verbalised"
    passages: bool = True  # index passages
    lists: bool = True  # index lists
    tables: bool = True  # index tables as a whole
    rows: bool = True  # index each row of a table
    max_chars: int = 1200  # of one evidence's text; longer ones are split
    context_words: int = 50  # of the neighbour before, and of the one after


@dataclass(frozen=True, slots=True)
class Piece:
    """An evidence without context and id."""

    kind: EvidenceKind
    text: str
    parts: tuple[str, ...]
    rows: Rows = ()
    structure: Structure | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """The pieces of adjacent texts, of a list or of a table. ``text``: all of it, the context of neighbours."""

    section: Section
    text: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """The number of tables and lists before a position on a page."""

    tables: int = 0
    lists: int = 0

    @classmethod
    def from_blocks(cls, blocks: Iterable[PageBlock]) -> BlockCounts:
        """Return the numbers of tables and lists among these blocks."""
        kinds = Counter(type(block) for block in blocks)
        return cls(kinds[Table], kinds[List])

    def __add__(self, other: BlockCounts) -> BlockCounts:
        return BlockCounts(self.tables + other.tables, self.lists + other.lists)


_NOTHING = BlockCounts()


def make_groups(
    blocks: list[PageBlock],
    anchor: Callable[[str], str],
    settings: ExtractionSettings,
    budget: Budget,
    top: Section,
    before: BlockCounts = _NOTHING,
) -> Iterator[Group]:
    """Yield the groups of blocks in document order. ``anchor`` returns a heading's anchor, called in document order.

    ``top``: the section above the first heading. ``before``: the tables and lists that precede the blocks.
    """
    section, headings = top, Headings(top, anchor)
    texts: list[Text] = []
    tables, lists = before.tables, before.lists
    for block in [*blocks, Heading(1, "")]:  # the last one completes pending texts
        budget.add_steps()
        if isinstance(block, Text):
            texts.extend([block] if block.text else [])
            continue
        if isinstance(block, ItemHeading):
            headings.count(block.heading)
            continue
        if block is Edge.START:
            headings.open_container()
            continue
        if texts:
            yield _group_passage(section, texts, settings, budget)
            texts = []
        match block:
            case Edge():
                section = headings.close_container()
            case Heading():
                section = headings.enter(block)
                texts = [Text(block.text)] if is_long(block) else []
            case List(items):
                lists += 1
                yield make_list_group(section, items, lists, settings, budget)
            case Table():
                tables += 1
                yield _group_table(section, resolve_table(block, tables, budget), settings, budget)


def _group_passage(section: Section, texts: list[Text], settings: ExtractionSettings, budget: Budget) -> Group:
    """Make the pieces of adjacent texts: spaces between the sentences of a line, line breaks between lines and code."""
    budget.add_text(sum(len(text.text) for text in texts))
    lines = list(_list_lines(texts))
    parts, separators = list[str](), list[str]()
    for line in lines:
        budget.add_steps(len(line))
        pieces = [piece for sentence in line for piece in split_part(sentence, settings.max_chars)]
        parts.extend(pieces)
        separators.extend("\n" if index == 0 or piece.startswith("```") else " " for index, piece in enumerate(pieces))
    pieces_of_group = [
        Piece(
            "passage",
            parts[group[0]] + "".join(separators[index] + parts[index] for index in group[1:]),
            tuple(parts[index] for index in group),
        )
        for group in group_lengths([len(part) for part in parts], settings.max_chars)
    ]
    text = "\n".join(map(fence_code, texts))
    return Group(section, text, tuple(pieces_of_group) if settings.passages else ())


def _list_lines(texts: Sequence[Text]) -> list[list[str]]:
    """Return the lines of adjacent texts, each as its sentences; a statement on several lines is one sentence."""
    found: list[list[str]] = []
    for text in texts:
        lines = [[fence_code(text)]] if text.code else split_lines(text.text)
        is_joined = bool(found) and len(lines) == 1 and not text.code and join_label(found[-1], lines[0])
        found += [] if is_joined else lines
    return found


def make_list_group(
    section: Section, items: tuple[ListItem, ...], number: int, settings: ExtractionSettings, budget: Budget
) -> Group:
    """Make the group of a list. ``number``: of the list on its page, from 1."""
    lines = list(flatten_items(items))
    budget.add_steps(len(lines))
    budget.add_text(sum(len(line.text) for line in lines))
    text = "\n".join(line.text for line in lines)
    return Group(section, text, tuple(_list_pieces(lines, number, settings)) if settings.lists else ())


def _list_pieces(lines: list[ItemLine], number: int, settings: ExtractionSettings) -> Iterator[Piece]:
    parts = [
        (index, line, piece)
        for index, line in enumerate(lines, start=1)
        for piece in split_part(line.text, settings.max_chars)
    ]
    for group in group_lengths([len(piece) for _, _, piece in parts], settings.max_chars):
        indexes, own, texts = zip(*(parts[at] for at in group), strict=True)
        depths, markers = tuple(line.depth for line in own), tuple(line.marker for line in own)
        yield Piece("list", "\n".join(texts), texts, structure=Structure(number, len(lines), indexes, depths, markers))


def _group_table(section: Section, table: DataTable, settings: ExtractionSettings, budget: Budget) -> Group:
    lineariser = _BudgetedLineariser(LINEARISERS[settings.lineariser], table, budget)
    rows = [part for row in table.rows for part in _split_row(row, lineariser, settings.max_chars)]
    pieces: list[Piece] = []
    if settings.tables:
        pieces.extend(_iterate_table_pieces(table, rows, lineariser, settings))
    if settings.rows:
        texts = [lineariser.write_row(row) for row in rows]
        pieces.extend(
            Piece("table_row", text, (text,), (row.cells,), _make_structure(table, [row]))
            for text, row in zip(texts, rows, strict=True)
        )
    text = "\n".join(part for part in (table.caption, *(lineariser.write_line(row) for row in table.rows)) if part)
    return Group(section, text, tuple(pieces))


def make_row_group(
    section: Section, table: DataTable, row: TableRow, total: int, settings: ExtractionSettings, budget: Budget
) -> Group:
    """Make the group of one row of a report, whose rows have different readers. ``total``: rows of the table."""
    group = _group_table(section, replace(table, rows=(row,)), settings, budget)
    pieces = (
        replace(piece, structure=piece.structure and replace(piece.structure, total=total)) for piece in group.pieces
    )
    return replace(group, pieces=tuple(pieces))


@dataclass(frozen=True, slots=True)
class _BudgetedLineariser:
    """The lineariser of one table, which counts its output in the budget."""

    lineariser: Lineariser
    table: DataTable
    budget: Budget

    def write_row(self, row: TableRow) -> str:
        return self._count(self.lineariser.row(self.table, row), row)

    def write_line(self, row: TableRow) -> str:
        return self._count(self.lineariser.line(self.table, row), row)

    def _count(self, text: str, row: TableRow) -> str:
        self.budget.add_steps(1 + len(row.cells))
        self.budget.add_text(len(text))
        return text


def _iterate_table_pieces(
    table: DataTable, rows: list[TableRow], lineariser: _BudgetedLineariser, settings: ExtractionSettings
) -> Iterator[Piece]:
    before, after = lineariser.lineariser.frame(table)
    lines = [lineariser.write_line(row) for row in rows]
    caption = table.caption
    for group in group_lengths([len(line) for line in lines], settings.max_chars):
        framed = [part for part in (caption, before, *(lines[index] for index in group), after) if part]
        lineariser.budget.add_text(sum(map(len, framed)))
        own = [rows[index] for index in group]
        parts, cells = tuple(lines[index] for index in group), tuple(row.cells for row in own)
        yield Piece("table", "\n".join(framed), parts, cells, replace(_make_structure(table, own), caption=caption))
        caption = shorten(table.caption, _REPEATED_CAPTION_CHARACTERS)


def _make_structure(table: DataTable, rows: list[TableRow]) -> Structure:
    numbers, sections = tuple(row.number for row in rows), tuple(row.section for row in rows)
    return Structure(table.number, len(table.rows), numbers, (0,) * len(rows), sections)


def _split_row(row: TableRow, lineariser: _BudgetedLineariser, limit: int) -> Iterator[TableRow]:
    """Yield the row, or its parts if its text exceeds the limit: cut between cells, or within a long cell.

    All parts repeat a short first cell, which names the row.
    """
    if len(lineariser.write_line(row)) <= limit:
        yield row
        return
    first = row.cells[:1] if sum(len(text) for text in row.cells[0]) <= limit // 8 else ()
    empty = lineariser.write_line(replace(row, cells=first))
    cells = [
        (header, piece)
        for header, value in row.cells
        for piece in split_part(value, max(limit - len(empty) - len(header) - 9, limit // 3))
    ]
    lengths = [len(header) + len(value) + 8 for header, value in cells]
    for number, group in enumerate(group_lengths(lengths, max(limit - len(empty), limit // 3))):
        part = tuple(cells[index] for index in group)
        yield replace(row, cells=part if number == 0 else (*first, *part))
