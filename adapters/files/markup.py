"""Collects the text of a file in storage format: headings, paragraphs, lists and tables."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from html import escape

MOST_CHARACTERS = 2_000_000  # of the markup of one file
MOST_SECONDS = 40.0  # of processor time; what was read by then is kept

# Characters that XML forbids, and lone surrogates, which cannot be stored.
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ELEMENT = re.compile("<[^<>]*>")


class FileUnreadable(Exception):
    """Nothing of the file can be read. The message continues the sentence "The attached file … "."""


class Full(Exception):
    """The file has more content than is read of one file."""


class Markup:
    """The collected storage format. Methods that add to it raise Full once there is enough."""

    def __init__(self) -> None:
        self.incomplete = ""  # why the file was not read to its end
        self._written: list[str] = []
        self._characters = 0

    @property
    def content(self) -> str:
        return "".join(self._written)

    def has_text(self) -> bool:
        """Whether anything but elements was written."""
        return any(_ELEMENT.sub("", written).strip() for written in self._written)

    def add_heading(self, level: int, text: str) -> None:
        """Add a heading of level 1 to 6."""
        self.add(f"<h{level}>{escape_text(text)}</h{level}>")

    def add_paragraph(self, text: str) -> None:
        """Add a paragraph that keeps the line breaks of the text."""
        lines = [line for line in map(str.strip, text.split("\n")) if line]
        if lines:
            self.add(f"<p>{'<br/>'.join(map(escape_text, lines))}</p>")

    def list(self, items: Iterable[str]) -> None:
        if lines := "".join(f"<li>{escape_text(item)}</li>" for item in items if item.strip()):
            self.add(f"<ul>{lines}</ul>")

    def add_table(self, rows: Sequence[Sequence[str]], has_header: bool) -> None:
        """Add a table, or the first rows of a too large one. ``has_header``: the first row names the columns."""
        written: list[str] = []
        for number, row in enumerate(rows):
            name = "th" if has_header and number == 0 else "td"
            cells = "".join(f"<{name}>{escape_text(cell.strip())}</{name}>" for cell in row)
            written.append(f"<tr>{cells}</tr>")
            self._characters += len(written[-1])
            if self._characters > MOST_CHARACTERS:
                written.pop()
                break
        if written:
            self._written.append(f"<table><tbody>{''.join(written)}</tbody></table>")
        self._check()

    def has_time(self) -> bool:
        """Whether there is time left to read more of the file."""
        if time.process_time() <= MOST_SECONDS:
            return True
        self.incomplete = "reading all of it would take too long"
        return False

    def add(self, markup: str) -> None:
        """Add storage format."""
        self._characters += len(markup)
        self._check()
        self._written.append(markup)

    def close(self, block: str) -> None:
        """Close an open element, even if its content was cut off."""
        if block:
            self._written.append(f"</{block}>")

    def _check(self) -> None:
        if self._characters > MOST_CHARACTERS:
            self.incomplete = "it has more text than is read of one file"
            raise Full


def escape_text(text: str) -> str:
    """Escape a text for storage format."""
    return escape(_UNSTORABLE.sub("", text), quote=False)
