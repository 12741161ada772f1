"""A page to its evidences: the first half of the method (RAGonite, section 3)."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.evidence.anchors import HeadingAnchors, with_anchor
from core.evidence.blocks import Block, Heading, List, ListItem, Table, Text, fenced
from core.evidence.contextualise import first_words, last_words
from core.evidence.linearise import LINEARISERS, Lineariser, LineariserName
from core.evidence.reader import read
from core.evidence.split import pack, sentences
from core.evidence.storage_format import parse
from core.evidence.tables import DataTable, Row, data_table
from core.model import Context, Evidence, EvidenceKind, Page

# What an exported page starts with: metadata, not evidence.
_BYLINE = re.compile(r"^Owned by .+?Last updated:?.*$", re.DOTALL)

EXTRACTION_VERSION = 1
"""Counts up when the same page gives other evidences: every page is then extracted anew at its next sync."""

Rows = tuple[tuple[tuple[str, str], ...], ...]


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """How pages become evidences. A change of any of these makes every page's evidences anew."""

    lineariser: LineariserName = "verbalised"
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


def extract(page: Page, settings: ExtractionSettings | None = None) -> Extraction:
    """All evidences of a page: passages, lists, tables and table rows, with their context."""
    settings = settings or ExtractionSettings()
    parsed = parse(page.content)
    groups = list(_groups(_without_byline(read(parsed.root)), page, settings))
    return Extraction(tuple(_identified(_placed(groups, page, settings))), parsed.defect)


def _without_byline(blocks: list[Block]) -> list[Block]:
    first = blocks[0] if blocks else None
    return blocks[1:] if isinstance(first, Text) and _BYLINE.match(first.text) else blocks


# ------------------------------------------------------------------------------- blocks to groups


def _groups(blocks: list[Block], page: Page, settings: ExtractionSettings) -> Iterator[_Group]:
    anchors = HeadingAnchors(page.title, page.url)
    section, levels = _Section(), list[tuple[int, str]]()
    texts: list[Text] = []
    tables = 0
    for block in [*blocks, Heading(1, "")]:  # the last one only ends what is open
        if isinstance(block, Text):
            texts.append(block)
            continue
        if texts:
            yield _passage(section, texts, settings)
            texts = []
        match block:
            case Heading(level, text):
                levels = [(above, name) for above, name in levels if above < level] + [(level, text)]
                section = _Section(tuple(name for _, name in levels), anchors.anchor(text))
            case List(items):
                yield _list(section, items, settings)
            case Table():
                tables += 1
                yield _table(section, data_table(block, tables), settings)


def _passage(section: _Section, texts: list[Text], settings: ExtractionSettings) -> _Group:
    parts = [part for text in texts for part in ([fenced(text)] if text.code else sentences(text.text))]
    groups = pack(parts, settings.max_chars)
    pieces = tuple(_Piece("passage", _joined(group), tuple(group)) for group in groups)
    return _Group(section, "\n".join(fenced(text) for text in texts), pieces)


def _joined(parts: list[str]) -> str:
    """Sentences in one line, code blocks on lines of their own."""
    text = ""
    for part in parts:
        separator = "\n" if part.startswith("```") or text.endswith("```") else " "
        text += separator + part if text else part
    return text


def _list(section: _Section, items: tuple[ListItem, ...], settings: ExtractionSettings) -> _Group:
    lines = list(_lines(items, 0))
    groups = pack(lines, settings.max_chars)
    return _Group(section, "\n".join(lines), tuple(_Piece("list", "\n".join(group), tuple(group)) for group in groups))


def _lines(items: tuple[ListItem, ...], depth: int) -> Iterator[str]:
    for item in items:
        if item.text:
            yield f"{'  ' * depth}{item.marker} {item.text}"
        yield from _lines(item.children, depth + 1 if item.text else depth)


def _table(section: _Section, table: DataTable, settings: ExtractionSettings) -> _Group:
    lineariser = LINEARISERS[settings.lineariser]
    pieces = [*_table_pieces(table, lineariser, settings), *_row_pieces(table, lineariser, settings)]
    return _Group(section, "\n".join(lineariser.line(table, row) for row in table.rows), tuple(pieces))


def _table_pieces(table: DataTable, lineariser: Lineariser, settings: ExtractionSettings) -> Iterator[_Piece]:
    if not settings.tables or not table.rows:
        return
    before, after = lineariser.frame(table)
    taken = 0
    lines = [lineariser.line(table, row) for row in table.rows]
    for group in _pack_rows(lines, settings.max_chars):
        rows = tuple(row.cells for row in table.rows[taken : taken + len(group)])
        taken += len(group)
        framed = [part for part in (table.caption, before, *group, after) if part]
        yield _Piece("table", "\n".join(framed), tuple(group), rows)


def _pack_rows(lines: list[str], limit: int) -> list[list[str]]:
    """Groups rows like :func:`pack`, but a row that is too long stays whole: its own evidence is cut instead."""
    groups: list[list[str]] = []
    size = limit + 1
    for line in lines:
        if size + min(len(line), limit) > limit:
            groups.append([])
            size = 0
        groups[-1].append(line)
        size += len(line) + 1
    return groups


def _row_pieces(table: DataTable, lineariser: Lineariser, settings: ExtractionSettings) -> Iterator[_Piece]:
    if not settings.rows:
        return
    for row in table.rows:
        for part in _pack_cells(row, settings.max_chars):
            text = lineariser.row(table, part)
            yield _Piece("table_row", text, (text,), (part.cells,))


def _pack_cells(row: Row, limit: int) -> Iterator[Row]:
    """A row, cut between cells (and within a cell that is too long) where it is longer than the limit."""
    cells = [(header, piece) for header, value in row.cells for (piece,) in pack([value], limit) or [[""]] if piece]
    start, size = 0, 0
    for end, (header, value) in enumerate(cells):
        if end > start and size + len(header) + len(value) > limit:
            yield replace(row, cells=tuple(cells[start:end]))
            start, size = end, 0
        size += len(header) + len(value) + 9
    if cells[start:]:
        yield replace(row, cells=tuple(cells[start:]))


# --------------------------------------------------------------------------- context and identity


def _placed(groups: list[_Group], page: Page, settings: ExtractionSettings) -> Iterator[Evidence]:
    words = settings.context_words
    ordinal = 0
    for index, group in enumerate(groups):
        before = last_words(groups[index - 1].whole, words) if index else ""
        after = first_words(groups[index + 1].whole, words) if index + 1 < len(groups) else ""
        splits = [piece for piece in group.pieces if piece.kind == "passage"]
        for piece in group.pieces:
            context = Context(page.title, group.section.heading_path, before, after)
            if len(splits) > 1:
                context = _between(splits, piece, context, words)
            url = with_anchor(page.url, group.section.anchor)
            yield Evidence(
                "", page.page_id, page.space, piece.kind, ordinal, piece.text, context, url, piece.parts, piece.rows
            )
            ordinal += 1


def _between(pieces: list[_Piece], piece: _Piece, context: Context, words: int) -> Context:
    """The pieces of a split passage are each other's neighbours; those of lists and tables keep the introduction."""
    at = pieces.index(piece)
    before = last_words(pieces[at - 1].text, words) if at else context.before
    after = first_words(pieces[at + 1].text, words) if at + 1 < len(pieces) else context.after
    return replace(context, before=before, after=after)


def _identified(evidences: Iterator[Evidence]) -> Iterator[Evidence]:
    """Ids that stay while text and place stay: equal texts under one heading are told apart by their order."""
    seen: Counter[tuple[str, ...]] = Counter()
    for evidence in evidences:
        place = (evidence.page_id, evidence.kind, *evidence.context.heading_path, evidence.text)
        digest = hashlib.sha256("\x1f".join((*place, str(seen[place]))).encode()).hexdigest()
        seen[place] += 1
        yield replace(evidence, evidence_id=digest[:20])
