"""What elements and macros are: blocks of their own, parts of a line of text, or nothing that belongs to the page."""

from __future__ import annotations

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
    """Sets ``breaks_line`` and ``has_blocks`` of all nodes, which are given in document order."""
    for node in reversed(nodes):  # descendants before ancestors
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
    if macro in INLINE_MACROS or macro in SILENT_MACROS:
        return False
    if all(below.name == "ac:parameter" for below in node.children):  # it has no content that we could read
        return False
    return macro in CODE_MACROS or node.has_blocks or not is_inline(node)


def is_inline(macro: Node) -> bool:
    """Whether a macro says that it stands within a line of text."""
    return macro.parameter("atlassian-macro-output-type") == "INLINE"


def macro_label(macro: Node) -> str:
    """The text before a macro's body: ``Info: ``, or its title."""
    title = macro.parameter("title")
    label = {"info": "Info", "note": "Note", "tip": "Tip", "warning": "Warning"}.get(macro.attribute("ac:name"), "")
    shown = ": ".join(part for part in (label, title) if part)
    return f"{shown}: " if shown else ""


def _jira(macro: Node) -> str:
    key = macro.parameter("key")
    query = macro.parameter("jqlQuery") or macro.parameter("jql")
    return key or (f"Jira: {query}" if query else "")


def _file(macro: Node) -> str:
    if macro.attachment is not None:
        return f"[file: {macro.attachment.attribute('ri:filename')}]"
    name = macro.parameter("name") or macro.parameter("diagramName")
    return f"[file: {name}]" if name else ""


def _address(macro: Node) -> str:
    if macro.address is not None:
        return macro.address.attribute("ri:value")
    return macro.parameter("url") or macro.parameter("src")


def _status(macro: Node) -> str:
    return macro.parameter("title")


# Macros that stand within a line, with their text.
INLINE_MACROS = {
    "jira": _jira, "jiraissues": _jira, "status": _status, "widget": _address, "iframe": _address,
    "view-file": _file, "viewpdf": _file, "viewdoc": _file, "viewxls": _file, "viewppt": _file, "multimedia": _file,
    "drawio": _file, "gliffy": _file, "inc-drawio": _file,
}  # fmt: skip

# Macros that Confluence fills when it shows the page: navigation, lists of other pages, decoration.
SILENT_MACROS = {
    "toc", "toc-zone-nav", "children", "pagetree", "pagetreesearch", "livesearch", "search", "anchor", "contributors",
    "recently-updated", "content-report-table", "contentbylabel", "labels", "related-labels", "popular-labels",
    "blog-posts", "attachments", "gallery", "profile-picture", "profile", "create-from-template", "listlabels",
    "contributors-summary", "recently-updated-dashboard", "spaces", "navmap", "change-history", "favpages",
    "task-report", "tasks-report-macro", "detailssummary", "include", "excerpt-include", "userlister", "network",
}  # fmt: skip
