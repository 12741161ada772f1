"""What a page consists of, in document order: headings, texts, lists and tables."""

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
    """A paragraph, or a code block verbatim. Empty where Confluence shows something that is no text of the page."""

    text: str
    code: bool = False
    language: str = ""


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
    """A table cell as written, before spans are resolved."""

    text: str
    header: bool = False
    strong: bool = False  # all of its text is bold, as people mark headers without <th>
    colspan: int = 1
    rowspan: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table as written. ``head_rows`` counts the leading rows that stand in a ``thead``."""

    rows: tuple[tuple[Cell, ...], ...]
    head_rows: int = 0
    caption: str = ""


Block = Heading | Text | List | Table


_MAX_FENCE = 60  # it stands twice in every piece of a long code block
_MAX_INDENTS = 8  # they stand before every item below


def fence_code(text: Text) -> str:
    """The text as evidence shows it: code between fences (longer ones than it has itself), with its language."""
    if not text.code:
        return text.text
    longest = max((len(run) for run in re.findall("`+", text.text)), default=0)
    fence = "`" * min(max(3, 1 + longest), _MAX_FENCE)
    return f"{fence}{text.language}\n{text.text}\n{fence}"


def list_lines(items: Iterable[ListItem]) -> Iterator[str]:
    """The items as evidence shows them: one each, with its marker, nested ones indented."""
    waiting = [(iter(items), 0)]
    while waiting:
        found, depth = waiting[-1]
        for item in found:
            if item.text:
                yield f"{'  ' * min(depth, _MAX_INDENTS)}{item.marker} {item.text}"
            waiting.append((iter(item.children), depth + 1 if item.text else depth))
            break
        else:
            waiting.pop()
