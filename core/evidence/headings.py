"""The headings above a position on a page, and the macros below them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from core.evidence import inline
from core.evidence.blocks import BOLD_LINE, Heading
from core.evidence.budget import Budget
from core.evidence.split import shorten
from core.evidence.tree import HEADINGS, MACROS, Node

# Texts that every evidence repeats are limited, because the output would grow with the square of the page.
_HEADING_CHARACTERS = 500


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

    def enter(self, heading: Heading) -> Section:
        """Return the section below the next heading."""
        name = shorten(heading.text, _HEADING_CHARACTERS)
        self._levels = [(level, above) for level, above in self._levels if level < heading.level]
        if name:
            self._levels.append((heading.level, name))
        path = (*self._top.heading_path, *(name for _, name in self._levels))
        if heading.level < BOLD_LINE:
            self._last_anchor = "" if is_long(heading) else self._anchor(heading.anchor or heading.text)
        return replace(self._top, heading_path=path, anchor=self._last_anchor)


def read_heading(node: Node, budget: Budget) -> Heading | None:
    """Read a heading; return None if it has no text, not even a struck one."""
    text = inline.render_heading(node, budget)
    anchor = inline.render_anchor(node, budget) if node.has_struck or node.elements > 1 else ""
    return Heading(HEADINGS[node.name], text, anchor if anchor != text else "") if text or anchor else None


def find_macros(
    root: Node, names: Collection[str], anchor: Callable[[str], str], budget: Budget
) -> Iterator[tuple[str, Node, Section]]:
    """Yield the macros with these names in document order, each with name and section; ``anchor`` as in Headings."""
    section = Section()
    headings = Headings(section, anchor)
    for node in root.iterate_descendants():
        budget.add_steps()
        if node.name in HEADINGS and not node.in_item:
            if heading := read_heading(node, budget):
                section = headings.enter(heading)
        elif node.name in MACROS and (name := node.attribute("ac:name")) in names:
            yield name, node, section


def is_long(heading: Heading) -> bool:
    """Whether a heading is too long to be repeated in every evidence below it. It becomes a text instead."""
    return len(heading.text) > _HEADING_CHARACTERS
