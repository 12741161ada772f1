"""An element tree in storage format to blocks in document order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from lxml import etree

from core.evidence import inline
from core.evidence.blocks import Block, Heading, Table, Text
from core.evidence.lists import is_list, read_list
from core.evidence.storage_format import attribute, child, parameter, tag
from core.evidence.table_markup import read_table

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_MACROS = {"ac:structured-macro", "ac:macro"}
_CODE_MACROS = {"code", "noformat", "html", "markdown", "mermaid", "plantuml"}
_CONTAINERS = {
    "p", "div", "section", "article", "header", "footer", "main", "figure", "figcaption", "blockquote", "fieldset",
    "address", "page", "ac:rich-text-body", "ac:layout", "ac:layout-section", "ac:layout-cell",
    "ac:adf-extension", "ac:adf-node", "ac:adf-content", "center", "tbody", "thead", "tr", "td", "th", "li", "dt", "dd",
}  # fmt: skip
_BLOCKS = {*_HEADINGS, *_MACROS, *_CONTAINERS, "ul", "ol", "ac:task-list", "table", "pre", "dl", "hr"}

# Confluence's licence banner: an info panel with a badge, whose text is the copyright line.
_LICENCE = re.compile(
    r"(?i)(copyright|©)\s*+(\(c\)|©)?+\s*+(by\s++|of\s++)?(\d{4}|the\b|individual)|creative commons|all rights reserved"
    r"|licen[sc]ed under (a|the) [^.]{0,60}licen[sc]e"
)
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
    raw = "".join(pieces)
    text = inline.tidy(raw)
    if text or inline.NAVIGATION in raw:
        yield Text(text)


def _breaks_the_line(node: etree._Element) -> bool:
    name = tag(node)
    if name in _MACROS:
        macro = attribute(node, "ac:name")
        if macro in inline.MACROS_WITH_LINE or macro in inline.SILENT_MACROS:
            return False
        if all(tag(below) == "ac:parameter" for below in node):  # it shows nothing that we could read
            return False
        return macro in _CODE_MACROS or not inline.in_line(node) or _has_blocks(node)
    # Inline elements may hold blocks all the same: <span><table>…, <a><p>…
    return name in _BLOCKS or (name not in _INLINE_ONLY and _has_blocks(node))


def _has_blocks(node: etree._Element) -> bool:
    return any(
        tag(below) in _BLOCKS and (tag(below) not in _MACROS or _breaks_the_line(below)) and tag(below) not in _WRAPPERS
        for below in node.iterdescendants()
    )


_WRAPPERS = {"ac:rich-text-body"}
_INLINE_ONLY = {
    "ac:link", "ac:image", "ac:parameter", "ac:adf-fallback", "ac:adf-attribute", "ac:placeholder", "style", "script"
}  # fmt: skip


def _block(node: etree._Element) -> Iterator[Block]:
    name = tag(node)
    if name in _HEADINGS:
        if text := inline.heading(node):
            yield Heading(_HEADINGS[name], text)
        yield from _tables_in(node)
    elif is_list(node):
        if items := read_list(node, _flow):
            yield items
        # A table in an item is also a table of the page; one in a cell is found by the cell's own table.
        if next(node.iterancestors("li", "td", "th", "dd"), None) is None:
            yield from _tables_in(node)
    elif name == "table":
        yield from read_table(node, _flow)
    elif name == "pre":
        yield from _code(inline.verbatim(node), "")
    elif name in _MACROS:
        yield from _macro(node)
    elif name == "ac:adf-extension" and not _has_text(node):
        yield from (block for below in node.iterdescendants("{*}adf-fallback") for block in _flow(below))
    else:
        yield from _flow(node)


def _has_text(extension: etree._Element) -> bool:
    contents = extension.iterdescendants("{*}adf-content")
    return any("".join(content.itertext()).strip() for content in contents)


def _tables_in(node: etree._Element) -> Iterator[Block]:
    for table in node.iterdescendants("table"):
        outer = next(table.iterancestors("table"), None)
        if outer is None or outer in node.iterancestors():
            yield from read_table(table, _flow)


# ------------------------------------------------------------------------------------------ macros


def _macro(macro: etree._Element) -> Iterator[Block]:
    name = attribute(macro, "ac:name")
    if name == "details" and parameter(macro, "hidden") == "true":
        return
    plain, rich = child(macro, "ac:plain-text-body"), child(macro, "ac:rich-text-body")
    if plain is not None:
        if title := parameter(macro, "title"):
            yield Text(inline.tidy(title))
        text = "".join(plain.itertext())
        yield from _code(text, parameter(macro, "language") if name in _CODE_MACROS else "")
    elif rich is not None and _is_licence_banner(rich):
        yield Text("")
    elif rich is not None:
        yield from _labelled(inline.macro_label(macro), _flow(rich))


def _code(text: str, language: str) -> Iterator[Text]:
    body = text.replace("\r\n", "\n").strip("\n").rstrip().expandtabs(4)
    if body.strip():
        yield Text(body, code=True, language=language)


def _labelled(label: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """The label joined to the first text or table, or as a text of its own before anything else."""
    pending = label
    for block in blocks:
        if isinstance(block, Text) and not block.text:
            yield block
            continue
        if pending and isinstance(block, Text) and not block.code:
            yield Text(pending + block.text)
        elif pending and isinstance(block, Table):
            yield replace(block, caption=": ".join(part for part in (pending.rstrip(": "), block.caption) if part))
        else:
            if pending:
                yield Text(pending.strip())
            yield block
        pending = ""


def _is_licence_banner(body: etree._Element) -> bool:
    text = inline.inline(body)
    return bool(_LICENCE.search(text)) and len(text.split()) <= _LICENCE_WORDS
