"""Who may read a page: its own read restriction and that of every page above it.

Confluence lets an account read a page if it may read the space, and passes the page's own restriction and each of
its ancestors'. No restriction means inherited, never nobody:
https://confluence.atlassian.com/doc/page-restrictions-139414.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Node:
    """A page, or what pages hang below, such as a folder. ``parent``: its id, "" at the top of the space.

    ``readers``: principals of its own restriction, None if it has none. ``defect``: why it is not known who may read
    it, "" if it is.
    """

    node_id: str
    parent: str = ""
    readers: frozenset[str] | None = None
    defect: str = ""


@dataclass(frozen=True, slots=True)
class Effective:
    """One set of principals per restriction on the way up; ``defect``: why nobody may read it, "" if all is known."""

    read_restrictions: tuple[frozenset[str], ...]
    defect: str = ""


def effective(node_id: str, nodes: Mapping[str, Node]) -> Effective:
    """The restrictions of a page, its own first. Unknown means no: then nobody may read it, and ``defect`` says why."""
    restrictions: list[frozenset[str]] = []
    passed: set[str] = set()
    at = node_id
    while at:
        if at in passed:
            return _nobody(f"its ancestors form a circle through page {at}")
        passed.add(at)
        node = nodes.get(at)
        if node is None:
            return _nobody(f"its ancestor {at} cannot be seen")
        if node.defect:
            return _nobody(f"the restrictions of {'it' if at == node_id else f'its ancestor {at}'} {node.defect}")
        if node.readers is not None and node.readers not in restrictions:
            restrictions.append(node.readers)
        at = node.parent
    return Effective(tuple(restrictions))


def find_unknown_parents(nodes: Mapping[str, Node]) -> set[str]:
    """The ids that are named as parents and not among the nodes."""
    return {node.parent for node in nodes.values() if node.parent} - nodes.keys()


def _nobody(reason: str) -> Effective:
    return Effective((NOBODY,), f"{reason}, so it is kept from everybody")
