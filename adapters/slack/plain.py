"""The wiki's own words as pieces of a message: code between fences, lists, lines; nothing else in them is markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adapters.slack.citing import Citing
from adapters.slack.mrkdwn import clean, code, escape
from adapters.slack.pieces import Piece

_FENCED = re.compile(r"^```[^\n`]*\n(.*?)(?:\n```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")
_ITEM = re.compile(r"^(\s*)- ")


def plain_pieces(text: str, citing: Citing) -> list[Piece]:
    """A text in plain markup, a piece a line."""
    parts = _FENCED.split(clean(text))
    pieces: list[Piece] = []
    for at, part in enumerate(parts):
        if at % 2:
            pieces += [Piece(escape(part), code=True)] if part.strip() else []
        else:
            pieces += _lines(part, citing, after_code=at > 0)
    return pieces


def _lines(text: str, citing: Citing, *, after_code: bool) -> Iterator[Piece]:
    tight = after_code
    for line in text.split("\n"):
        if line.strip():
            yield Piece(_line(line.rstrip(), citing), tight=tight)
            tight, after_code = True, False
        else:
            tight = after_code


def _line(line: str, citing: Citing) -> str:
    line = _ITEM.sub(lambda found: found[1] + ("◦ " if found[1] else "• "), line)
    pieces = _CODE.split(line)
    return "".join(code(piece) if at % 2 else citing.link_marks(piece) for at, piece in enumerate(pieces))
