"""Blocks in the making: labels of macros that wait for their first text, and tables that stand in two places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum

from core.evidence.blocks import Block, Heading, List, Table, Text


@dataclass(frozen=True, slots=True)
class Label:
    """Opens what a macro labels: it is joined to the first text or table in there."""

    text: str


class LabelEnd(Enum):
    """Closes what the last open label labels."""

    END = "end"


@dataclass(slots=True)
class TableBlocks:
    """What one ``table`` element became: ``items`` of its own, and the tables in its cells."""

    items: list[Item] = field(default_factory=list)
    inner: list[TableBlocks] = field(default_factory=list)


Item = Block | Label | LabelEnd | TableBlocks


def all_blocks(items: Iterable[Item]) -> Iterator[Block]:
    """The blocks in order, each table followed by the tables in its cells."""
    return _labelled(_flat(items, with_inner=True))


def own_blocks(items: Iterable[Item]) -> Iterator[Block]:
    """The blocks in order, without the tables in the cells of a table: its text has theirs already."""
    return _labelled(_flat(items, with_inner=False))


def _flat(items: Iterable[Item], with_inner: bool) -> Iterator[Block | Label | LabelEnd]:
    waiting = [iter(items)]
    while waiting:
        for item in waiting[-1]:
            if isinstance(item, TableBlocks):
                if with_inner:
                    waiting.append(iter(item.inner))
                waiting.append(iter(item.items))
                break
            yield item
        else:
            waiting.pop()


def _labelled(items: Iterable[Block | Label | LabelEnd]) -> Iterator[Block]:
    """Labels joined to the first text or table, or as a text of their own before anything else."""
    pending: list[str] = []  # the labels that no block has taken yet
    counts: list[int] = []  # how many of them were there when each open label was opened
    for item in items:
        match item:
            case Label(text):
                counts.append(len(pending))
                pending.append(text)
            case LabelEnd():
                del pending[counts.pop() :]
            case Text(""):
                yield item
            case Text() | Heading() | List() | Table():
                yield from _with_labels(item, pending) if pending else (item,)
                pending.clear()


def _with_labels(block: Block, labels: list[str]) -> Iterator[Block]:
    if isinstance(block, Text) and not block.code:
        yield Text("".join(labels) + block.text)
    elif isinstance(block, Table):
        names = [*(label.rstrip(": ") for label in labels), block.caption]
        yield replace(block, caption=": ".join(name for name in names if name))
    else:
        yield Text("".join(labels).strip())
        yield block
