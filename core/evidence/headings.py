"""The headings above a position on a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.evidence import inline
from core.evidence.blocks import BOLD_LINE, Heading
from core.evidence.budget import Budget
from core.evidence.split import shorten
from core.evidence.tree import HEADINGS, MACROS, Node

# Texts that every evidence repeats are limited, because the output would grow with the square of the page.
_HEADING_CHARACTERS = 500

_ENCLOSING_MACROS = frozenset({
    "info", "note", "tip", "warning", "panel", "expand", "ui-expand", "ui-tab", "localtab", "card",
})  # fmt: skip
_ENCLOSING_NODES = frozenset({"panel", "expand", "nestedExpand", "nested-expand"})
_COLUMNS = frozenset({"ac:layout-cell", "td", "th"})


@dataclass(frozen=True, slots=True)
class Section:
    """The position of blocks: their headings, and for comments, files and inclusions where they come from.

    Of a comment, ``heading_path`` begins with its author and date. ``origin`` and ``via`` are those of the evidences.
    """

    heading_path: tuple[str, ...] = ()
    anchor: str = ""
    thread: str = ""
    url: str = ""
    origin: str = ""
    via: tuple[str, ...] = ()


class Headings:
    """The headings above a position on a page, outermost first."""

    def __init__(self, top: Section, anchor: Callable[[str], str]) -> None:
        """``top``: the section above the first heading. ``anchor``: returns a heading's anchor, called in order."""
        self._top = top
        self._anchor = anchor
        self._levels: list[tuple[int, str]] = []
        self._last_anchor = top.anchor  # a bold line has none of its own
        self._section = top
        self._opened: list[tuple[list[tuple[int, str]], str, Section]] = []

    def count(self, heading: Heading) -> None:
        """Count a heading that makes no section, because Confluence numbers the anchors of all headings."""
        self._make_anchor(heading)

    def enter(self, heading: Heading) -> Section:
        """Return the section below the next heading."""
        name = shorten(heading.text, _HEADING_CHARACTERS)
        self._levels = [(level, above) for level, above in self._levels if level < heading.level]
        if name:
            self._levels.append((heading.level, name))
        path = (*self._top.heading_path, *(name for _, name in self._levels))
        if heading.level < BOLD_LINE:
            self._last_anchor = self._make_anchor(heading)
        self._section = replace(self._top, heading_path=path, anchor=self._last_anchor)
        return self._section

    def open_container(self) -> None:
        """Begin a container whose headings hold only within it."""
        self._opened.append((self._levels, self._last_anchor, self._section))

    def close_container(self) -> Section:
        """End the last open container. Return the section that goes on after it."""
        self._levels, self._last_anchor, self._section = self._opened.pop()
        return self._section

    def _make_anchor(self, heading: Heading) -> str:
        return "" if is_long(heading) else self._anchor(heading.anchor or heading.text)


def read_heading(node: Node, budget: Budget) -> Heading | None:
    """Read a heading; return None if it has no text, not even a struck one."""
    text = inline.render_heading(node, budget)
    anchor = inline.render_anchor(node, budget) if node.has_struck or node.elements > 1 else ""
    return Heading(HEADINGS[node.name], text, anchor if anchor != text else "") if text or anchor else None


def is_long(heading: Heading) -> bool:
    """Whether a heading is too long to be repeated in every evidence below it. It becomes a text instead."""
    return len(heading.text) > _HEADING_CHARACTERS


def is_enclosing(node: Node) -> bool:
    """Whether headings in an element hold only within it: in a panel, expand or tab, and in one of several columns.

    A page's whole text may stand in layout sections of one column, so headings in those hold beyond them. Cells of
    tables are columns if the table is for layout.
    """
    name, macro = node.name, node.attribute("ac:name")
    if name in MACROS:
        return macro in _ENCLOSING_MACROS or (macro == "column" and _has_sibling(node))
    if name == "ac:adf-node":
        return node.attribute("type") in _ENCLOSING_NODES
    return name in _COLUMNS and _has_sibling(node)


def _has_sibling(node: Node) -> bool:
    """Whether there is another element, or macro, of the same kind beside an element."""
    siblings = node.parent.children if node.parent is not None else ()
    kind = node.name, node.attribute("ac:name")
    return any(other is not node and (other.name, other.attribute("ac:name")) == kind for other in siblings)
