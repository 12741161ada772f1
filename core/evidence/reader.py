"""An element tree in storage format to blocks in document order.

Each element is read once. A table in a table, a list or a heading stands in the text around it and by itself too: it
is read once and kept for its second place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from core.evidence import inline
from core.evidence.blocks import Block, Heading, Text
from core.evidence.budget import Budget
from core.evidence.labels import Item, Label, LabelEnd, TableBlocks, all_blocks, own_blocks
from core.evidence.line_breaks import CODE_MACROS, HEADINGS
from core.evidence.lists import is_list, read_list
from core.evidence.table_markup import is_layout, outermost_tables, read_table, table_rows
from core.evidence.tree import MACROS, Node

_MAX_TABLE_DEPTH = 4
"""Tables in so many tables become running text: each table's text also stands in all the tables around it."""

# Confluence's licence banner: an info panel with a badge, whose text is the copyright line.
_LICENCE = re.compile(
    r"(?i)(copyright|©)\s*+(\(c\)|©)?+\s*+(by\s++|of\s++)?(\d{4}|the\b|individual)|creative commons|all rights reserved"
    r"|licen[sc]ed under (a|the) [^.]{0,60}licen[sc]e"
)
_LICENCE_WORDS = 60
_LICENCE_CHARACTERS = 2000
_LICENCE_ELEMENTS = 40  # so that macros in macros are not read again at every level


def read(root: Node, budget: Budget | None = None) -> list[Block]:
    """All blocks of a page, in document order. Raises PageOverBudget."""
    reader = _Reader(budget or Budget())
    return list(all_blocks(reader.items_of(root)))


class _Reader:
    """Reads the elements of one page."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._tables: dict[Node, TableBlocks] = {}
        self._table_depth = 0

    def items_of(self, element: Node) -> list[Item]:
        """What is inside a container; running text between blocks becomes texts of its own."""
        items = list[Item]()
        self._read_content(element, items)
        return items

    def _blocks_of(self, element: Node) -> Iterator[Block]:
        """The blocks inside an element for a text that holds them: of a table not those that stand by themselves."""
        return own_blocks(self.items_of(element))

    def _read_content(self, element: Node, items: list[Item]) -> None:
        line = inline.Line(self._budget)
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
        self._budget.operate()
        name = node.name
        if name in HEADINGS:
            if text := inline.heading(node, self._budget):
                items.append(Heading(HEADINGS[name], text))
            self._read_tables_in(node, items)
        elif is_list(node):
            self._read_list(node, items)
        elif name == "table":
            self._read_table(node, items)
        elif name == "pre":
            items.extend(_code(inline.verbatim(node, self._budget), ""))
        elif name in MACROS:
            self._read_macro(node, items)
        elif name == "ac:adf-extension" and not node.has_adf_text:
            for fallback in _fallbacks(node, self._budget):
                self._read_content(fallback, items)
        else:
            self._read_content(node, items)

    def _read_list(self, node: Node, items: list[Item]) -> None:
        if found := read_list(node, self._blocks_of, self._budget):
            items.append(found)
        # A table in an item is also a table of the page; one in a cell is found by the cell's own table.
        if not node.in_item:
            items.extend(self._table(table) for table in outermost_tables(node, self._budget))

    # -------------------------------------------------------------------------------------- tables

    def _read_table(self, node: Node, items: list[Item]) -> None:
        if self._table_depth < _MAX_TABLE_DEPTH:
            items.append(self._table(node))
            return
        line = inline.Line(self._budget)
        inline.render(node, line)
        _end_line(line, items)

    def _read_tables_in(self, heading: Node, items: list[Item]) -> None:
        """The tables in a heading: deeper by one, for the heading's text holds theirs too."""
        if heading.has_page_parts:
            items.extend(self._deeper(lambda: self._tables_of(outermost_tables(heading, self._budget))))

    def _tables_of(self, tables: Iterable[Node]) -> list[TableBlocks]:
        return [self._table(table) for table in tables] if self._table_depth < _MAX_TABLE_DEPTH else []

    def _deeper(self, read: Callable[[], list[TableBlocks]]) -> list[TableBlocks]:
        self._table_depth += 1
        try:
            return read()
        finally:
            self._table_depth -= 1

    def _table(self, node: Node) -> TableBlocks:
        """The table, then the tables in it; only what is in its cells where they frame text and hold no data."""
        found = self._tables.get(node)
        if found is None:
            found = self._tables[node] = TableBlocks()
            rows = table_rows(node, self._budget)
            if is_layout(rows):
                for row in rows:
                    for cell in row:
                        self._read_content(cell, found.items)
            else:
                found.inner.extend(self._deeper(lambda: self._read_data_table(node, rows, found.items)))
        return found

    def _read_data_table(self, node: Node, rows: list[list[Node]], items: list[Item]) -> list[TableBlocks]:
        items.extend(read_table(node, rows, self._blocks_of, self._budget))
        return self._tables_of(outermost_tables(node, self._budget)) if node.has_page_parts else []

    # -------------------------------------------------------------------------------------- macros

    def _read_macro(self, macro: Node, items: list[Item]) -> None:
        name = macro.attribute("ac:name")
        if name == "details" and macro.parameter("hidden") == "true":
            return
        plain, rich = macro.child("ac:plain-text-body"), macro.child("ac:rich-text-body")
        if plain is not None:
            if title := macro.parameter("title"):
                items.append(Text(inline.tidy(title)))
            self._budget.handle(plain.characters)
            text = "".join(plain.texts())
            items.extend(_code(text, macro.parameter("language") if name in CODE_MACROS else ""))
        elif rich is not None and self._is_licence_banner(rich):
            items.append(Text(""))
        elif rich is not None:
            if label := inline.macro_label(macro):
                items.append(Label(label))
            self._read_content(rich, items)
            if label:
                items.append(LabelEnd.END)

    def _is_licence_banner(self, body: Node) -> bool:
        if body.elements > _LICENCE_ELEMENTS or body.characters > _LICENCE_CHARACTERS:
            return False
        text = inline.inline(body, self._budget)
        return bool(_LICENCE.search(text)) and len(text.split()) <= _LICENCE_WORDS


def _end_line(line: inline.Line, items: list[Item]) -> None:
    raw = line.take()
    if not raw:
        return
    text = inline.tidy(raw)
    if text or inline.NAVIGATION in raw:
        items.append(Text(text))


def _code(text: str, language: str) -> Iterator[Text]:
    body = text.replace("\r\n", "\n").strip("\n").rstrip().expandtabs(4)
    if body.strip():
        yield Text(body, code=True, language=language[:_LANGUAGE_CHARACTERS])


_LANGUAGE_CHARACTERS = 60  # it stands in every piece of a long code block


def _fallbacks(extension: Node, budget: Budget) -> Iterator[Node]:
    """What an extension without a text of its own shows instead; an extension in there brings its own."""
    waiting = [(child, False) for child in reversed(extension.children)]
    while waiting:
        budget.operate()
        node, is_in_fallback = waiting.pop()
        if is_in_fallback and node.name == "ac:adf-extension":
            continue
        is_fallback = node.name.rpartition(":")[2] == "adf-fallback"
        if is_fallback:
            yield node
        waiting.extend((child, is_in_fallback or is_fallback) for child in reversed(node.children))
