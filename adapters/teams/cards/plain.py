"""The wiki's own words as elements: code between fences, lists, lines; nothing else in them is markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adapters.teams.cards.citing import Citing
from adapters.teams.cards.elements import Run, clean, code, line, visible
from adapters.teams.json import Json

_FENCED = re.compile(r"^```[^\n`]*\n(.*?)(?:\n```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")
_ITEM = re.compile(r"^(\s*)- ")


def plain_elements(text: str, citing: Citing) -> list[Json]:
    """A text in plain markup, an element a line."""
    elements: list[Json] = []
    for at, part in enumerate(_FENCED.split(clean(text))):
        if at % 2:
            elements += [code(part.split("\n"))] if part.strip() else []
        else:
            elements += _lines(part, citing)
    return elements


def _lines(text: str, citing: Citing) -> Iterator[Json]:
    tight = False
    for each in text.split("\n"):
        if visible(each):
            indent = (len(each) - len(each.lstrip())) // 2
            yield line(list(_runs(each.strip(), citing)), tight=tight, indent=min(indent, 4))
        tight = bool(each.strip())


def _runs(text: str, citing: Citing) -> Iterator[Run]:
    text = _ITEM.sub("• ", text)
    for at, piece in enumerate(_CODE.split(text)):
        if at % 2:
            yield Run(piece, code=True)
        else:
            yield from citing.link_marks(piece, Run(""))
