"""Reads the element tree into blocks in document order.

Each element is read once. A table inside a table, a list or a heading appears twice: in the text around it, and as a
table of its own. It is read once and kept for the second place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum

from core.evidence import inline
from core.evidence.blocks import BOLD_LINE, Block, Edge, Heading, ItemHeading, List, PageBlock, Table, Text
from core.evidence.budget import Budget
from core.evidence.headings import is_enclosing, read_heading
from core.evidence.line import NAVIGATION, Line, tidy
from core.evidence.lists_and_tables import (
    find_outermost_tables,
    is_bold,
    is_layout,
    is_list,
    list_table_rows,
    read_list,
    read_table,
)
from core.evidence.tree import CODE_MACROS, HEADINGS, MACROS, Node, get_macro_label, is_hidden


@dataclass(frozen=True, slots=True)
class Label:
    """Begins the content of a macro with a label, which is joined to the first text or table in it."""

    text: str


class LabelEnd(Enum):
    """Ends the content of the last open label."""

    END = "end"


@dataclass(slots=True)
class TableBlocks:
    """The items of a ``table`` element, and the tables in its cells."""

    items: list[Item] = field(default_factory=list)
    inner: list[TableBlocks] = field(default_factory=list)


Item = PageBlock | Label | LabelEnd | TableBlocks


def list_all_blocks(items: Iterable[Item]) -> Iterator[PageBlock]:
    """Yield the blocks in order, each table followed by the tables in its cells."""
    return _join_labels(_flatten(items, with_inner=True))


def list_own_blocks(items: Iterable[Item]) -> Iterator[Block]:
    """Yield the blocks in order without the tables in cells, since the outer table's text contains them."""
    return (
        block for block in _join_labels(_flatten(items, with_inner=False)) if not isinstance(block, ItemHeading | Edge)
    )


def _flatten(items: Iterable[Item], with_inner: bool) -> Iterator[PageBlock | Label | LabelEnd]:
    waiting = [(iter(items), False)]
    while waiting:
        found, is_inner = waiting[-1]
        for item in found:
            if isinstance(item, TableBlocks):
                if with_inner:
                    waiting.append((iter(item.inner), True))
                waiting.append((iter(item.items), is_inner))
                break
            if not (is_inner and isinstance(item, Heading)):  # a heading in a cell makes no section
                yield item
        else:
            waiting.pop()


def _join_labels(items: Iterable[PageBlock | Label | LabelEnd]) -> Iterator[PageBlock]:
    """Join labels to the first text or table after them. Before other blocks they become separate texts."""
    pending: list[str] = []  # labels that are not yet joined
    counts: list[int] = []  # the number of pending labels at the start of each open label
    for item in items:
        match item:
            case Label(text):
                counts.append(len(pending))
                pending.append(text)
            case LabelEnd():
                del pending[counts.pop() :]
            case Text("") | ItemHeading() | Edge():
                yield item
            case Text() | Heading() | List() | Table():
                yield from _add_labels(item, pending) if pending else (item,)
                pending.clear()


def _add_labels(block: Block, labels: list[str]) -> Iterator[Block]:
    if isinstance(block, Text) and not block.code:
        yield Text("".join(labels) + block.text)
    elif isinstance(block, Table):
        names = [*(label.rstrip(": ") for label in labels), block.caption]
        yield replace(block, caption=": ".join(name for name in names if name))
    else:
        yield Text("".join(labels).strip())
        yield block


_MAX_TABLE_DEPTH = 4
"""Deeper tables become running text, because each table's text is also part of all tables around it."""

# Confluence's licence banner: an info panel with a badge and a copyright line.
_LICENCE = re.compile(
    r"(?i)(copyright|©)\s*+(\(c\)|©)?+\s*+(by\s++|of\s++)?(\d{4}|the\b|individual)|creative commons|all rights reserved"
    r"|licen[sc]ed under (a|the) [^.]{0,60}licen[sc]e"
)
_LANGUAGE_CHARACTERS = 60  # of a code block's language, which every piece of it repeats
_BOLD_LINE_CHARACTERS = 200
_BOLD_LINE_WORDS = 10  # more are a sentence
_LICENCE_WORDS = 60
_LICENCE_CHARACTERS = 2000
_LICENCE_ELEMENTS = 40  # larger bodies are not examined, because nested macros would be read once per level


def read_blocks(root: Node, budget: Budget | None = None) -> list[PageBlock]:
    """Return all blocks of a page in document order. Raises PageOverBudget."""
    reader = _Reader(budget or Budget())
    return list(list_all_blocks(reader.read_items(root)))


class _Reader:
    """Reads the elements of one page."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._tables: dict[Node, TableBlocks] = {}
        self._table_depth = 0
        self._item_depth = 0
        self._headings = 0  # that make sections, so far
        self._item_headings: list[ItemHeading] = []  # in the list or table that is read

    def read_items(self, element: Node) -> list[Item]:
        """Return the items of a container. Running text between blocks becomes texts."""
        items = list[Item]()
        self._read_content(element, items)
        return items

    def _read_blocks(self, element: Node) -> Iterator[Block]:
        """Return the blocks of an element for the text of a list item or cell."""
        self._item_depth += 1
        try:
            return list_own_blocks(self.read_items(element))
        finally:
            self._item_depth -= 1

    def _take_item_headings(self) -> list[ItemHeading]:
        """Return the headings in the list or table that was read; none within an item, whose list is not read yet."""
        if self._item_depth:
            return []
        found, self._item_headings = self._item_headings, []
        return found

    def _read_content(self, element: Node, items: list[Item]) -> None:
        line = Line(self._budget)
        line.add(element.text)
        for node in element.children:
            if node.breaks_line:
                _end_line(line, items)
                self._read_block(node, items)
            else:
                inline.render(node, line)
            line.add(node.tail)
        _end_line(line, items)

    def _read_block(self, node: Node, items: list[Item]) -> None:
        self._budget.add_steps()
        name = node.name
        if name in HEADINGS:
            self._read_heading(node, items)
        elif is_list(node):
            self._read_list(node, items)
            items.extend(self._take_item_headings())
        elif name == "table":
            self._read_table(node, items)
            items.extend(self._take_item_headings())
        elif name == "pre":
            items.extend(_make_code(inline.render_verbatim(node, self._budget), ""))
        elif name in MACROS:
            self._read_container(node, items, self._read_macro)
        elif name == "ac:adf-extension" and not node.has_adf_text:
            for fallback in _find_fallbacks(node, self._budget):
                self._read_content(fallback, items)
        elif name == "p" and node.has_bold and (text := self._read_bold_line(node)):
            items.append(Heading(BOLD_LINE, text))
            self._headings += 1
        else:
            self._read_container(node, items, self._read_content)

    def _read_container(self, node: Node, items: list[Item], read: Callable[[Node, list[Item]], None]) -> None:
        """Read an element, and put its edges around it if it encloses headings."""
        start, before = len(items), self._headings
        read(node, items)
        if self._headings > before and not self._item_depth and is_enclosing(node):
            items.insert(start, Edge.START)
            items.append(Edge.END)

    def _read_heading(self, node: Node, items: list[Item]) -> None:
        if heading := read_heading(node, self._budget):
            items.append(heading)
            self._headings += 1
            if self._item_depth:
                self._item_headings.append(ItemHeading(heading))
        self._read_tables_in(node, items)

    def _read_bold_line(self, node: Node) -> str:
        """Return the text of a paragraph that stands in place of a heading, "" for any other."""
        if node.characters > _BOLD_LINE_CHARACTERS or node.has_blocks or node.has_page_parts:
            return ""
        text = inline.render_heading(node, self._budget)
        is_short = len(text.split()) <= _BOLD_LINE_WORDS and not text.endswith((".", "!", "?"))
        return text if text and is_short and is_bold(node, self._budget) else ""

    def _read_list(self, node: Node, items: list[Item]) -> None:
        if found := read_list(node, self._read_blocks, self._budget):
            items.append(found)
        # A table in a list item is also a table of the page. Tables in cells are handled by the table of the cell.
        if not node.in_item:
            tables = [self._read_table_blocks(table) for table in find_outermost_tables(node, self._budget)]
            items.append(TableBlocks(inner=tables))

    # -------------------------------------------------------------------------------------- tables

    def _read_table(self, node: Node, items: list[Item]) -> None:
        if self._table_depth < _MAX_TABLE_DEPTH:
            items.append(self._read_table_blocks(node))
            return
        line = Line(self._budget)
        inline.render(node, line)
        _end_line(line, items)

    def _read_tables_in(self, heading: Node, items: list[Item]) -> None:
        """Read the tables in a heading one level deeper, because the heading's text contains them too."""
        if heading.has_page_parts:
            items.extend(self._read_deeper(lambda: self._read_tables(find_outermost_tables(heading, self._budget))))

    def _read_tables(self, tables: Iterable[Node]) -> list[TableBlocks]:
        return [self._read_table_blocks(table) for table in tables] if self._table_depth < _MAX_TABLE_DEPTH else []

    def _read_deeper(self, read: Callable[[], list[TableBlocks]]) -> list[TableBlocks]:
        self._table_depth += 1
        try:
            return read()
        finally:
            self._table_depth -= 1

    def _read_table_blocks(self, node: Node) -> TableBlocks:
        """Read a table and the tables in it. For a layout table, read the content of its cells."""
        found = self._tables.get(node)
        if found is None:
            found = self._tables[node] = TableBlocks()
            rows = list_table_rows(node, self._budget)
            if is_layout(rows):
                for row in rows:
                    for cell in row:
                        self._read_container(cell, found.items, self._read_content)
            else:
                found.inner.extend(self._read_deeper(lambda: self._read_data_table(node, rows, found.items)))
        return found

    def _read_data_table(self, node: Node, rows: list[list[Node]], items: list[Item]) -> list[TableBlocks]:
        items.extend(read_table(node, rows, self._read_blocks, self._budget))
        return self._read_tables(find_outermost_tables(node, self._budget)) if node.has_page_parts else []

    # -------------------------------------------------------------------------------------- macros

    def _read_macro(self, macro: Node, items: list[Item]) -> None:
        name = macro.attribute("ac:name")
        if is_hidden(macro):
            return
        plain, rich = macro.find_child("ac:plain-text-body"), macro.find_child("ac:rich-text-body")
        if plain is not None:
            if title := macro.get_parameter("title"):
                items.append(Text(tidy(title)))
            self._budget.add_text(plain.characters)
            text = "".join(plain.iterate_texts())
            items.extend(_make_code(text, macro.get_parameter("language") if name in CODE_MACROS else ""))
        elif rich is not None and (licence := self._read_licence(rich)):
            items.append(Text("", licence=licence))
        elif rich is not None:
            if label := get_macro_label(macro):
                items.append(Label(label))
            self._read_content(rich, items)
            if label:
                items.append(LabelEnd.END)

    def _read_licence(self, body: Node) -> str:
        """Return the text of a licence banner; "" for any other panel."""
        if body.elements > _LICENCE_ELEMENTS or body.characters > _LICENCE_CHARACTERS:
            return ""
        text = tidy(inline.render_text(body, self._budget))
        return text if _LICENCE.search(text) and len(text.split()) <= _LICENCE_WORDS else ""


def _end_line(line: Line, items: list[Item]) -> None:
    raw = line.take()
    if not raw:
        return
    text = tidy(raw)
    if text or NAVIGATION in raw:
        items.append(Text(text))


def _make_code(text: str, language: str) -> Iterator[Text]:
    body = text.replace("\r\n", "\n").strip("\n").rstrip().expandtabs(4)
    if body.strip():
        yield Text(body, code=True, language=language[:_LANGUAGE_CHARACTERS])


def _find_fallbacks(extension: Node, budget: Budget) -> Iterator[Node]:
    """Yield the fallbacks of an extension without text, except those of extensions inside a fallback."""
    waiting = [(child, False) for child in reversed(extension.children)]
    while waiting:
        budget.add_steps()
        node, is_in_fallback = waiting.pop()
        if is_in_fallback and node.name == "ac:adf-extension":
            continue
        is_fallback = node.name.rpartition(":")[2] == "adf-fallback"
        if is_fallback:
            yield node
        waiting.extend((child, is_in_fallback or is_fallback) for child in reversed(node.children))
