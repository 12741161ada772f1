"""Reads the markup of lists and tables into blocks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from core.evidence import inline
from core.evidence.blocks import Block, Cell, Heading, List, ListItem, Table, Text, fence_code
from core.evidence.budget import Budget
from core.evidence.line import Line, tidy
from core.evidence.tree import Node

Flow = Callable[[Node], Iterator[Block]]
"""Reads the blocks inside an element."""

_REPEATED_TERM_CHARACTERS = 200  # of a term that is repeated before its second and later definitions

_LISTS = {"ul", "ol", "ac:task-list"}


def is_list(node: Node) -> bool:
    """Whether this element is a list of any kind."""
    name = node.name
    return name in _LISTS or name == "dl" or (name == "ac:adf-node" and node.attribute("type") == "decision-list")


def read_list(node: Node, flow: Flow, budget: Budget) -> List | None:
    """Read a list with nested lists; return None if it has no text."""
    if node.name == "dl":
        items = list(_read_definitions(node, flow, budget))
    elif node.name == "ac:adf-node":
        items = [
            item
            for below in node.children
            if below.name == "ac:adf-node" and (item := _read_item(below, "-", flow, budget))
        ]
    else:
        items = _read_items(node, flow, budget)
    return List(tuple(items)) if items else None


def _read_items(node: Node, flow: Flow, budget: Budget) -> list[ListItem]:
    items = [ListItem("-", text)] if (text := tidy(node.text)) else []
    start = node.attribute("start")
    number = int(start) if start.isdecimal() and len(start) < 7 else 1
    nested: dict[int, list[ListItem]] = {}
    for below in node.children:
        budget.add_steps()
        name = below.name
        if name in _LISTS:
            # Old editors write a nested list directly in a list. It belongs to the item before it.
            found = _read_items(below, flow, budget)
            (nested.setdefault(len(items) - 1, []) if items else items).extend(found)
        elif name == "ac:task":
            items.append(_read_task(below, flow, budget))
        else:
            if item := _read_item(below, f"{number}." if name == "li" and node.name == "ol" else "-", flow, budget):
                items.append(item)
            number += name == "li"  # also of an item without text, which is shown with its number
        if text := tidy(below.tail):
            items.append(ListItem("-", text))
    for index, children in nested.items():
        items[index] = replace(items[index], children=(*items[index].children, *children))
    return items


def _read_item(node: Node, marker: str, flow: Flow, budget: Budget) -> ListItem | None:
    texts: list[str] = []
    children: list[ListItem] = []
    # Other elements than <li> are invalid here, but are read as items too.
    blocks = (
        flow(node)
        if node.name in {"li", "dd", "ac:task-body", "ac:adf-node"}
        else iter([Text(_render_inline(node, budget))])
    )
    for block in blocks:
        match block:
            case Text():
                texts.append(fence_code(block) if "\n" in block.text else block.text)
            case Heading():
                texts.append(block.text)
            case List():
                children.extend(block.items)
            case Table():
                texts.append(format_table(block))
    text = "\n".join(part for part in texts if part)
    return ListItem(marker, text, tuple(children)) if text or children else None


def _render_inline(node: Node, budget: Budget) -> str:
    line = Line(budget)
    inline.render(node, line)
    return tidy(line.take())


def _read_task(node: Node, flow: Flow, budget: Budget) -> ListItem:
    status, body = node.find_child("ac:task-status"), node.find_child("ac:task-body")
    marker = "[x]" if status is not None and status.text.strip() == "complete" else "[ ]"
    item = _read_item(body, marker, flow, budget) if body is not None else None
    return item or ListItem(marker, "")


def _read_definitions(node: Node, flow: Flow, budget: Budget) -> Iterator[ListItem]:
    """Yield each definition with its term before it, and terms without definition."""
    terms: list[str] = []
    defined = True
    for below in _find_terms_and_definitions(node, budget):
        if below.name == "dt":
            terms = [] if defined else terms
            terms.append(inline.render_text(below, budget).replace("\n", " "))
            defined = False
        elif item := _read_item(below, "-", flow, budget):
            term = ", ".join(name for name in terms if name)
            if defined and len(term) > _REPEATED_TERM_CHARACTERS:
                term = f"{term[:_REPEATED_TERM_CHARACTERS].rstrip()} …"
                terms = [term]
            budget.add_text(len(term))
            yield replace(item, text=f"{term}: {item.text}" if term else item.text)
            defined = True
        elif not defined:  # a definition without text
            if any(terms) and not below.has_struck:
                yield ListItem("-", ", ".join(terms))
            defined = True
    if not defined and any(terms):
        yield ListItem("-", ", ".join(terms))


def _find_terms_and_definitions(node: Node, budget: Budget) -> Iterator[Node]:
    waiting = list(reversed(node.children))
    while waiting:
        budget.add_steps()
        below = waiting.pop()
        if below.name in {"dt", "dd"}:
            yield below
        else:
            waiting.extend(reversed(below.children))


def format_table(table: Table) -> str:
    """Return a nested table as text: commas between cells, semicolons between rows."""
    rows = (", ".join(cell.text for cell in row if cell.text) for row in table.rows)
    return "; ".join(part for part in (table.caption, *rows) if part)


def join_cell_items(items: Iterable[ListItem]) -> Iterator[str]:
    """Yield the items as texts of a cell, where only tasks keep their marker."""
    waiting = [iter(items)]
    while waiting:
        for item in waiting[-1]:
            waiting.append(iter(item.children))
            if item.text:
                yield (f"{item.marker} " if item.marker.startswith("[") else "") + item.text
            break
        else:
            waiting.pop()


_MAX_SPAN = 100  # larger spans are typing errors and would cost memory
_WORD = re.compile(r"\S+")
_YES = {"✓", "✔", "✅", "☑"}
_NO = {"✗", "✘", "❌", "❎", "✖"}


def list_table_rows(node: Node, budget: Budget) -> list[list[Node]]:
    """Return the cells of each row, without those of nested tables."""
    return [
        [cell for cell in row.children if cell.name in {"td", "th"}]
        for row in _iterate_until_table(node, budget)
        if row.name == "tr"
    ]


def find_outermost_tables(node: Node, budget: Budget) -> Iterator[Node]:
    """Yield the outermost tables in an element, in document order."""
    if node.has_page_parts:
        yield from (below for below in _iterate_until_table(node, budget) if below.name == "table")


def _iterate_until_table(node: Node, budget: Budget) -> Iterator[Node]:
    """Yield the descendants of an element in document order, without those of nested tables."""
    waiting = list(reversed(node.children))
    while waiting:
        budget.add_steps()
        below = waiting.pop()
        yield below
        if below.name != "table":
            waiting.extend(reversed(below.children))


def read_table(node: Node, rows: list[list[Node]], flow: Flow, budget: Budget) -> Iterator[Block]:
    """Read a table; if no cell has text, only its caption."""
    cells = tuple(tuple(_read_cell(cell, flow, budget) for cell in row if not _is_numbering(cell)) for row in rows)
    captions = [inline.render_text(below, budget) for below in node.children if below.name == "caption"]
    caption = " ".join(captions).replace("\n", " ")
    if any(cell.text for row in cells for cell in row):
        head_rows = sum(1 for row in _iterate_until_table(node, budget) if row.name == "tr" and _is_in_head(row))
        yield Table(cells, head_rows, caption)
    elif caption:
        yield Text(caption)


def _is_in_head(row: Node) -> bool:
    return row.parent is not None and row.parent.name == "thead"


def is_layout(rows: list[list[Node]]) -> bool:
    """Whether a table is for layout only: it has a single cell, or one row of cells with blocks in them."""
    cells = [cell for row in rows for cell in row]
    if len(cells) == 1:
        return True
    one_row = sum(1 for row in rows if row) == 1 and not any(cell.name == "th" for cell in cells)
    return one_row and any(cell.has_page_parts for cell in cells)


def _is_numbering(cell: Node) -> bool:
    return "numberingColumn" in cell.attribute("class")


def _read_cell(node: Node, flow: Flow, budget: Budget) -> Cell:
    header = node.name == "th"
    text = _read_text(node, flow, " " if header else "; ", budget)
    return Cell(
        text=text,
        header=header,
        strong=bool(text) and not header and node.has_bold and is_bold(node, budget),
        colspan=_read_span(node.attribute("colspan")),
        rowspan=_read_span(node.attribute("rowspan")),
    )


def is_bold(node: Node, budget: Budget) -> bool:
    """Whether the bold elements have as many words as the cell or paragraph. A word in two of them counts twice."""
    budget.add_steps(node.elements)
    budget.add_text(node.characters)
    pieces, ranges = list[str](), list[tuple[int, int]]()
    length = 0
    waiting: list[Node | str | int] = [node]  # an int is the start of a bold element, which ends at this point
    while waiting:
        item = waiting.pop()
        if isinstance(item, int):
            ranges.append((item, length))
            continue
        text = item if isinstance(item, str) else item.text
        if not isinstance(item, str):
            if item.name in {"strong", "b"}:
                waiting.append(length)
            for child in reversed(item.children):
                waiting += (child.tail, child)
        pieces.append(text)
        length += len(text)
    words = [found.span() for found in _WORD.finditer("".join(pieces))]
    starts, ends = [start for start, _ in words], [end for _, end in words]
    bold = sum(max(bisect_left(starts, last) - bisect_right(ends, first), 0) for first, last in ranges)
    return bold > 0 and bold >= len(words)


def _read_span(value: str) -> int:
    number = value.strip()
    return min(max(int(number), 1), _MAX_SPAN) if number.isdecimal() and len(number) < 10 else 1


def _read_text(node: Node, flow: Flow, separator: str, budget: Budget) -> str:
    pieces = list[str]()
    for block in flow(node):
        if isinstance(block, Text) and block.code and "\n" in block.text:
            pieces.append(f"\n{fence_code(block)}\n")
            continue
        for line in _list_lines(block):
            pieces += (_choose_separator(pieces[-1] if pieces else "", separator), line)
    text = "".join(pieces).strip()
    budget.add_text(len(text))
    mark = text.rstrip("\ufe0f")
    return "yes" if mark in _YES else "no" if mark in _NO else text


def _list_lines(block: Block) -> list[str]:
    match block:
        case Text() | Heading():
            lines = block.text.split("\n")
        case List():
            lines = [line if "```" in line else line.replace("\n", " ") for line in join_cell_items(block.items)]
        case Table():
            lines = [format_table(block)]
    return [line for line in (line.strip() for line in lines) if line]


def _choose_separator(text: str, separator: str) -> str:
    """Return the separator after a text: a space after punctuation, otherwise ``separator``."""
    if not text or text.endswith("\n"):
        return ""
    return " " if text[-1] in ".:;,!?" else separator
