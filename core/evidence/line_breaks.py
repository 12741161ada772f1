"""Which elements end the line of text that they stand in, and which are part of it."""

from __future__ import annotations

from core.evidence import inline
from core.evidence.tree import MACROS, Node

HEADINGS = {f"h{level}": level for level in range(1, 7)}
CODE_MACROS = {"code", "noformat", "html", "markdown", "mermaid", "plantuml"}
_CONTAINERS = {
    "p", "div", "section", "article", "header", "footer", "main", "figure", "figcaption", "blockquote", "fieldset",
    "address", "page", "ac:rich-text-body", "ac:layout", "ac:layout-section", "ac:layout-cell",
    "ac:adf-extension", "ac:adf-node", "ac:adf-content", "center", "tbody", "thead", "tr", "td", "th", "li", "dt", "dd",
}  # fmt: skip
_BLOCKS = frozenset({*HEADINGS, *MACROS, *_CONTAINERS, "ul", "ol", "ac:task-list", "table", "pre", "dl", "hr"})
_WRAPPER = "ac:rich-text-body"
_INLINE_ONLY = {
    "ac:link", "ac:image", "ac:parameter", "ac:adf-fallback", "ac:adf-attribute", "ac:placeholder", "style", "script"
}  # fmt: skip


def find_line_breaks(nodes: list[Node]) -> None:
    """Sets ``breaks_line`` and ``has_blocks`` of nodes that are given in document order."""
    for node in reversed(nodes):  # so that all that is in a node comes before it
        name = node.name
        node.breaks_line = breaks = _macro_breaks(node) if name in MACROS else _breaks(node)
        parent = node.parent
        if parent is not None and (
            node.has_blocks or (name in _BLOCKS and name != _WRAPPER and (breaks or name not in MACROS))
        ):
            parent.has_blocks = True


def _breaks(node: Node) -> bool:
    # Inline elements may hold blocks all the same: <span><table>…, <a><p>…
    return node.name in _BLOCKS or (node.has_blocks and node.name not in _INLINE_ONLY)


def _macro_breaks(node: Node) -> bool:
    macro = node.attribute("ac:name")
    if macro in inline.MACROS_WITH_LINE or macro in inline.SILENT_MACROS:
        return False
    if all(below.name == "ac:parameter" for below in node.children):  # it shows nothing that we could read
        return False
    return macro in CODE_MACROS or node.has_blocks or not inline.in_line(node)
