"""Lists, task lists, decision lists and definition lists to blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from lxml import etree

from core.evidence import inline
from core.evidence.blocks import Block, Heading, List, ListItem, Table, Text, fenced
from core.evidence.storage_format import attribute, child, tag

Flow = Callable[[etree._Element], Iterator[Block]]
"""Reads the blocks inside an element: how a list gets at what its items hold."""

_LISTS = {"ul", "ol", "ac:task-list"}


def is_list(node: etree._Element) -> bool:
    """Whether this element is a list, of whatever kind."""
    name = tag(node)
    return name in _LISTS or name == "dl" or (name == "ac:adf-node" and attribute(node, "type") == "decision-list")


def read_list(node: etree._Element, flow: Flow) -> List | None:
    """A list with the lists nested in it; None if it says nothing."""
    if tag(node) == "dl":
        items = list(_definitions(node, flow))
    elif tag(node) == "ac:adf-node":
        items = [item for below in node if tag(below) == "ac:adf-node" and (item := _item(below, "-", flow))]
    else:
        items = _items(node, flow)
    return List(tuple(items)) if items else None


def _items(node: etree._Element, flow: Flow) -> list[ListItem]:
    items = [ListItem("-", text)] if (text := inline.tidy(node.text or "")) else []
    start = attribute(node, "start")
    number = int(start) if start.isdecimal() and len(start) < 7 else 1
    for below in node:
        name = tag(below)
        if name in _LISTS:
            _nest(items, _items(below, flow))
        elif name == "ac:task":
            items.append(_task(below, flow))
        elif item := _item(below, f"{number}." if name == "li" and tag(node) == "ol" else "-", flow):
            items.append(item)
            number += name == "li"
        if text := inline.tidy(below.tail or ""):
            items.append(ListItem("-", text))
    return items


def _nest(items: list[ListItem], nested: list[ListItem]) -> None:
    """A list directly in a list, as old editors wrote it, belongs to the item before it."""
    if items:
        items[-1] = replace(items[-1], children=(*items[-1].children, *nested))
    else:
        items.extend(nested)


def _item(node: etree._Element, marker: str, flow: Flow) -> ListItem | None:
    texts: list[str] = []
    children: list[ListItem] = []
    # What is no <li> was put here by mistake, but is read all the same.
    blocks = flow(node) if tag(node) in {"li", "dd", "ac:task-body", "ac:adf-node"} else iter([Text(_shown(node))])
    for block in blocks:
        match block:
            case Text():
                texts.append(fenced(block) if "\n" in block.text else block.text)
            case Heading():
                texts.append(block.text)
            case List():
                children.extend(block.items)
            case Table():
                texts.append(table_text(block))
    text = "\n".join(part for part in texts if part)
    return ListItem(marker, text, tuple(children)) if text or children else None


def _shown(node: etree._Element) -> str:
    return inline.tidy(inline.render(node))


def _task(node: etree._Element, flow: Flow) -> ListItem:
    status, body = child(node, "ac:task-status"), child(node, "ac:task-body")
    marker = "[x]" if status is not None and (status.text or "").strip() == "complete" else "[ ]"
    item = _item(body, marker, flow) if body is not None else None
    return item or ListItem(marker, "")


def _definitions(node: etree._Element, flow: Flow) -> Iterator[ListItem]:
    """Each definition after its term, and a term without one by itself."""
    terms: list[str] = []
    defined = True
    for below in _terms_and_definitions(node):
        if tag(below) == "dt":
            terms = [] if defined else terms
            terms.append(inline.inline(below).replace("\n", " "))
            defined = False
        elif item := _item(below, "-", flow):
            term = ", ".join(name for name in terms if name)
            yield replace(item, text=f"{term}: {item.text}" if term else item.text)
            defined = True
    if not defined and any(terms):
        yield ListItem("-", ", ".join(terms))


def _terms_and_definitions(node: etree._Element) -> Iterator[etree._Element]:
    for below in node:
        if tag(below) in {"dt", "dd"}:
            yield below
        else:
            yield from _terms_and_definitions(below)


def table_text(table: Table) -> str:
    """A table within an item or a cell: cells with commas, rows with semicolons between them."""
    rows = (", ".join(cell.text for cell in row if cell.text) for row in table.rows)
    return "; ".join(part for part in (table.caption, *rows) if part)


def flat(items: Iterable[ListItem]) -> Iterator[str]:
    """The items one after the other, as a cell holds them; only tasks keep their marker."""
    for item in items:
        if item.text:
            yield (f"{item.marker} " if item.marker.startswith("[") else "") + item.text
        yield from flat(item.children)
