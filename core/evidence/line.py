"""A line of running text, as it is collected and tidied."""

from __future__ import annotations

import re
from typing import NamedTuple

from core.evidence.budget import Budget
from core.text import remove_invisible

_SPACE = re.compile(r"[ \t\r\n\f\v\u00a0]+")


class Position(NamedTuple):
    """A position in a line of text."""

    pieces: int
    length: int
    last_shown: int


class Line:
    """Collects running text in pieces, which are joined once.

    ``is_heading``: omit URLs and images. ``is_anchor``: write the text as the anchor of a heading contains it.
    """

    __slots__ = ("_last_shown", "_length", "_pieces", "budget", "is_anchor", "is_heading")

    def __init__(self, budget: Budget, is_heading: bool = False, is_anchor: bool = False) -> None:
        self.budget = budget
        self.is_heading = is_heading
        self.is_anchor = is_anchor
        self._pieces: list[str] = []
        self._length = 0
        self._last_shown = 0

    def add(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._length += len(text)
            if not text.isspace():
                self._last_shown = len(self._pieces)

    def get_position(self) -> Position:
        """Return the current position."""
        return Position(len(self._pieces), self._length, self._last_shown)

    def shows_since(self, position: Position) -> bool:
        """Whether there is more than white space after a position."""
        return self._last_shown > position.pieces

    def get_text_since(self, position: Position, most: int) -> str | None:
        """Return the text after a position, or None if it exceeds ``most``: nested links would each read it again."""
        if self._length - position.length > most:
            return None
        self.budget.add_text(self._length - position.length)
        return "".join(self._pieces[position.pieces :])

    def get_last_character(self) -> str:
        """Return the last character so far, or ""."""
        return self._pieces[-1][-1] if self._pieces else ""

    def cut(self, position: Position) -> None:
        """Remove everything after a position."""
        del self._pieces[position.pieces :]
        self._length, self._last_shown = position.length, position.last_shown

    def take(self) -> str:
        """Return all of the text, untidied, and empty the line."""
        if not self._pieces:
            return ""
        text = "".join(self._pieces)
        self.budget.add_text(self._length)
        self._pieces.clear()
        self._length = self._last_shown = 0
        return text


def tidy(text: str) -> str:
    """Fold white space within lines, drop empty lines and invisible characters, and resolve the characters below."""
    text = remove_invisible(text)  # of attributes
    if REMOVED in text:
        text = _REMOVED.sub(_close_gap, _SPACE.sub(" ", text))
    if "\x1d" in text or "\x1f" in text:
        text = _APART.sub(" ", text.replace(NAVIGATION, "")).replace(APART, "")
    if LINE_BREAK not in text:
        return _SPACE.sub(" ", text).strip()
    lines = (_SPACE.sub(" ", line).strip() for line in text.split(LINE_BREAK))
    return "\n".join(line for line in lines if line)


# Control characters within untidied text. XML forbids these characters, so a page cannot contain them.
LINE_BREAK = "\x1e"
APART = "\x1f"  # around a separate word: becomes a space, unless next to white space, a bracket or punctuation
NAVIGATION = "\x1d"  # in place of content that Confluence generates when it shows the page
REMOVED = "\x1c"  # in place of struck text: becomes a space between words
_REMOVED = re.compile("([,;])? ?\x1c(?: ?\x1c)* ?")
_APART = re.compile("(?<=[^\\s\x1e\x1f(\\[{„“‚\"'/])\x1f+(?=[^\\s\x1e\x1f.,;:!?)\\]}\"'”’…/])")


def _close_gap(found: re.Match[str]) -> str:
    """Return what stands between the texts around struck text."""
    text, comma = found.string, found[1] or ""
    before, after = text[max(found.start() - 1, 0) : found.start()], text[found.end() : found.end() + 1]
    if not after or after in f".,;:!?)]}}…{LINE_BREAK}":
        return "" if not after or after in f".,;!?{LINE_BREAK}" else comma
    return f"{comma} " if comma or (before and before not in f"([{{„“{LINE_BREAK}") else ""
