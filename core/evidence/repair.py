"""Broken storage format made well-formed, so that nothing of its text is lost.

libxml2's own recovery ends the document at the first end tag too many and drops words after a bare ``&``.
"""

from __future__ import annotations

import re
from collections import Counter
from html import escape

from core.text import unescape_html

_TOKEN = re.compile(
    r"(?P<cdata><!\[CDATA\[.*?(?:\]\]>|\Z))"
    r"|(?P<silent><!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<![A-Za-z][^<>]*+>)"
    r"|<(?P<end>/)?(?P<name>[A-Za-z_][\w.-]*+(?::[A-Za-z_][\w.-]*+)?+)"
    r"(?P<rest>(?:\s(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+|/)?)>",
    re.DOTALL,
)
# A name is read once, from its beginning: else one long name would be searched for "=" from each of its letters.
_ATTRIBUTE = re.compile(
    r"(?<![\w.:-])([A-Za-z_][\w.-]*+(?::[A-Za-z_][\w.-]*+)?+)\s*+=\s*+"
    r"(?:\"([^\"<]*+)\"|'([^'<]*+)'|([^\s\"'<>]++))"
)
_PREFIXES = {"ac", "ri", "at"}
_MAX_DEPTH = 1000  # libxml2 gives up at 2,048
_BLOCKS = {"p", "div", "li", "ul", "ol", "tr", "td", "th", "table", "h1", "h2", "h3", "h4", "h5", "h6"}
_VOID = {"br", "hr", "img", "col", "input", "wbr", "area", "base", "link", "meta", "source"}


def repair_markup(content: str) -> str:
    """The same content with every tag closed, every end tag opened, and every stray ``&`` and ``<`` escaped."""
    written: list[str] = []
    opened = _OpenElements()
    position = 0
    for token in _TOKEN.finditer(content):
        written.append(_text(content[position : token.start()]))
        position = token.end()
        if token["cdata"]:
            written.append(token["cdata"] if token["cdata"].endswith("]]>") else f"{token['cdata']}]]>")
        elif token["end"]:
            written.append(opened.end(_known(token["name"])))
        elif token["name"]:
            written.append(_started(token, opened))
    written.append(_text(content[position:]))
    written.append(opened.end_all())
    return "".join(written)


def _text(text: str) -> str:
    return escape(unescape_html(text), quote=False)


def _started(token: re.Match[str], opened: _OpenElements) -> str:
    name, rest = _known(token["name"]), token["rest"]
    if rest.endswith("/") or name.lower() in _VOID:
        return f"<{name}{_attributes(rest)}/>"
    return opened.start(name, _attributes(rest))


class _OpenElements:
    """The elements open at one place of the content. Those beyond the depth that can be parsed are left out."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._count: Counter[str] = Counter()

    def start(self, name: str, attributes: str) -> str:
        self._names.append(name)
        self._count[name] += 1
        return f"<{name}{attributes}>" if len(self._names) <= _MAX_DEPTH else " "

    def end(self, name: str) -> str:
        """The end tags of this element and of all open within it; none where it was never opened."""
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


def _attributes(rest: str) -> str:
    values: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(rest):
        values.setdefault(_known(name), double or single or bare.rstrip("/"))
    return "".join(f' {name}="{escape(unescape_html(value))}"' for name, value in values.items() if name != "xmlns")


def _known(name: str) -> str:
    """The name without a prefix that nobody declared."""
    prefix, colon, local = name.partition(":")
    return name if not colon or prefix in _PREFIXES else local
