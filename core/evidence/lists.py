"""Lists, task lists, decision lists and definition lists to blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from core.evidence import inline
from core.evidence.blocks import Block, Heading, List, ListItem, Table, Text, fence_code
from core.evidence.budget import Budget
from core.evidence.tree import Node

Flow = Callable[[Node], Iterator[Block]]
"""Reads the blocks inside an element."""

_REPEATED_TERM_CHARACTERS = 200  # of a term before its second and later definitions

_LISTS = {"ul", "ol", "ac:task-list"}


def is_list(node: Node) -> bool:
    """Whether this element is a list of any kind."""
    name = node.name
    return name in _LISTS or name == "dl" or (name == "ac:adf-node" and node.attribute("type") == "decision-list")


def read_list(node: Node, flow: Flow, budget: Budget) -> List | None:
    """A list with the lists nested in it; None if it has no text."""
    if node.name == "dl":
        items = list(_definitions(node, flow, budget))
    elif node.name == "ac:adf-node":
        items = [
            item for below in node.children if below.name == "ac:adf-node" and (item := _item(below, "-", flow, budget))
        ]
    else:
        items = _items(node, flow, budget)
    return List(tuple(items)) if items else None


def _items(node: Node, flow: Flow, budget: Budget) -> list[ListItem]:
    items = [ListItem("-", text)] if (text := inline.tidy(node.text)) else []
    start = node.attribute("start")
    number = int(start) if start.isdecimal() and len(start) < 7 else 1
    nested: dict[int, list[ListItem]] = {}
    for below in node.children:
        budget.operate()
        name = below.name
        if name in _LISTS:
            # A list directly in a list, as written by old editors, belongs to the item before it.
            found = _items(below, flow, budget)
            (nested.setdefault(len(items) - 1, []) if items else items).extend(found)
        elif name == "ac:task":
            items.append(_task(below, flow, budget))
        elif item := _item(below, f"{number}." if name == "li" and node.name == "ol" else "-", flow, budget):
            items.append(item)
            number += name == "li"
        if text := inline.tidy(below.tail):
            items.append(ListItem("-", text))
    for index, children in nested.items():
        items[index] = replace(items[index], children=(*items[index].children, *children))
    return items


def _item(node: Node, marker: str, flow: Flow, budget: Budget) -> ListItem | None:
    texts: list[str] = []
    children: list[ListItem] = []
    # Other elements than <li> are invalid here, but are read all the same.
    blocks = (
        flow(node)
        if node.name in {"li", "dd", "ac:task-body", "ac:adf-node"}
        else iter([Text(_render_inline(node, budget))])
    )
    for block in blocks:
        match block:
            case Text():
                texts.append(fence_code(block) if "\n" in block.text else block.text)
            case Heading():
                texts.append(block.text)
            case List():
                children.extend(block.items)
            case Table():
                texts.append(table_text(block))
    text = "\n".join(part for part in texts if part)
    return ListItem(marker, text, tuple(children)) if text or children else None


def _render_inline(node: Node, budget: Budget) -> str:
    line = inline.Line(budget)
    inline.render(node, line)
    return inline.tidy(line.take())


def _task(node: Node, flow: Flow, budget: Budget) -> ListItem:
    status, body = node.child("ac:task-status"), node.child("ac:task-body")
    marker = "[x]" if status is not None and status.text.strip() == "complete" else "[ ]"
    item = _item(body, marker, flow, budget) if body is not None else None
    return item or ListItem(marker, "")


def _definitions(node: Node, flow: Flow, budget: Budget) -> Iterator[ListItem]:
    """Each definition with its term before it, and terms without definition."""
    terms: list[str] = []
    defined = True
    for below in _terms_and_definitions(node, budget):
        if below.name == "dt":
            terms = [] if defined else terms
            terms.append(inline.inline(below, budget).replace("\n", " "))
            defined = False
        elif item := _item(below, "-", flow, budget):
            term = ", ".join(name for name in terms if name)
            if defined and len(term) > _REPEATED_TERM_CHARACTERS:
                term = f"{term[:_REPEATED_TERM_CHARACTERS].rstrip()} …"
                terms = [term]
            budget.handle(len(term))
            yield replace(item, text=f"{term}: {item.text}" if term else item.text)
            defined = True
    if not defined and any(terms):
        yield ListItem("-", ", ".join(terms))


def _terms_and_definitions(node: Node, budget: Budget) -> Iterator[Node]:
    waiting = list(reversed(node.children))
    while waiting:
        budget.operate()
        below = waiting.pop()
        if below.name in {"dt", "dd"}:
            yield below
        else:
            waiting.extend(reversed(below.children))


def table_text(table: Table) -> str:
    """A table within an item or a cell: commas between cells, semicolons between rows."""
    rows = (", ".join(cell.text for cell in row if cell.text) for row in table.rows)
    return "; ".join(part for part in (table.caption, *rows) if part)


def flat(items: Iterable[ListItem]) -> Iterator[str]:
    """The items as texts of a cell; only tasks keep their marker."""
    waiting = [iter(items)]
    while waiting:
        for item in waiting[-1]:
            waiting.append(iter(item.children))
            if item.text:
                yield (f"{item.marker} " if item.marker.startswith("[") else "") + item.text
            break
        else:
            waiting.pop()
