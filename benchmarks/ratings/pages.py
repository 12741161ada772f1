"""The pages and questions that the network is fitted to: `benchmarks/ratings/pages/*.jsonl`, one page a line.

A page has a ``title`` and ``units``: ``[heading, kind, text]``, the kind ``s`` for a sentence, ``i`` for a list item,
``r`` for a row, "Column: value; Column: value". Each question ``q`` has its language ``l`` and the numbers of the units
that answer it (``u``), none if the page does not. All questions are about the page's very subject. In some files, ``v``
is the verdict of a yes-or-no question: ``yes``, ``no``, or ``open`` if the unit does not settle it. It is not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.answering.extractive.units import find_needed_parts
from core.ports.models import TextInContext

PAGES = Path(__file__).parent / "pages"


@dataclass(frozen=True, slots=True)
class RatedQuestion:
    """A question about a page. ``answers``: the numbers of the units that answer it."""

    text: str
    language: str
    answers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RatedPage:
    """A page with its units, as the extractive answerer compares them, and its questions."""

    language: str
    units: tuple[TextInContext, ...]
    questions: tuple[RatedQuestion, ...]


def read_pages(folder: Path = PAGES) -> list[RatedPage]:
    """Return all pages, in the order of the files and lines."""
    lines = (line for file in sorted(folder.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines())
    return [_read_page(json.loads(line)) for line in lines if line.strip()]


def _read_page(page: dict[str, Any]) -> RatedPage:
    questions = (RatedQuestion(each["q"], each["l"], tuple(each["u"])) for each in page["questions"])
    return RatedPage(page["language"], tuple(_list_units(page["title"], page["units"])), tuple(questions))


def _list_units(title: str, units: list[tuple[str, str, str]]) -> Iterator[TextInContext]:
    rows = 1
    for at, (heading, kind, text) in enumerate(units):
        is_next = kind == "r" and at > 0 and units[at - 1][:2] == units[at][:2]
        rows = rows + 1 if is_next else 1
        needed = ""
        if kind == "s":
            parts = [other for own, sort, other in units[: at + 1] if (own, sort) == (heading, "s")]
            needed = " ".join(parts[index] for index in reversed(find_needed_parts(parts, len(parts) - 1)))
        yield TextInContext.of((title, heading, needed), _write_unit(kind, text, rows))


def _write_unit(kind: str, text: str, row: int) -> str:
    """Return a unit as extraction writes it."""
    if kind == "r":
        cells = [cell.partition(":") for cell in text.split(";")]
        said = ", and ".join(
            f"{name.strip()} is {value.strip()}" if colon else name.strip() for name, colon, value in cells
        )
        return f"Row {row} in Table 1: {said}"
    return f"- {text.removeprefix('- ')}" if kind == "i" else text
