"""Legends: lines of a page that explain the columns of its tables, such as "OS - operating system: Linux, Windows"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from core.model import Evidence

_EXPLAINED = re.compile(r"^\W*(?P<name>[^\n]{1,30}?)(?: [-–—=] |: )(?P<meaning>[^\n]{2,300})")
_MEANING_ENDS = re.compile(r"[:;(,]|\. ")
_MEANING_WORDS = 8


def explains_column(line: str, columns: Iterable[str]) -> bool:
    """Whether a line says what a column of a table means."""
    match = _EXPLAINED.match(line)
    return match is not None and match["name"].strip().casefold() in {column.casefold() for column in columns}


def read_legend(evidences: Iterable[Evidence], columns: Sequence[str]) -> dict[str, str]:
    """Return what lines of a page say about the columns of a table: "OS - operating system: Linux, Windows"."""
    known = {column.casefold(): column for column in columns}
    legend: dict[str, str] = {}
    texts = chain.from_iterable(each.parts for each in evidences if each.kind in {"passage", "list"})
    for match in map(_EXPLAINED.match, texts):
        column = known.get(match["name"].strip().casefold()) if match else None
        if match and column:
            meaning = _MEANING_ENDS.split(match["meaning"])[0]
            legend.setdefault(column, " ".join(meaning.split()[:_MEANING_WORDS]))
    return legend
