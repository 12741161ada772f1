"""An element tree in storage format to blocks in document order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lxml import etree

from core.evidence import inline
from core.evidence.blocks import Block, Cell, Heading, List, ListItem, Table, Text, fenced
from core.evidence.storage_format import attribute, child, parameter, tag

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = {"ul", "ol", "ac:task-list"}
_MACROS = {"ac:structured-macro", "ac:macro"}
_CODE_MACROS = {"code", "noformat", "html", "markdown", "mermaid", "plantuml"}
_CONTAINERS = {
    "p", "div", "section", "article", "header", "footer", "main", "center", "figure", "figcaption", "blockquote", "fieldset",
    "address", "page", "ac:rich-text-body", "ac:layout", "ac:layout-section", "ac:layout-cell",
    "ac:adf-extension", "ac:adf-node", "ac:adf-content",
}  # fmt: skip
_BLOCKS = {*_HEADINGS, *_LISTS, *_MACROS, *_CONTAINERS, "table", "pre", "dl", "hr"}
_MAX_SPAN = 100  # a span larger than any table is a typing error, and would cost memory

# Confluence's licence banner: an info panel with a badge, whose text is the copyright line.
_LICENCE = re.compile(r"(?i)\b(creative commons|all rights reserved|copyright|licensed under)\b|©")
_LICENCE_WORDS = 60


def read(root: etree._Element) -> list[Block]:
    """All blocks of a page, in document order."""
    return list(_flow(root))


def _flow(element: etree._Element) -> Iterator[Block]:
    """The blocks inside a container; running text between blocks becomes texts of its own."""
    line = [element.text or ""]
    for node in element:
        if _breaks_the_line(node):
            yield from _text(line)
            line.clear()
            yield from _block(node)
        else:
            line.append(inline.render(node))
        line.append(node.tail or "")
    yield from _text(line)


def _text(pieces: list[str]) -> Iterator[Text]:
    if text := inline.tidy("".join(pieces)):
        yield Text(text)


def _breaks_the_line(node: etree._Element) -> bool:
    name = tag(node)
    if name in _MACROS:
        return attribute(node, "ac:name") not in inline.MACROS_WITH_LINE
    # Inline elements may hold blocks all the same: <span><table>…, <a><p>…
    return name in _BLOCKS or (
        name not in _INLINE_ONLY and any(tag(below) in _BLOCKS for below in node.iterdescendants())
    )


_INLINE_ONLY = {
    "ac:link",
    "ac:image",
    "ac:parameter",
    "ac:adf-fallback",
    "ac:adf-attribute",
    "ac:placeholder",
    "style",
    "script",
}


def _block(node: etree._Element) -> Iterator[Block]:
    name = tag(node)
    if name in _HEADINGS:
        if text := inline.inline(node).replace("\n", " "):
            yield Heading(_HEADINGS[name], text)
    elif name in _LISTS or name == "dl":
        yield from _list(node)
    elif name == "table":
        yield from _table(node)
    elif name == "pre":
        yield from _code("".join(node.itertext()), "")
    elif name in _MACROS:
        yield from _macro(node)
    else:
        yield from _flow(node)


# ------------------------------------------------------------------------------------------ macros


def _macro(macro: etree._Element) -> Iterator[Block]:
    name = attribute(macro, "ac:name")
    if name in inline.SILENT_MACROS or (name == "details" and parameter(macro, "hidden") == "true"):
        return
    plain, rich = child(macro, "ac:plain-text-body"), child(macro, "ac:rich-text-body")
    if plain is not None:
        is_code = name in _CODE_MACROS
        yield from _code(plain.text or "", parameter(macro, "language") if is_code else "")
    elif rich is not None and not _is_licence_banner(rich):
        yield from _labelled(inline.macro_label(macro), _flow(rich))


def _code(text: str, language: str) -> Iterator[Text]:
    body = text.strip("\r\n").rstrip().replace("\r\n", "\n").expandtabs(4)
    if body.strip():
        yield Text(body, code=True, language=language)


def _labelled(label: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """The label joined to the first text, or as a text of its own before anything else."""
    pending = label
    for block in blocks:
        if pending and isinstance(block, Text) and not block.code:
            yield Text(pending + block.text)
        elif pending and isinstance(block, Table):
            yield Table(block.rows, block.head_rows, pending.rstrip(": "))
        else:
            if pending:
                yield Text(pending.strip())
            yield block
        pending = ""


def _is_licence_banner(body: etree._Element) -> bool:
    text = inline.inline(body)
    return bool(_LICENCE.search(text)) and len(text.split()) <= _LICENCE_WORDS


# ------------------------------------------------------------------------------------------- lists


def _list(node: etree._Element) -> Iterator[Block]:
    items = tuple(_definitions(node)) if tag(node) == "dl" else tuple(_items(node))
    if items:
        yield List(items)
    for table in node.iterdescendants("table"):
        if not _inside(table, "table", node):  # a table in an item is also a table of the page
            yield from _table(table)


def _items(node: etree._Element) -> Iterator[ListItem]:
    number = 0
    for child_node in node:
        name = tag(child_node)
        if name in _LISTS:  # a list directly in a list, as old editors wrote it
            yield from _items(child_node)
        elif name == "ac:task":
            yield _task(child_node)
        elif name == "li":
            number += 1
            item = _item(child_node, f"{number}." if tag(node) == "ol" else "-")
            if item is not None:
                yield item


def _item(node: etree._Element, marker: str) -> ListItem | None:
    texts: list[str] = []
    children: list[ListItem] = []
    for block in _flow(node):
        match block:
            case Text():
                texts.append(fenced(block) if "\n" in block.text else block.text)
            case Heading():
                texts.append(block.text)
            case List():
                children.extend(block.items)
            case Table():
                texts.append(_table_text(block))
    text = "\n".join(part for part in texts if part)
    if not text and not children:
        return None
    return ListItem(marker, text, tuple(children))


def _task(node: etree._Element) -> ListItem:
    status, body = child(node, "ac:task-status"), child(node, "ac:task-body")
    marker = "[x]" if status is not None and (status.text or "").strip() == "complete" else "[ ]"
    item = _item(body, marker) if body is not None else None
    return item or ListItem(marker, "")


def _definitions(node: etree._Element) -> Iterator[ListItem]:
    term = ""
    for child_node in node.iterdescendants("dt", "dd"):
        text = inline.inline(child_node).replace("\n", " ")
        if tag(child_node) == "dt":
            term = text
        elif text:
            yield ListItem("-", f"{term}: {text}" if term else text)


# ------------------------------------------------------------------------------------------ tables


def _table(node: etree._Element) -> Iterator[Block]:
    rows = [row for row in node.iterdescendants("tr") if _owner(row) is node]
    written = [[cell for cell in row if tag(cell) in {"td", "th"}] for row in rows]
    if sum(len(cells) for cells in written) == 1:  # a frame around text, not a table
        yield from _flow(next(cells[0] for cells in written if cells))
        return
    head_rows = sum(1 for row in rows if tag(row.getparent()) == "thead")
    cells = tuple(tuple(_cell(cell) for cell in row if not _is_numbering(cell)) for row in written)
    table = Table(tuple(row for row in cells if row), head_rows)
    if any(cell.text for row in table.rows for cell in row):
        yield table
    for inner in node.iterdescendants("table"):
        parent = inner.getparent()
        if parent is not None and _owner(inner) is node:
            yield from _table(inner)


def _owner(node: etree._Element) -> etree._Element | None:
    return next(node.iterancestors("table"), None)


def _inside(node: etree._Element, name: str, limit: etree._Element) -> bool:
    for ancestor in node.iterancestors():
        if ancestor is limit:
            return False
        if tag(ancestor) == name:
            return True
    return False


def _is_numbering(cell: etree._Element) -> bool:
    return "numberingColumn" in attribute(cell, "class")


def _cell(node: etree._Element) -> Cell:
    text = _cell_text(node)
    bold = "".join("".join(strong.itertext()) for strong in node.iterdescendants("strong", "b"))
    return Cell(
        text=text,
        header=tag(node) == "th",
        strong=bool(text) and len(bold.split()) >= len("".join(node.itertext()).split()),
        colspan=_span(attribute(node, "colspan")),
        rowspan=_span(attribute(node, "rowspan")),
    )


def _span(value: str) -> int:
    return min(max(int(value), 1), _MAX_SPAN) if value.strip().isdecimal() else 1


def _cell_text(node: etree._Element) -> str:
    parts: list[str] = []
    for block in _flow(node):
        match block:
            case Text() | Heading():
                parts.append(block.text)
            case List():
                parts.append("; ".join(_flat_items(block.items)))
            case Table():
                parts.append(_table_text(block))
    text = _joined(line for part in parts for line in part.split("\n"))
    return {"✓": "yes", "✗": "no"}.get(text, text)


def _flat_items(items: Iterable[ListItem]) -> Iterator[str]:
    for item in items:
        marker = f"{item.marker} " if item.marker.startswith("[") else ""
        if item.text:
            yield marker + item.text.replace("\n", " ")
        yield from _flat_items(item.children)


def _joined(lines: Iterable[str]) -> str:
    """Lines of a cell as one line, with a semicolon where a line did not end a sentence."""
    text = ""
    for line in (line.strip() for line in lines):
        if not text or not line:
            text = text or line
        else:
            text += (" " if text[-1] in ".:;,!?" else "; ") + line
    return text


def _table_text(table: Table) -> str:
    rows = (", ".join(cell.text for cell in row if cell.text) for row in table.rows)
    return "; ".join(row for row in rows if row)
