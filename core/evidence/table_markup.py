"""Table markup to tables as written: cells with their text and spans."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from core.evidence import inline
from core.evidence.blocks import Block, Cell, Heading, List, Table, Text, fenced
from core.evidence.lists import Flow, flat, table_text
from core.evidence.storage_format import attribute, tag

_MAX_SPAN = 100  # a span larger than any table is a typing error, and would cost memory
_YES = {"✓", "✔", "✅", "☑"}
_NO = {"✗", "✘", "❌", "❎", "✖"}


def read_table(node: etree._Element, flow: Flow) -> Iterator[Block]:
    """The table, then the tables inside it; only what is in its cells where they frame text and hold no data."""
    rows = [row for row in node.iterdescendants("tr") if _owner(row) is node]
    written = [[cell for cell in row if tag(cell) in {"td", "th"}] for row in rows]
    if _is_layout(written):
        for cell in written[0] if len(written) == 1 else [cell for row in written for cell in row]:
            yield from flow(cell)
        return
    cells = tuple(tuple(_cell(cell, flow) for cell in row if not _is_numbering(cell)) for row in written)
    caption = " ".join(inline.inline(below).replace("\n", " ") for below in node.iterchildren("caption"))
    if any(cell.text for row in cells for cell in row):
        yield Table(cells, sum(1 for row in rows if tag(row.getparent()) == "thead"), caption)
    elif caption:
        yield Text(caption)
    for inner in node.iterdescendants("table"):
        if _owner(inner) is node:
            yield from read_table(inner, flow)


def _is_layout(rows: list[list[etree._Element]]) -> bool:
    """A frame around text: a single cell, or one row of cells that hold more than text."""
    cells = [cell for row in rows for cell in row]
    if len(cells) == 1:
        return True
    one_row = sum(1 for row in rows if row) == 1 and not any(tag(cell) == "th" for cell in cells)
    return one_row and any(next(cell.iter(*_PAGE_PARTS), None) is not None for cell in cells)


_PAGE_PARTS = ("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre")


def _owner(node: etree._Element) -> etree._Element | None:
    return next(node.iterancestors("table"), None)


def _is_numbering(cell: etree._Element) -> bool:
    return "numberingColumn" in attribute(cell, "class")


def _cell(node: etree._Element, flow: Flow) -> Cell:
    header = tag(node) == "th"
    text = _text(node, flow, " " if header else "; ")
    return Cell(
        text=text,
        header=header,
        strong=bool(text) and not header and _is_bold(node),
        colspan=_span(attribute(node, "colspan")),
        rowspan=_span(attribute(node, "rowspan")),
    )


def _is_bold(node: etree._Element) -> bool:
    bold = [word for strong in node.iterdescendants("strong", "b") for word in "".join(strong.itertext()).split()]
    return bool(bold) and len(bold) >= len("".join(node.itertext()).split())


def _span(value: str) -> int:
    number = value.strip()
    return min(max(int(number), 1), _MAX_SPAN) if number.isdecimal() and len(number) < 10 else 1


def _text(node: etree._Element, flow: Flow, separator: str) -> str:
    text = ""
    for block in flow(node):
        if isinstance(block, Text) and block.code and "\n" in block.text:
            text += f"\n{fenced(block)}\n"
            continue
        for line in _lines(block):
            text += _between(text, separator) + line
    text = text.strip()
    mark = text.rstrip("\ufe0f")
    return "yes" if mark in _YES else "no" if mark in _NO else text


def _lines(block: Block) -> list[str]:
    match block:
        case Text() | Heading():
            lines = block.text.split("\n")
        case List():
            lines = [line if "```" in line else line.replace("\n", " ") for line in flat(block.items)]
        case Table():
            lines = [table_text(block)]
    return [line for line in (line.strip() for line in lines) if line]


def _between(text: str, separator: str) -> str:
    """A semicolon where a line did not end a sentence, else a space."""
    if not text or text.endswith("\n"):
        return ""
    return " " if text[-1] in ".:;,!?" else separator
