"""Making a message fit: first its long tables and code become shorter, then its text, each saying what is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adapters.teams.cards.elements import Run, line
from adapters.teams.json import Json, size
from core.views.words import Words

_LINES = 30  # of a table or of code, where there is room
_FEW_LINES = 10  # where there is not
_MOST_BLOCKS = 120  # elements of an answer: clients become slow with more
PARTS = {"Container": "items", "Table": "rows", "RichTextBlock": "inlines"}
"""Where the parts of an element stand."""


def fit_elements(elements: Sequence[Json], room: int, words: Words, source: Run | None) -> list[Json]:
    """The elements in at most so many bytes. ``source``: a link to where the rest stands."""
    shown: list[Json] = []
    for lines in (_LINES, _FEW_LINES):
        shown = [shorter for element in elements for shorter in _shortened(element, lines, words, source)]
        if _size(shown) <= room and len(shown) <= _MOST_BLOCKS:
            return shown
    ending = goes_on(words, source)
    return [*_beginning(shown[:_MOST_BLOCKS], room - _size([ending])), ending]


def goes_on(words: Words, source: Run | None) -> Json:
    """Says that the text is longer than what is shown. ``source``: as for :func:`fitted`."""
    return line([Run(f"{words.goes_on} "), *([source] if source else [])])


def within(elements: Sequence[Json], room: int) -> list[Json]:
    """The first elements that fit into so many bytes, the last of them cut, and then "…"."""
    if _size(elements) <= room:
        return list(elements)
    ending = line([Run("…")], tight=True)
    return [*_beginning(elements, room - _size([ending])), ending]


def _size(elements: Sequence[Json]) -> int:
    return sum(size(element) + 1 for element in elements)


def _shortened(element: Json, lines: int, words: Words, source: Run | None) -> Iterator[Json]:
    """A table, or code, of at most so many lines, and then how many are left out."""
    kind = element["type"]
    if kind not in {"Container", "Table"}:
        yield element
        return
    name = PARTS[kind]
    parts = element[name]
    most = lines + (kind == "Table")
    left = len(parts) - most
    if left < 2:  # "1 more line" takes a line itself
        yield element
        return
    yield {**element, name: parts[:most]}
    sentence = (words.more_rows if kind == "Table" else words.more_lines).format(count=left)
    yield line([Run(f"{sentence} "), *([source] if source else [])], tight=True)


def _beginning(elements: Sequence[Json], room: int) -> Iterator[Json]:
    for element in elements:
        needed = size(element) + 1
        if needed > room:
            if shorter := cut(element, room):
                yield shorter
            return
        room -= needed
        yield element


def cut(element: Json, room: int) -> Json | None:
    """An element's beginning in so many bytes, None where not even that fits."""
    name = PARTS.get(element["type"])
    if name is None:
        return None
    room -= size({**element, name: []}) + 1
    kept: list[Json] = []
    for part in element[name]:
        needed = size(part) + 1
        if needed > room:
            shorter = _cut_run(part, room) if part.get("type") == "TextRun" else cut(part, room)
            kept += [shorter] if shorter else []
            break
        room -= needed
        kept.append(part)
    return {**element, name: kept} if kept else None


def _cut_run(run: Json, room: int) -> Json | None:
    room -= size({**run, "text": ""}) + 8
    if room < 40:
        return None
    text = run["text"].encode(errors="replace")[: room // 2].decode(errors="ignore")  # JSON escapes some of it
    return {**run, "text": text.rstrip() + " …"} if text.strip() else None
