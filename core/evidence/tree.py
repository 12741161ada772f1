"""The elements of a page with what the readers ask of them, found out once.

A reader that asks an element about all that is below it makes nested elements cost the square of their depth, or
worse. So every such question is answered here, for all elements in one pass from the last to the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lxml import etree

from core.evidence.budget import MAX_TREE_DEPTH, Budget

NAMESPACES = {prefix: f"http://atlassian.com/{prefix}" for prefix in ("ac", "ri", "at")}
_PREFIX_OF = {uri: prefix for prefix, uri in NAMESPACES.items()}

MACROS = frozenset({"ac:structured-macro", "ac:macro"})
_BOLD = frozenset({"strong", "b"})
_PAGE_PARTS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre"})
_ITEMS = frozenset({"li", "td", "th", "dd"})
_NO_ATTRIBUTES: Mapping[str, str] = {}
_ADF_CONTENTS = frozenset({"ac:adf-content", "adf-content"})


class Node:
    """An element: its name as people write it (``td``, ``ac:structured-macro``; "" for an undeclared entity).

    ``elements`` and ``characters`` count all that is in it. ``has_text``: more than white space is in it;
    ``has_adf_text``: also in an ``ac:adf-content`` in it; ``has_bold``, ``has_page_parts``: such elements are in it.
    ``in_item``: it is in a list item or a cell. ``attachment`` and ``address``: the first of these resources in it.
    ``breaks_line`` and ``has_blocks`` are set by :mod:`core.evidence.line_breaks`.
    """

    __slots__ = (
        "address", "attachment", "attributes", "breaks_line", "characters", "children", "elements", "has_adf_text",
        "has_blocks", "has_bold", "has_page_parts", "has_text", "in_item", "name", "parent", "tail", "text",
    )  # fmt: skip

    def __init__(self, name: str, attributes: Mapping[str, str], text: str, tail: str, parent: Node | None) -> None:
        self.name = name
        self.attributes = attributes
        self.text = text
        self.tail = tail
        self.parent = parent
        self.children: Sequence[Node] = ()
        self.elements = 1
        self.characters = len(text)
        self.has_text = bool(text) and not text.isspace()
        self.has_adf_text = self.has_bold = self.has_page_parts = self.has_blocks = self.breaks_line = False
        self.in_item = parent is not None and (parent.in_item or parent.name in _ITEMS)
        self.attachment: Node | None = None
        self.address: Node | None = None

    def attribute(self, name: str) -> str:
        """An attribute by its prefixed name (``ac:name``), "" if it is not there."""
        return self.attributes.get(name, "")

    def child(self, name: str) -> Node | None:
        """The first child with this prefixed name."""
        for child in self.children:
            if child.name == name:
                return child
        return None

    def parameter(self, name: str) -> str:
        """A macro's parameter, as text; "" if it is not there. A macro within a parameter is not read."""
        for child in self.children:
            if child.name == "ac:parameter" and child.attributes.get("ac:name", "") == name:
                return "".join(_own_texts(child)).strip() if child.children else child.text.strip()
        return ""

    def below(self) -> Iterator[Node]:
        """Every element in it, in document order."""
        waiting = list(reversed(self.children))
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def texts(self) -> Iterator[str]:
        """Every text in it, in document order."""
        return _texts(self, frozenset())


def build_tree(root: etree._Element, budget: Budget) -> tuple[Node, list[Node]]:
    """The tree of an element, and all its nodes in document order."""
    names: dict[object, str] = {}
    top = _node(root, None, names)
    nodes, waiting = [top], [_opened(root, top)]
    while waiting:
        elements, parent, children = waiting[-1]
        for element in elements:
            node = _node(element, parent, names)
            children.append(node)
            nodes.append(node)
            if len(element):
                if len(waiting) < MAX_TREE_DEPTH:
                    budget.check_elements(len(nodes))
                    waiting.append(_opened(element, node))
                    break
                _flatten(node, element)
        else:
            waiting.pop()
    budget.check_elements(len(nodes))
    budget.operate(len(nodes))
    _find_out(nodes)
    budget.handle(top.characters)
    return top, nodes


def _opened(element: etree._Element, node: Node) -> tuple[Iterator[etree._Element], Node, list[Node]]:
    node.children = children = list[Node]()
    return iter(element), node, children


def _node(element: etree._Element, parent: Node | None, names: dict[object, str]) -> Node:
    name = names.get(element.tag)
    if name is None:
        name = names[element.tag] = _prefixed(element.tag)
    items = element.items()
    attributes = {_prefixed(key, lower=False): value for key, value in items} if items else _NO_ATTRIBUTES
    return Node(name, attributes, element.text or "", element.tail or "", parent)


def _prefixed(name: object, lower: bool = True) -> str:
    if not isinstance(name, str):  # an entity that nobody declared
        return ""
    if name[0] != "{":
        return name.lower() if lower else name
    uri, _, local = name[1:].partition("}")
    return f"{_PREFIX_OF.get(uri, uri)}:{local}"


def _flatten(node: Node, element: etree._Element) -> None:
    """Takes all that is in the element as one text."""
    node.text = " ".join(piece for below in element.iter() for piece in _own_pieces(below, element))
    node.characters, node.has_text = len(node.text), bool(node.text.strip())


def _own_pieces(element: etree._Element, top: etree._Element) -> tuple[str, str]:
    text = "" if _prefixed(element.tag) == "ac:parameter" else element.text or ""
    return text, "" if element is top else element.tail or ""


def _find_out(nodes: list[Node]) -> None:
    """Each node tells its parent, from the last to the first: so all that is in a node has told it before."""
    for node in reversed(nodes):
        parent, name = node.parent, node.name
        if name == "ri:attachment":
            node.attachment = node
        elif name == "ri:url":
            node.address = node
        if parent is None:
            continue
        parent.elements += node.elements
        parent.characters += node.characters + len(node.tail)
        if node.has_text or (node.tail and not node.tail.isspace()):
            parent.has_text = True
        if node.has_adf_text or (node.has_text and name in _ADF_CONTENTS):
            parent.has_adf_text = True
        if node.has_bold or name in _BOLD:
            parent.has_bold = True
        if node.has_page_parts or name in _PAGE_PARTS:
            parent.has_page_parts = True
        parent.attachment = node.attachment or parent.attachment  # an earlier one comes later, and stays
        parent.address = node.address or parent.address


def _own_texts(node: Node) -> Iterator[str]:
    return _texts(node, MACROS)


def _texts(top: Node, without: frozenset[str]) -> Iterator[str]:
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
