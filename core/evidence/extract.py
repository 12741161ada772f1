"""A page to its evidences: the first half of the method (RAGonite, section 3)."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from core.evidence.anchors import HeadingAnchors, with_anchor
from core.evidence.blocks import Block, Heading, List, ListItem, Table, Text, fence_code, list_lines
from core.evidence.budget import Budget
from core.evidence.contextualise import first_words, last_words
from core.evidence.linearise import LINEARISERS, Lineariser, LineariserName
from core.evidence.reader import read
from core.evidence.split import group_lengths, pack, sentences, split_part
from core.evidence.storage_format import clean, parse
from core.evidence.tables import DataTable, Row, data_table
from core.model import Context, Evidence, EvidenceKind, Page
from core.text import unescape_html

# What an exported page starts with: metadata, not evidence.
_BYLINE = re.compile(r"^Owned by .{1,100}?\s*Last updated:?.{0,100}$", re.DOTALL)
_FILE_NAME = re.compile(r'ri:filename="([^"]*)"')
_SEARCHED_NAMES = 200
# What stands in every evidence below it must not be long: the page would grow with the square of its length.
_TITLE_CHARACTERS = 500
_HEADING_CHARACTERS = 500
_REPEATED_CAPTION_CHARACTERS = 300  # in the second and later pieces of a table
_HEADING_WORDS = 4  # of a heading over nothing, from which on it is taken for a text

EXTRACTION_VERSION = 1
"""Counts up when the same page gives other evidences: every page is then extracted anew at its next sync."""

Rows = tuple[tuple[tuple[str, str], ...], ...]


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """How pages become evidences. A change of any of these makes every page's evidences anew."""

    lineariser: LineariserName = "verbalised"
    passages: bool = True  # index passages
    lists: bool = True  # index lists
    tables: bool = True  # index tables as a whole
    rows: bool = True  # index each row of a table
    max_chars: int = 1200  # of one evidence's text; longer ones are split
    context_words: int = 50  # of the neighbour before, and of the one after


@dataclass(frozen=True, slots=True)
class Extraction:
    """A page's evidences in document order, and what was wrong with its markup ("" if nothing)."""

    evidences: tuple[Evidence, ...]
    defect: str = ""


@dataclass(frozen=True, slots=True)
class _Section:
    heading_path: tuple[str, ...] = ()
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class _Piece:
    """An evidence in the making: everything but its neighbours and its identity."""

    kind: EvidenceKind
    text: str
    parts: tuple[str, ...]
    rows: Rows = ()


@dataclass(frozen=True, slots=True)
class _Group:
    """What stands at one place of the page: a text, a list or a table, as pieces; ``whole`` for its neighbours."""

    section: _Section
    whole: str
    pieces: tuple[_Piece, ...]


def extract(page: Page, settings: ExtractionSettings | None = None, budget: Budget | None = None) -> Extraction:
    """All evidences of a page: passages, lists, tables and table rows, with their context.

    Raises :class:`core.errors.PageOverBudget` for a page that takes more work or room than ``budget`` allows,
    without one what a page of its size may take; nothing else.
    """
    settings = settings or ExtractionSettings()
    budget = budget or Budget.for_page(page)
    page = replace(page, title=_shortened(" ".join(clean(page.title).split()), _TITLE_CHARACTERS))
    parsed = parse(page.content, budget)
    blocks = list(_headings_that_speak(_without_byline(read(parsed.root, budget))))
    placed = list(_placed(list(_groups(blocks, page, settings, budget)), page, settings, budget))
    # The files stand nowhere on the page, so they are nobody's neighbours.
    placed += _placed(_attached(page, settings, budget), page, settings, budget, len(placed))
    return Extraction(tuple(_identified(placed)), parsed.defect)


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 2].rstrip()} …"


def _attached(page: Page, settings: ExtractionSettings, budget: Budget) -> list[_Group]:
    """The files at the page that its text does not name."""
    if not page.attachments:
        return []
    content = unescape_html(page.content)
    named = set(_FILE_NAME.findall(content))
    unnamed = [name for name in page.attachments if name not in named]
    # Of very many only the first are searched for in the whole text: it would be read once for each.
    searched = unnamed[:_SEARCHED_NAMES]
    budget.operate(len(page.attachments))
    names = [name for name in searched if name not in content] + unnamed[_SEARCHED_NAMES:]
    names = [" ".join(clean(name).split()) for name in names]
    items = tuple(ListItem("-", f"[file: {name}]") for name in names if name)
    return [_list(_Section(), items, settings, budget)] if items else []


def _without_byline(blocks: list[Block]) -> list[Block]:
    first = blocks[0] if blocks else None
    return blocks[1:] if isinstance(first, Text) and _BYLINE.match(first.text) else blocks


def _headings_that_speak(blocks: list[Block]) -> Iterator[Block]:
    """A heading with nothing under it is a text if it says more than a label: an agenda set in headings."""
    for block, following in zip(blocks, [*blocks[1:], Heading(1, "")], strict=False):
        yield block
        if isinstance(block, Heading) and isinstance(following, Heading):
            over_nothing = following.level <= block.level
            if over_nothing and len(block.text.split()) >= _HEADING_WORDS and not _is_long(block):
                yield Text(block.text)


# ------------------------------------------------------------------------------- blocks to groups


def _groups(blocks: list[Block], page: Page, settings: ExtractionSettings, budget: Budget) -> Iterator[_Group]:
    anchors = HeadingAnchors(page.title, page.url)
    section, levels = _Section(), list[tuple[int, str]]()
    texts: list[Text] = []
    tables = 0
    for block in [*blocks, Heading(1, "")]:  # the last one only ends what is open
        budget.operate()
        if isinstance(block, Text):
            texts.extend([block] if block.text else [])
            continue
        if texts:
            yield _passage(section, texts, settings, budget)
            texts = []
        match block:
            case Heading(level, text):
                name = _shortened(text, _HEADING_CHARACTERS)
                levels = [(above, name) for above, name in levels if above < level] + [(level, name)]
                section = _Section(tuple(name for _, name in levels), "" if _is_long(block) else anchors.anchor(text))
                texts = [Text(text)] if _is_long(block) else []
            case List(items):
                yield _list(section, items, settings, budget)
            case Table():
                tables += 1
                yield _table(section, data_table(block, tables, budget), settings, budget)


def _is_long(heading: Heading) -> bool:
    """Whether a heading is too long to stand in every evidence below it: it becomes a text of its own."""
    return len(heading.text) > _HEADING_CHARACTERS


def _passage(section: _Section, texts: list[Text], settings: ExtractionSettings, budget: Budget) -> _Group:
    """Sentences of a line with a space between them, lines and code blocks below each other."""
    budget.handle(sum(len(text.text) for text in texts))
    lines = [[fence_code(text)] if text.code else sentences(line) for text in texts for line in _lines_of(text)]
    parts, separators = list[str](), list[str]()
    for line in lines:
        budget.operate(len(line))
        pieces = [piece for sentence in line for piece in split_part(sentence, settings.max_chars)]
        parts.extend(pieces)
        separators.extend("\n" if index == 0 or piece.startswith("```") else " " for index, piece in enumerate(pieces))
    pieces_of_group = [
        _Piece(
            "passage",
            parts[group[0]] + "".join(separators[index] + parts[index] for index in group[1:]),
            tuple(parts[index] for index in group),
        )
        for group in group_lengths([len(part) for part in parts], settings.max_chars)
    ]
    whole = "\n".join(fence_code(text) for text in texts)
    return _Group(section, whole, tuple(pieces_of_group) if settings.passages else ())


def _lines_of(text: Text) -> list[str]:
    return [text.text] if text.code else text.text.split("\n")


def _list(section: _Section, items: tuple[ListItem, ...], settings: ExtractionSettings, budget: Budget) -> _Group:
    lines = list(list_lines(items))
    budget.operate(len(lines))
    budget.handle(sum(map(len, lines)))
    groups = pack(lines, settings.max_chars) if settings.lists else []
    return _Group(section, "\n".join(lines), tuple(_Piece("list", "\n".join(group), tuple(group)) for group in groups))


def _table(section: _Section, table: DataTable, settings: ExtractionSettings, budget: Budget) -> _Group:
    lineariser = _Counted(LINEARISERS[settings.lineariser], table, budget)
    rows = [part for row in table.rows for part in _fitted_row(row, lineariser, settings.max_chars)]
    pieces: list[_Piece] = []
    if settings.tables:
        pieces.extend(_table_pieces(table, rows, lineariser, settings))
    if settings.rows:
        texts = [lineariser.row(row) for row in rows]
        pieces.extend(_Piece("table_row", text, (text,), (row.cells,)) for text, row in zip(texts, rows, strict=True))
    whole = "\n".join(part for part in (table.caption, *(lineariser.line(row) for row in table.rows)) if part)
    return _Group(section, whole, tuple(pieces))


@dataclass(frozen=True, slots=True)
class _Counted:
    """A lineariser of one table, whose texts are counted."""

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
    table: DataTable, rows: list[Row], lineariser: _Counted, settings: ExtractionSettings
) -> Iterator[_Piece]:
    before, after = lineariser.lineariser.frame(table)
    lines = [lineariser.line(row) for row in rows]
    caption = table.caption
    for group in group_lengths([len(line) for line in lines], settings.max_chars):
        framed = [part for part in (caption, before, *(lines[index] for index in group), after) if part]
        lineariser.budget.handle(sum(map(len, framed)))
        cells = tuple(rows[index].cells for index in group)
        yield _Piece("table", "\n".join(framed), tuple(lines[index] for index in group), cells)
        caption = _shortened(table.caption, _REPEATED_CAPTION_CHARACTERS)


def _fitted_row(row: Row, lineariser: _Counted, limit: int) -> Iterator[Row]:
    """The row, or its parts where its text is longer than the limit: cut between cells, or within a long one.

    Later parts repeat a short first cell: it says which row they are of.
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


# --------------------------------------------------------------------------- context and identity


def _placed(
    groups: list[_Group], page: Page, settings: ExtractionSettings, budget: Budget, ordinal: int = 0
) -> Iterator[Evidence]:
    words = settings.context_words
    for index, group in enumerate(groups):
        before = last_words(groups[index - 1].whole, words) if index else ""
        after = first_words(groups[index + 1].whole, words) if index + 1 < len(groups) else ""
        context = Context(page.title, group.section.heading_path, before, after)
        url = with_anchor(page.url, group.section.anchor)
        for at, piece in enumerate(group.pieces):
            around = _between(group.pieces, at, context, words) if piece.kind == "passage" else context
            budget.emit(_characters(piece, around) + len(url))
            yield Evidence(
                "", page.page_id, page.space, piece.kind, ordinal, piece.text, around, url, piece.parts, piece.rows
            )
            ordinal += 1


def _characters(piece: _Piece, context: Context) -> int:
    """All that is kept of an evidence, but its address."""
    cells = sum(len(header) + len(value) for row in piece.rows for header, value in row)
    path = sum(map(len, context.heading_path))
    around = len(context.title) + path + len(context.before) + len(context.after)
    return len(piece.text) + sum(map(len, piece.parts)) + cells + around


def _between(pieces: tuple[_Piece, ...], at: int, context: Context, words: int) -> Context:
    """The pieces of a split passage are each other's neighbours; those of lists and tables keep the introduction."""
    before = last_words(pieces[at - 1].text, words) if at else context.before
    after = first_words(pieces[at + 1].text, words) if at + 1 < len(pieces) else context.after
    return replace(context, before=before, after=after)


def _identified(evidences: Iterable[Evidence]) -> Iterator[Evidence]:
    """Ids that stay while text and place stay: equal texts under one heading are told apart by their order."""
    seen: Counter[tuple[str, ...]] = Counter()
    for evidence in evidences:
        place = (evidence.page_id, evidence.kind, *evidence.context.heading_path, evidence.text)
        digest = hashlib.sha256("\x1f".join((*place, str(seen[place]))).encode("utf-8", "surrogatepass")).hexdigest()
        seen[place] += 1
        yield replace(evidence, evidence_id=digest[:20])
