"""Confluence storage format to an element tree.

Storage format is XHTML with the undeclared prefixes ``ac``, ``ri`` and ``at`` and HTML's named entities, so it is
wrapped in a document that declares both. lxml's HTML parser would lose CDATA, and with it code blocks.
https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.entities import name2codepoint

from lxml import etree

from core.evidence.budget import Budget
from core.evidence.line_breaks import find_line_breaks
from core.evidence.repair import repair_markup
from core.evidence.tree import NAMESPACES, Node, build_tree

_XML_ENTITIES = {"amp", "lt", "gt", "quot", "apos"}

_DOCTYPE = "".join(
    f'<!ENTITY {name} "&#{codepoint};">' for name, codepoint in name2codepoint.items() if name not in _XML_ENTITIES
)
_OPEN = (
    f"<!DOCTYPE page [{_DOCTYPE}]><page "
    + " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())
    + "\n>"
)
_OPEN_LINES = _OPEN.count("\n")
_CLOSE = "</page>"
_LINE = re.compile(r"\bline (\d+)")

# Not allowed in XML 1.0; NUL would also cut a text short in C code behind it.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class ParsedContent:
    """The tree under a wrapping ``page`` element, and what was wrong with the markup ("" if nothing)."""

    root: Node
    defect: str = ""


def clean(text: str) -> str:
    """The text without the characters that neither XML nor UTF-8 can carry."""
    return _CONTROL.sub("", text)


def parse(content: str, budget: Budget | None = None) -> ParsedContent:
    """Parses a page body. Broken markup is repaired first, and said in ``defect``. Raises PageOverBudget."""
    content, budget = clean(content), budget or Budget()
    budget.handle(len(content))
    try:
        root, defect = _tree(content, recover=False), ""
    except etree.XMLSyntaxError as error:
        root, defect = _tree(repair_markup(content), recover=True), _placed(error)
    if root is None:
        root = etree.Element("page")
    top, nodes = build_tree(root, budget)
    find_line_breaks(nodes)
    return ParsedContent(top, defect)


def _tree(content: str, recover: bool) -> etree._Element | None:
    return etree.fromstring(f"{_OPEN}{content}{_CLOSE}".encode(), _parser(recover))


def _placed(error: etree.XMLSyntaxError) -> str:
    """What is wrong, with the places in the content itself instead of the wrapped document."""
    said = _without_excerpt(str(error.msg))
    message = _LINE.sub(lambda found: f"line {max(1, int(found[1]) - _OPEN_LINES)}", said)
    line, column = error.position
    # The first line stands behind the ">" that ends _OPEN.
    return message.replace(f"column {column}", f"column {max(1, column - 1)}") if line == 1 + _OPEN_LINES else message


def _without_excerpt(said: str) -> str:
    """Without the lines of the wrapped document that libxml2 quotes where that breaks off."""
    start, end = said.find("\n"), said.rfind(", line ")
    return said[:start] + said[end:] if 0 <= start < end else said


def _parser(recover: bool) -> etree.XMLParser:
    # huge_tree lifts libxml2's limits on size and depth: bodies of several MB are real.
    return etree.XMLParser(
        recover=recover, huge_tree=True, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
