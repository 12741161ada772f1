"""Splitting an answer that no card can hold into parts that each fit one; nothing of it is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from adapters.teams.cards.fitting import PARTS
from adapters.teams.json import Json, size

_LEAST = 500  # bytes for what follows a table's head; a wider head is not repeated


def split(elements: Sequence[Json], room: int) -> list[list[Json]]:
    """The elements in order, in lists of at most so many bytes. A table's head stands in each of its parts."""
    return _packed((piece for element in elements for piece in _pieces(element, room)), room)


def _packed(pieces: Iterable[Json], room: int) -> list[list[Json]]:
    packs: list[list[Json]] = []
    left = -1
    for piece in pieces:
        needed = size(piece) + 1
        if needed > left:
            packs.append([])
            left = room
        packs[-1].append(piece)
        left -= needed
    return packs


def _pieces(element: Json, room: int) -> Iterator[Json]:
    """The element, in several where it takes more bytes."""
    if size(element) < room:
        yield element
        return
    kind = element["type"]
    if kind == "TextRun":
        yield from _halves(element, room)
        return
    if kind == "TableRow":
        yield from _rows(element, room)
        return
    name = PARTS[kind]
    parts = element[name]
    head = parts[:1] if kind == "Table" and size({**element, name: parts[:1]}) < room - _LEAST else []
    inner = room - size({**element, name: head}) - 1
    for pack in _packed((piece for part in parts[len(head) :] for piece in _pieces(part, inner)), inner):
        yield {**element, name: [*head, *pack]}


def _halves(run: Json, room: int) -> Iterator[Json]:
    text = run["text"]
    if len(text) < 2:
        yield run
        return
    for half in (text[: len(text) // 2], text[len(text) // 2 :]):
        yield from _pieces({**run, "text": half}, room)


def _rows(row: Json, room: int) -> Iterator[Json]:
    """A row whose cells are long, as several rows: each cell goes on in the next."""
    cells = row["cells"]
    share = room // len(cells) - 100  # bytes that a cell takes besides what stands in it
    columns = [list(_pieces(cell["items"][0], share)) for cell in cells]
    for at in range(max(len(column) for column in columns)):
        shown = [column[at] if at < len(column) else _EMPTY for column in columns]
        yield {**row, "cells": [{"type": "TableCell", "items": [item]} for item in shown]}


_EMPTY: Json = {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": "\u00a0"}]}
