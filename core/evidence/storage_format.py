"""Parses Confluence storage format into an element tree. Broken markup is repaired first, so that no text is lost.

Storage format is XHTML with HTML's named entities and the undeclared prefixes ``ac``, ``ri`` and ``at``, so it is
wrapped in a document that declares both. lxml's HTML parser would lose CDATA sections, and code blocks with them.
libxml2's own recovery stops at the first surplus end tag and drops words after a bare ``&``.
https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from html import escape
from html.entities import name2codepoint

from lxml import etree

from core.evidence.budget import Budget
from core.evidence.tree import NAMESPACES, Node, build_tree, find_line_breaks
from core.text import remove_invisible, unescape_html

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

# Characters that XML 1.0 forbids. NUL would also end a text in C code.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class ParsedContent:
    """The tree under a wrapping ``page`` element, and the defect of the markup ("" if there is none)."""

    root: Node
    defect: str = ""


def remove_forbidden(text: str) -> str:
    """Remove characters that XML or UTF-8 does not allow, and those that nobody sees."""
    return remove_invisible(_CONTROL.sub("", text))


def tidy_line(text: str) -> str:
    """Return a name or title from outside the content as it would stand in it, on one line."""
    return " ".join(remove_forbidden(text).split())


def parse(content: str, budget: Budget | None = None) -> ParsedContent:
    """Parse a page body. Broken markup is repaired, and reported in ``defect``. Raises PageOverBudget."""
    # Invisible characters are removed from texts when the tree is built: markup may refer to them by number.
    content, budget = _CONTROL.sub("", content), budget or Budget()
    budget.add_text(len(content))
    try:
        root, defect = _parse_tree(content, recover=False), ""
    except etree.XMLSyntaxError as error:
        root, defect = _parse_tree(repair_markup(content), recover=True), _describe_defect(error)
    if root is None:
        root = etree.Element("page")
    top, nodes = build_tree(root, budget)
    find_line_breaks(nodes)
    return ParsedContent(top, defect)


def _parse_tree(content: str, recover: bool) -> etree._Element | None:
    return etree.fromstring(f"{_OPEN}{content}{_CLOSE}".encode(), _make_parser(recover))


def _describe_defect(error: etree.XMLSyntaxError) -> str:
    """Return the parser's message, with positions in the content instead of the wrapping document."""
    text = _remove_excerpt(str(error.msg))
    message = _LINE.sub(lambda found: f"line {max(1, int(found[1]) - _OPEN_LINES)}", text)
    line, column = error.position
    # The first line follows the ">" that ends _OPEN.
    return message.replace(f"column {column}", f"column {max(1, column - 1)}") if line == 1 + _OPEN_LINES else message


def _remove_excerpt(message: str) -> str:
    """Remove the lines of the wrapping document that libxml2 quotes."""
    start, end = message.find("\n"), message.rfind(", line ")
    return message[:start] + message[end:] if 0 <= start < end else message


def _make_parser(recover: bool) -> etree.XMLParser:
    # huge_tree lifts libxml2's limits on size and depth, since bodies of several MB occur.
    return etree.XMLParser(
        recover=recover, huge_tree=True, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )


_TOKEN = re.compile(
    r"(?P<cdata><!\[CDATA\[.*?(?:\]\]>|\Z))"
    r"|(?P<silent><!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<![A-Za-z][^<>]*+>)"
    r"|<(?P<end>/)?(?P<name>[A-Za-z_][\w.-]*+(?::[A-Za-z_][\w.-]*+)?+)"
    r"(?P<rest>(?:\s(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+|/)?)>",
    re.DOTALL,
)
# A name matches only from its beginning; otherwise each letter of a long name would start a search for "=".
_ATTRIBUTE = re.compile(
    r"(?<![\w.:-])([A-Za-z_][\w.-]*+(?::[A-Za-z_][\w.-]*+)?+)\s*+=\s*+"
    r"(?:\"([^\"<]*+)\"|'([^'<]*+)'|([^\s\"'<>]++))"
)
_PREFIXES = {"ac", "ri", "at"}
_MAX_DEPTH = 1000  # libxml2 gives up at 2,048
_BLOCKS = {"p", "div", "li", "ul", "ol", "tr", "td", "th", "table", "h1", "h2", "h3", "h4", "h5", "h6"}
_VOID = {"br", "hr", "img", "col", "input", "wbr", "area", "base", "link", "meta", "source"}


def repair_markup(content: str) -> str:
    """Close every element, remove surplus end tags, and escape every stray ``&`` and ``<``."""
    written: list[str] = []
    opened = _OpenElements()
    position = 0
    for token in _TOKEN.finditer(content):
        written.append(_repair_text(content[position : token.start()]))
        position = token.end()
        if token["cdata"]:
            written.append(token["cdata"] if token["cdata"].endswith("]]>") else f"{token['cdata']}]]>")
        elif token["end"]:
            written.append(opened.end(_remove_unknown_prefix(token["name"])))
        elif token["name"]:
            written.append(_start_tag(token, opened))
    written.append(_repair_text(content[position:]))
    written.append(opened.end_all())
    return "".join(written)


def _repair_text(text: str) -> str:
    return escape(unescape_html(text), quote=False)


def _start_tag(token: re.Match[str], opened: _OpenElements) -> str:
    name, rest = _remove_unknown_prefix(token["name"]), token["rest"]
    if rest.endswith("/") or name.lower() in _VOID:
        return f"<{name}{_repair_attributes(rest)}/>"
    return opened.start(name, _repair_attributes(rest))


class _OpenElements:
    """The open elements at a position. Elements beyond the depth that can be parsed are dropped."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._count: Counter[str] = Counter()

    def start(self, name: str, attributes: str) -> str:
        self._names.append(name)
        self._count[name] += 1
        return f"<{name}{attributes}>" if len(self._names) <= _MAX_DEPTH else " "

    def end(self, name: str) -> str:
        """Return the end tags of this element and of all elements open in it; none if it is not open."""
        if not self._count[name]:
            return " " if name.lower() in _BLOCKS else ""
        written: list[str] = []
        closed = ""
        while closed != name:
            closed = self._names.pop()
            self._count[closed] -= 1
            written.append(f"</{closed}>" if len(self._names) < _MAX_DEPTH else " ")
        return "".join(written)

    def end_all(self) -> str:
        return "".join(f"</{name}>" for name in reversed(self._names[:_MAX_DEPTH]))


def _repair_attributes(rest: str) -> str:
    values: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(rest):
        values.setdefault(_remove_unknown_prefix(name), double or single or bare.rstrip("/"))
    return "".join(f' {name}="{escape(unescape_html(value))}"' for name, value in values.items() if name != "xmlns")


def _remove_unknown_prefix(name: str) -> str:
    """Return the name without its prefix, if that is undeclared."""
    prefix, colon, local = name.partition(":")
    return name if not colon or prefix in _PREFIXES else local
