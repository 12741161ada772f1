"""The blocks of a page: headings, texts, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph, or a code block verbatim. Empty if Confluence shows something that is not text of the page.

    ``licence``: of an empty text, the banner in its place that says who holds the copyright.
    """

    text: str
    code: bool = False
    language: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item with its marker (``-``, ``1.``, ``[x]``) and the items nested in it."""

    marker: str
    text: str
    children: tuple[ListItem, ...] = ()


@dataclass(frozen=True, slots=True)
class List:
    """An outermost list."""

    items: tuple[ListItem, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell before spans are resolved. ``strong``: all of its text is bold, as in headers without ``<th>``."""

    text: str
    header: bool = False
    strong: bool = False
    colspan: int = 1
    rowspan: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table before spans are resolved. ``head_rows``: the number of leading rows in a ``thead``."""

    rows: tuple[tuple[Cell, ...], ...]
    head_rows: int = 0
    caption: str = ""


Block = Heading | Text | List | Table


_MAX_FENCE = 60  # it is repeated in every piece of a long code block
_MAX_INDENTS = 8


def fence_code(text: Text) -> str:
    """The text of an evidence: code between fences that are longer than those in it, with its language."""
    if not text.code:
        return text.text
    longest = max((len(run) for run in re.findall("`+", text.text)), default=0)
    fence = "`" * min(max(3, 1 + longest), _MAX_FENCE)
    return f"{fence}{text.language}\n{text.text}\n{fence}"


@dataclass(frozen=True, slots=True)
class ItemLine:
    """An item as a line of an evidence, with its marker, indented by its depth."""

    depth: int
    marker: str
    text: str


def list_lines(items: Iterable[ListItem]) -> Iterator[ItemLine]:
    """The items as lines, each item before those nested in it."""
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
