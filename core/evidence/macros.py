"""Finds macros by name, with the section that each is in.

This is a second walk through the tree, besides that of :mod:`.reader`. Both must agree on which headings make a
section, which elements enclose headings, and which tables are for layout only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from core.evidence.blocks import Edge
from core.evidence.budget import Budget
from core.evidence.headings import Headings, Section, is_enclosing, read_heading
from core.evidence.lists_and_tables import is_layout, list_table_rows
from core.evidence.tree import HEADINGS, ITEMS, MACROS, Node, is_hidden


def find_macros(
    root: Node, names: Collection[str], anchor: Callable[[str], str], budget: Budget
) -> Iterator[tuple[str, Node, Section]]:
    """Yield the macros with these names in document order, each with name and section; ``anchor`` as in Headings."""
    section = Section()
    headings = Headings(section, anchor)
    waiting: list[tuple[Node, bool] | Edge] = [(root, False)]
    cells = set[Node]()  # of tables that are for layout only
    while waiting:
        budget.add_steps()
        item = waiting.pop()
        if isinstance(item, Edge):
            section = headings.close_container()
            continue
        node, is_in_item = item
        name = node.name
        if name in HEADINGS and (heading := read_heading(node, budget)):
            if is_in_item:
                headings.count(heading)
            else:
                section = headings.enter(heading)
        elif name in MACROS:
            if is_hidden(node):
                continue
            if (macro := node.attribute("ac:name")) in names:
                yield macro, node, section
        elif name == "table" and not is_in_item and is_layout(rows := list_table_rows(node, budget)):
            cells.update(cell for row in rows for cell in row)
        is_in_item = is_in_item or (name in ITEMS and node not in cells)
        if not is_in_item and is_enclosing(node):
            headings.open_container()
            waiting.append(Edge.END)
        waiting.extend((child, is_in_item) for child in reversed(node.children))
