"""The blocks that a page is read into: headings, texts, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

BOLD_LINE = 7
"""The level of a short paragraph that is bold as a whole: it names what follows, below all headings."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6, or a bold line in place of one, of level :data:`BOLD_LINE`.

    ``text`` is "" if it is struck through: it ends the section above, but names none.
    """

    level: int
    text: str
    anchor: str = ""  # the text that its anchor is made from, if that is another one


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph, or a code block verbatim. Empty for content that Confluence generates when it shows the page."""

    text: str
    code: bool = False
    language: str = ""  # of code
    licence: str = ""  # of an empty text: the licence banner that it replaces


@dataclass(frozen=True, slots=True)
class ListItem:
    """A list item with its marker (``-``, ``1.``, ``[x]``) and nested items."""

    marker: str
    text: str
    children: tuple[ListItem, ...] = ()


@dataclass(frozen=True, slots=True)
class List:
    """A list that is not nested in another one."""

    items: tuple[ListItem, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell before spans are resolved."""

    text: str
    header: bool = False  # ``<th>``
    strong: bool = False  # all of its text is bold, as in headers without ``<th>``
    colspan: int = 1
    rowspan: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table before spans are resolved."""

    rows: tuple[tuple[Cell, ...], ...]
    head_rows: int = 0  # the number of leading rows in a ``thead``
    caption: str = ""


@dataclass(frozen=True, slots=True)
class ItemHeading:
    """A heading in a list item or cell. It makes no section, but counts for the numbers of anchors."""

    heading: Heading


class Edge(Enum):
    """An edge of a container, such as an expand or a column, whose headings hold only within it."""

    START = "start"
    END = "end"


Block = Heading | Text | List | Table

PageBlock = Block | ItemHeading | Edge
"""A block of a page outside of list items and cells."""


_MAX_FENCE = 60  # every piece of a long code block repeats the fence
_MAX_INDENTS = 8


def fence_code(text: Text) -> str:
    """Return the text, with code between fences that are longer than any in it, and with its language."""
    if not text.code:
        return text.text
    longest = max((len(run) for run in re.findall("`+", text.text)), default=0)
    fence = "`" * min(max(3, 1 + longest), _MAX_FENCE)
    return f"{fence}{text.language}\n{text.text}\n{fence}"


@dataclass(frozen=True, slots=True)
class ItemLine:
    """A list item as a line of an evidence, with marker and indentation."""

    depth: int
    marker: str
    text: str


def flatten_items(items: Iterable[ListItem]) -> Iterator[ItemLine]:
    """Return the items as lines, each followed by its nested items."""
    waiting = [(iter(items), 0)]
    while waiting:
        found, depth = waiting[-1]
        for item in found:
            if item.text:
                indent = "  " * min(depth, _MAX_INDENTS)
                yield ItemLine(depth, item.marker, f"{indent}{item.marker} {item.text}")
            waiting.append((iter(item.children), depth + 1 if item.text else depth))
            break
        else:
            waiting.pop()
