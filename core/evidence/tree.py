"""The element tree of a page, with precomputed properties of descendants, and the kinds of macros and elements.

Asking each element about its descendants would take time quadratic in the depth, or worse. So these properties are
computed for all elements in one pass, from the last element to the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from lxml import etree

from core.evidence.budget import MAX_TREE_DEPTH, Budget
from core.text import remove_invisible

NAMESPACES = {prefix: f"http://atlassian.com/{prefix}" for prefix in ("ac", "ri", "at")}
_PREFIX_OF = {uri: prefix for prefix, uri in NAMESPACES.items()}

MACROS = frozenset({"ac:structured-macro", "ac:macro"})
_BOLD = frozenset({"strong", "b"})
_PAGE_PARTS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre"})
ITEMS = frozenset({"li", "td", "th", "dd", "ac:task-body"})
_NO_ATTRIBUTES: Mapping[str, str] = {}
_ADF_CONTENTS = frozenset({"ac:adf-content", "adf-content"})

STRUCK = "struck"
"""The name of an element that is struck through. It has no content, so its text is in no evidence."""
STRUCK_TEXT = "struck-text"
"""The attribute with the text that is struck through, which the anchors of headings contain."""
_STRIKES = frozenset({"del", "s", "strike"})
_STRUCK_STYLE = re.compile(r"(?i)(?:^|;)\s*text-decoration(?:-line)?\s*:[^;]*\bline-through\b")
# Elements that stay when they are struck through, without their text, because the position of others depends on them.
_FRAMES = frozenset({
    "table", "thead", "tbody", "tfoot", "tr", "td", "th", "ul", "ol", "li", "dl", "dt", "dd", "ac:task-list", "ac:task",
    "ac:task-body", "ac:layout", "ac:layout-section", "ac:layout-cell",
})  # fmt: skip


class Node:
    """An element.

    ``name`` has its prefix (``td``, ``ac:structured-macro``) and is "" for an undeclared entity. ``elements`` and
    ``characters`` count all descendants. ``has_text``: contains more than white space. ``has_adf_text``: the same
    within an ``ac:adf-content``. ``has_bold``, ``has_page_parts``, ``has_struck``: contains such elements. ``in_item``:
    is in a list item or cell. ``attachment``, ``address``: the first such resource in it. :func:`find_line_breaks` sets
    ``breaks_line`` and ``has_blocks``.
    """

    __slots__ = (
        "address", "attachment", "attributes", "breaks_line", "characters", "children", "elements", "has_adf_text",
        "has_blocks", "has_bold", "has_page_parts", "has_struck", "has_text", "in_item", "name", "parent", "tail",
        "text",
    )  # fmt: skip

    def __init__(
        self, name: str, attributes: Mapping[str, str], text: str | None, tail: str | None, parent: Node | None
    ) -> None:
        self.name = name
        self.attributes = attributes
        self.text = remove_invisible(text) if text else ""
        self.tail = remove_invisible(tail) if tail else ""
        self.parent = parent
        self.children: Sequence[Node] = ()
        self.elements = 1
        self.characters = 0
        self.has_text = self.has_adf_text = self.has_bold = self.has_page_parts = self.has_struck = False
        self.has_blocks = self.breaks_line = False
        self.in_item: bool = parent is not None and (parent.in_item or parent.name in ITEMS)
        self.attachment: Node | None = None
        self.address: Node | None = None

    def attribute(self, name: str) -> str:
        """Return an attribute by its prefixed name (``ac:name``), or ""."""
        return self.attributes.get(name, "")

    def find_child(self, name: str) -> Node | None:
        """Return the first child with this prefixed name, or None."""
        for child in self.children:
            if child.name == name:
                return child
        return None

    def get_parameter(self, name: str) -> str:
        """Return a macro's parameter as text, without nested macros, or ""."""
        for child in self.children:
            if child.name == "ac:parameter" and child.attributes.get("ac:name", "") == name:
                return "".join(_iterate_texts(child, MACROS)).strip() if child.children else child.text.strip()
        return ""

    def iterate_descendants(self) -> Iterator[Node]:
        """Yield the descendants in document order."""
        waiting = list(reversed(self.children))
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def iterate_texts(self) -> Iterator[str]:
        """Yield the texts of this element and its descendants in document order."""
        return _iterate_texts(self, frozenset())


def build_tree(root: etree._Element, budget: Budget) -> tuple[Node, list[Node]]:
    """Build the tree of an element. Returns its root and all nodes in document order."""
    names = _Names()
    top = Node(names[root.tag], {}, root.text, root.tail, None)
    nodes, waiting = [top], [_open(root, top)]
    while waiting:
        elements, parent, children = waiting[-1]
        for element in elements:
            items = element.items()
            attributes = {names[key]: value for key, value in items} if items else _NO_ATTRIBUTES
            node = Node(names[element.tag], attributes, element.text, element.tail, parent)
            children.append(node)
            nodes.append(node)
            is_struck = parent.has_struck or _is_struck(node.name, attributes.get("style"))
            if is_struck and not _strike(node, element):
                continue
            if len(element):
                if len(waiting) < MAX_TREE_DEPTH:
                    budget.check_elements(len(nodes))
                    waiting.append(_open(element, node))
                    break
                node.text = "" if node.has_struck else remove_invisible(" ".join(_iterate_all_texts(element)))
        else:
            waiting.pop()
    budget.check_elements(len(nodes))
    budget.add_steps(len(nodes))
    _summarise(nodes)
    budget.add_text(top.characters)
    return top, nodes


def _open(element: etree._Element, node: Node) -> tuple[Iterator[etree._Element], Node, list[Node]]:
    node.children = children = list[Node]()
    return iter(element), node, children


def _is_struck(name: str, style: str | None) -> bool:
    """Whether an element with this name and style is struck through."""
    return name in _STRIKES or (style is not None and bool(_STRUCK_STYLE.search(style)))


def _strike(node: Node, element: etree._Element) -> bool:
    """Remove the text of a struck element. Return whether its descendants remain, in tables and lists.

    While the tree is built, ``has_struck`` says to the children that they are struck too.
    """
    node.has_struck = True
    node.text = ""
    if node.parent is not None and node.parent.has_struck:
        node.tail = ""
    if node.name in _FRAMES:
        return True
    node.attributes = {STRUCK_TEXT: "".join(_iterate_all_texts(element, with_struck=True))}
    if node.name not in HEADINGS:
        node.name = STRUCK
    return False


class _Names(dict[object, str]):
    """Caches the prefixed names of elements and attributes by lxml's names."""

    def __missing__(self, name: object) -> str:
        self[name] = prefixed = _prefix_name(name)
        return prefixed


def _prefix_name(name: object) -> str:
    if not isinstance(name, str):  # an undeclared entity
        return ""
    if name[0] != "{":
        return name.lower()
    uri, _, local = name[1:].partition("}")
    return f"{_PREFIX_OF.get(uri, uri)}:{local}"


def _iterate_all_texts(top: etree._Element, with_struck: bool = False) -> Iterator[str]:
    """Yield the texts of an element and its descendants, without parameters."""
    waiting: list[etree._Element | str] = [top]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif (name := _prefix_name(item.tag)) != "ac:parameter" and (
            with_struck or not _is_struck(name, item.get("style"))
        ):
            yield item.text or ""
            for child in reversed(item):
                waiting += (child.tail or "", child)


def _summarise(nodes: list[Node]) -> None:
    """Add the properties of each node to its parent, from the last to the first: descendants before ancestors."""
    for node in reversed(nodes):
        parent, name, text, tail = node.parent, node.name, node.text, node.tail
        if text:
            node.characters += len(text)
            node.has_text = node.has_text or not text.isspace()
        if parent is None:
            continue
        parent.elements += node.elements
        parent.characters += node.characters + len(tail)
        if node.has_text or (tail and not tail.isspace()):
            parent.has_text = True
        # Struck text is text too: the fallback of an extension would show it.
        if node.has_adf_text or (name in _ADF_CONTENTS and (node.has_text or node.has_struck)):
            parent.has_adf_text = True
        if node.has_struck:
            parent.has_struck = True
        if node.has_bold or name in _BOLD:
            parent.has_bold = True
        if node.has_page_parts or name in _PAGE_PARTS:
            parent.has_page_parts = True
        _note_resources(node, parent)


def _note_resources(node: Node, parent: Node) -> None:
    if node.name == "ri:attachment":
        parent.attachment = node
    elif node.attachment is not None:  # an earlier one comes later in this pass and replaces it
        parent.attachment = node.attachment
    if node.name == "ri:url":
        parent.address = node
    elif node.address is not None:
        parent.address = node.address


def _iterate_texts(top: Node, without: frozenset[str]) -> Iterator[str]:
    yield top.text
    waiting: list[Node | str] = []
    for child in reversed(top.children):
        waiting += (child.tail, child)
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif node.name not in without:
            yield node.text
            for child in reversed(node.children):
                waiting += (child.tail, child)


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
    """Set ``breaks_line`` and ``has_blocks`` of all nodes, given in document order."""
    for node in reversed(nodes):  # descendants before ancestors
        name = node.name
        node.breaks_line = breaks = _breaks_line(node) if name in MACROS else _breaks(node)
        parent = node.parent
        if parent is not None and (
            node.has_blocks or (name in _BLOCKS and name != _WRAPPER and (breaks or name not in MACROS))
        ):
            parent.has_blocks = True


def _breaks(node: Node) -> bool:
    # Inline elements may hold blocks all the same: <span><table>…, <a><p>…
    return node.name in _BLOCKS or (node.has_blocks and node.name not in _INLINE_ONLY)


def _breaks_line(node: Node) -> bool:
    macro = node.attribute("ac:name")
    if macro in INLINE_MACROS or macro in SILENT_MACROS:
        return False
    if all(below.name == "ac:parameter" for below in node.children):  # no content
        return False
    return macro in CODE_MACROS or node.has_blocks or not is_inline(node)


def is_inline(macro: Node) -> bool:
    """Whether a macro declares itself as inline."""
    return macro.get_parameter("atlassian-macro-output-type") == "INLINE"


def is_hidden(macro: Node) -> bool:
    """Whether Confluence does not show the macro's body on its page: other pages may show it."""
    return macro.attribute("ac:name") in _CAN_HIDE and macro.get_parameter("hidden") == "true"


_CAN_HIDE = frozenset({"details", "excerpt"})


def get_macro_label(macro: Node) -> str:
    """Return the text that precedes a macro's body: ``Info: ``, or its title."""
    title = macro.get_parameter("title")
    label = {"info": "Info", "note": "Note", "tip": "Tip", "warning": "Warning"}.get(macro.attribute("ac:name"), "")
    shown = ": ".join(part for part in (label, title) if part)
    return f"{shown}: " if shown else ""


_CONTAINER_MACROS = frozenset({
    "info", "note", "tip", "warning", "panel", "expand", "excerpt", "details", "section", "column", "align", "center",
    "deck", "card", "localtab", "localtabgroup", "chart", "ui-expand", "ui-tab", "ui-tabs", "tasklist", "quote", "div",
})  # fmt: skip
_MACRO_NAME_CHARACTERS = 60


def find_unknown_macros(root: Node) -> frozenset[str]:
    """Return the names of unknown macros, whose bodies are read, but whose generated content is not."""
    known = _CONTAINER_MACROS.union(CODE_MACROS, INLINE_MACROS, PERSON_MACROS, SILENT_MACROS)
    macros = (node.attribute("ac:name") for node in root.iterate_descendants() if node.name in MACROS)
    return frozenset(name[:_MACRO_NAME_CHARACTERS] for name in macros if name and name not in known)


ISSUE_QUERY = re.compile(r"\[Jira: ([^\[\]]{1,2000})\]")
"""The text of a list of issues that Jira fills in when the page is shown, with its query."""

ROUND = str.maketrans("[]", "()")
"""Replaces the brackets in what is shown in brackets, so that the first "]" ends it."""


def _read_jira(macro: Node) -> str:
    key = macro.get_parameter("key")
    query = macro.get_parameter("jqlQuery") or macro.get_parameter("jql")
    return key or (f"[Jira: {query.translate(ROUND)}]" if query else "")


def _read_file(macro: Node) -> str:
    if macro.attachment is not None:
        return f"[file: {macro.attachment.attribute('ri:filename')}]"
    name = macro.get_parameter("name") or macro.get_parameter("diagramName")
    return f"[file: {name}]" if name else ""


def _read_address(macro: Node) -> str:
    if macro.address is not None:
        return macro.address.attribute("ri:value")
    return macro.get_parameter("url") or macro.get_parameter("src")


def _read_status(macro: Node) -> str:
    return macro.get_parameter("title") or macro.get_parameter("colour").upper()  # as Confluence shows it


# Macros within a line, with the function that returns their text.
INLINE_MACROS = {
    "jira": _read_jira, "jiraissues": _read_jira, "status": _read_status, "widget": _read_address,
    "iframe": _read_address, "view-file": _read_file, "viewpdf": _read_file, "viewdoc": _read_file,
    "viewxls": _read_file, "viewppt": _read_file, "multimedia": _read_file, "drawio": _read_file, "gliffy": _read_file,
    "inc-drawio": _read_file,
}  # fmt: skip

PERSON_MACROS = frozenset({"profile", "profile-picture"})

# Macros whose content Confluence generates when it shows the page: navigation, lists of other pages, decoration.
SILENT_MACROS = {
    "toc", "toc-zone-nav", "children", "pagetree", "pagetreesearch", "livesearch", "search", "anchor", "contributors",
    "recently-updated", "content-report-table", "contentbylabel", "labels", "related-labels", "popular-labels",
    "blog-posts", "attachments", "gallery", "create-from-template", "listlabels",
    "contributors-summary", "recently-updated-dashboard", "spaces", "navmap", "change-history", "favpages",
    "task-report", "tasks-report-macro", "detailssummary", "include", "excerpt-include", "userlister", "network",
}  # fmt: skip
