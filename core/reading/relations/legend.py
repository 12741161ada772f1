"""Legends: lines of a page that explain the columns of its tables, and the codes in their cells.

"OS - operating system: Linux, Windows" explains a column, "FF - form factor: L (laptop), D (desktop)" its codes too,
and "K - Keep" a code of whatever column has "K" as a cell.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from core.model import Evidence

_EXPLAINED = re.compile(r"^\W*(?P<name>[^\n]{1,30}?)(?: [-–—=] |: )(?P<meaning>[^\n]{2,300})")
_MEANING_ENDS = re.compile(r"[:;(,]|\. ")
_MEANING_WORDS = 8
_CODE = re.compile(
    r"(?<![\w.-])(?P<code>[\w.+/-]{1,12}) ?(?:\((?P<meaning>[^()\n]{2,40})\)|= ?(?P<equal>[^,;()=\n]{2,40}))"
)
_CODE_CHARS, _CODE_MEANING_WORDS = 12, 3


def explains_column(line: str, columns: Iterable[str]) -> bool:
    """Whether a line says what a column of a table means."""
    match = _EXPLAINED.match(line)
    return match is not None and match["name"].strip().casefold() in {column.casefold() for column in columns}


def read_legend(evidences: Iterable[Evidence], columns: Sequence[str]) -> dict[str, str]:
    """Return what lines of a page say about the columns of a table: "OS - operating system: Linux, Windows"."""
    known = {column.casefold(): column for column in columns}
    legend: dict[str, str] = {}
    for match in _list_explanations(evidences):
        column = known.get(match["name"].strip().casefold())
        if column:
            meaning = _MEANING_ENDS.split(match["meaning"])[0]
            legend.setdefault(column, " ".join(meaning.split()[:_MEANING_WORDS]))
    return legend


def read_codes(evidences: Iterable[Evidence], cells: Mapping[str, frozenset[str]]) -> dict[str, dict[str, str]]:
    """Return the meanings of short cells that a page explains, by column and cell. ``cells``: those of each column."""
    known = {column.casefold(): column for column in cells}
    codes: dict[str, dict[str, str]] = defaultdict(dict)
    for match in _list_explanations(evidences):
        name, meaning = match["name"].strip(), match["meaning"].strip(" .;")
        column = known.get(name.casefold(), "")
        having = [each for each, values in cells.items() if name in values]
        if column:
            for code in _CODE.finditer(meaning):
                if code["code"] in cells[column]:
                    codes[column].setdefault(code["code"], code["meaning"] or code["equal"])
        elif len(name) <= _CODE_CHARS and len(having) == 1 and len(meaning.split()) <= _CODE_MEANING_WORDS:
            codes[having[0]].setdefault(name, meaning)
    return dict(codes)


def _list_explanations(evidences: Iterable[Evidence]) -> Iterator[re.Match[str]]:
    """Yield the lines that consist of a name and its meaning."""
    texts = chain.from_iterable(each.parts for each in evidences if each.kind in {"passage", "list"})
    lines = chain.from_iterable(text.splitlines() for text in texts)
    return filter(None, map(_EXPLAINED.match, lines))
