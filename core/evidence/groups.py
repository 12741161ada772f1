"""Cuts the blocks of a page or comment into pieces of limited length, in groups: adjacent texts, a list, a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from core.evidence import inline
from core.evidence.blocks import Block, Heading, ItemLine, List, ListItem, Table, Text, fence_code, list_lines
from core.evidence.budget import Budget
from core.evidence.linearise import LINEARISERS, Lineariser, LineariserName
from core.evidence.split import group_lengths, sentences, split_part
from core.evidence.tables import DataTable, Row, data_table
from core.evidence.tree import HEADINGS, MACROS, Node
from core.model import EvidenceKind, Structure

# Texts that are repeated in every evidence are limited: the output would grow with the square of the page.
_HEADING_CHARACTERS = 500
_REPEATED_CAPTION_CHARACTERS = 300  # in the second and later pieces of a table

Rows = tuple[tuple[tuple[str, str], ...], ...]


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """The parameters of extraction. After a change the next sync extracts every page again."""

    lineariser: LineariserName = "verbalised"
    passages: bool = True  # index passages
    lists: bool = True  # index lists
    tables: bool = True  # index tables as a whole
    rows: bool = True  # index each row of a table
    max_chars: int = 1200  # of one evidence's text; longer ones are split
    context_words: int = 50  # of the neighbour before, and of the one after


@dataclass(frozen=True, slots=True)
class Section:
    """Where blocks stand. Of a comment: with its address, and with what stands above its text as ``heading_path``.

    ``origin``, ``via``: the ids of the page that they come from and of those between, as of an evidence.
    """

    heading_path: tuple[str, ...] = ()
    anchor: str = ""
    thread: str = ""
    url: str = ""
    origin: str = ""
    via: tuple[str, ...] = ()


class Headings:
    """The headings over a place on a page, from the top."""

    def __init__(self, top: Section, anchor: Callable[[str], str]) -> None:
        """``top``: the section above the first heading. ``anchor``: gives that of a heading, and is asked in order."""
        self._top = top
        self._anchor = anchor
        self._levels: list[tuple[int, str]] = []

    def enter(self, heading: Heading) -> Section:
        """The section below the next heading."""
        name = shorten(heading.text, _HEADING_CHARACTERS)
        self._levels = [(level, above) for level, above in self._levels if level < heading.level]
        self._levels.append((heading.level, name))
        path = (*self._top.heading_path, *(name for _, name in self._levels))
        return replace(self._top, heading_path=path, anchor="" if is_long(heading) else self._anchor(heading.text))


def find_macros(
    root: Node, names: Collection[str], anchor: Callable[[str], str], budget: Budget
) -> Iterator[tuple[str, Node, Section]]:
    """The macros of these names in document order, each with its name and section. ``anchor``: as of Headings."""
    section = Section()
    headings = Headings(section, anchor)
    for node in root.below():
        budget.operate()
        if node.name in HEADINGS and not node.in_item:
            if text := inline.heading(node, budget):
                section = headings.enter(Heading(HEADINGS[node.name], text))
        elif node.name in MACROS and (name := node.attribute("ac:name")) in names:
            yield name, node, section


@dataclass(frozen=True, slots=True)
class Piece:
    """An evidence without its context and its identity."""

    kind: EvidenceKind
    text: str
    parts: tuple[str, ...]
    rows: Rows = ()
    structure: Structure | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """The pieces of adjacent texts, of a list or of a table; ``whole``: their text, for the context of neighbours."""

    section: Section
    whole: str
    pieces: tuple[Piece, ...]


def shorten(text: str, limit: int) -> str:
    """The text, cut where it is longer than the limit."""
    return text if len(text) <= limit else f"{text[: limit - 2].rstrip()} …"


@dataclass(frozen=True, slots=True)
class Numbers:
    """How many tables and lists of a page stand before a place on it."""

    tables: int = 0
    lists: int = 0

    @classmethod
    def after(cls, blocks: Iterable[Block]) -> Numbers:
        """How many are among these blocks."""
        kinds = Counter(type(block) for block in blocks)
        return cls(kinds[Table], kinds[List])

    def __add__(self, other: Numbers) -> Numbers:
        return Numbers(self.tables + other.tables, self.lists + other.lists)


_NOTHING = Numbers()


def make_groups(
    blocks: list[Block],
    anchor: Callable[[str], str],
    settings: ExtractionSettings,
    budget: Budget,
    top: Section,
    before: Numbers = _NOTHING,
) -> Iterator[Group]:
    """The groups of blocks in document order. ``anchor``: gives that of a heading, and is asked in document order.

    ``top``: the section of what stands above the first heading. ``before``: tables and lists above the blocks.
    """
    section, headings = top, Headings(top, anchor)
    texts: list[Text] = []
    tables, lists = before.tables, before.lists
    for block in [*blocks, Heading(1, "")]:  # the last one ends open texts
        budget.operate()
        if isinstance(block, Text):
            texts.extend([block] if block.text else [])
            continue
        if texts:
            yield _passage(section, texts, settings, budget)
            texts = []
        match block:
            case Heading():
                section = headings.enter(block)
                texts = [Text(block.text)] if is_long(block) else []
            case List(items):
                lists += 1
                yield make_list_group(section, items, lists, settings, budget)
            case Table():
                tables += 1
                yield _table(section, data_table(block, tables, budget), settings, budget)


def is_long(heading: Heading) -> bool:
    """Whether a heading is too long to be repeated in every evidence below it: it becomes a text instead."""
    return len(heading.text) > _HEADING_CHARACTERS


def _passage(section: Section, texts: list[Text], settings: ExtractionSettings, budget: Budget) -> Group:
    """The pieces of adjacent texts: a space between sentences of a line, a line break between lines and code."""
    budget.handle(sum(len(text.text) for text in texts))
    lines = [[fence_code(text)] if text.code else sentences(line) for text in texts for line in _lines_of(text)]
    parts, separators = list[str](), list[str]()
    for line in lines:
        budget.operate(len(line))
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
    whole = "\n".join(fence_code(text) for text in texts)
    return Group(section, whole, tuple(pieces_of_group) if settings.passages else ())


def _lines_of(text: Text) -> list[str]:
    return [text.text] if text.code else text.text.split("\n")


def make_list_group(
    section: Section, items: tuple[ListItem, ...], number: int, settings: ExtractionSettings, budget: Budget
) -> Group:
    """``number``: of the list on its page, from 1."""
    lines = list(list_lines(items))
    budget.operate(len(lines))
    budget.handle(sum(len(line.text) for line in lines))
    whole = "\n".join(line.text for line in lines)
    return Group(section, whole, tuple(_list_pieces(lines, number, settings)) if settings.lists else ())


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


def _table(section: Section, table: DataTable, settings: ExtractionSettings, budget: Budget) -> Group:
    lineariser = _BudgetedLineariser(LINEARISERS[settings.lineariser], table, budget)
    rows = [part for row in table.rows for part in _split_row(row, lineariser, settings.max_chars)]
    pieces: list[Piece] = []
    if settings.tables:
        pieces.extend(_table_pieces(table, rows, lineariser, settings))
    if settings.rows:
        texts = [lineariser.row(row) for row in rows]
        pieces.extend(
            Piece("table_row", text, (text,), (row.cells,), _structure(table, [row]))
            for text, row in zip(texts, rows, strict=True)
        )
    whole = "\n".join(part for part in (table.caption, *(lineariser.line(row) for row in table.rows)) if part)
    return Group(section, whole, tuple(pieces))


def make_row_group(
    section: Section, table: DataTable, row: Row, total: int, settings: ExtractionSettings, budget: Budget
) -> Group:
    """The group of one row of a table whose rows have readers of their own. ``total``: of the table's rows."""
    group = _table(section, replace(table, rows=(row,)), settings, budget)
    pieces = (
        replace(piece, structure=piece.structure and replace(piece.structure, total=total)) for piece in group.pieces
    )
    return replace(group, pieces=tuple(pieces))


@dataclass(frozen=True, slots=True)
class _BudgetedLineariser:
    """A lineariser of one table that counts its texts in the budget."""

    lineariser: Lineariser
    table: DataTable
    budget: Budget

    def row(self, row: Row) -> str:
        return self._count(self.lineariser.row(self.table, row), row)

    def line(self, row: Row) -> str:
        return self._count(self.lineariser.line(self.table, row), row)

    def _count(self, text: str, row: Row) -> str:
        self.budget.operate(1 + len(row.cells))
        self.budget.handle(len(text))
        return text


def _table_pieces(
    table: DataTable, rows: list[Row], lineariser: _BudgetedLineariser, settings: ExtractionSettings
) -> Iterator[Piece]:
    before, after = lineariser.lineariser.frame(table)
    lines = [lineariser.line(row) for row in rows]
    caption = table.caption
    for group in group_lengths([len(line) for line in lines], settings.max_chars):
        framed = [part for part in (caption, before, *(lines[index] for index in group), after) if part]
        lineariser.budget.handle(sum(map(len, framed)))
        own = [rows[index] for index in group]
        parts, cells = tuple(lines[index] for index in group), tuple(row.cells for row in own)
        yield Piece("table", "\n".join(framed), parts, cells, replace(_structure(table, own), caption=caption))
        caption = shorten(table.caption, _REPEATED_CAPTION_CHARACTERS)


def _structure(table: DataTable, rows: list[Row]) -> Structure:
    numbers, sections = tuple(row.number for row in rows), tuple(row.section for row in rows)
    return Structure(table.number, len(table.rows), numbers, (0,) * len(rows), sections)


def _split_row(row: Row, lineariser: _BudgetedLineariser, limit: int) -> Iterator[Row]:
    """The row, or its parts if its text is longer than the limit: cut between cells, or within a long one.

    Later parts repeat a short first cell, which names the row.
    """
    if len(lineariser.line(row)) <= limit:
        yield row
        return
    first = row.cells[:1] if sum(len(text) for text in row.cells[0]) <= limit // 8 else ()
    empty = lineariser.line(replace(row, cells=first))
    cells = [
        (header, piece)
        for header, value in row.cells
        for piece in split_part(value, max(limit - len(empty) - len(header) - 9, limit // 3))
    ]
    lengths = [len(header) + len(value) + 8 for header, value in cells]
    for number, group in enumerate(group_lengths(lengths, max(limit - len(empty), limit // 3))):
        part = tuple(cells[index] for index in group)
        yield replace(row, cells=part if number == 0 else (*first, *part))
