"""What is read out of a file, as storage format: headings, paragraphs, lists and tables, and nothing else."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from html import escape

MOST_CHARACTERS = 2_000_000  # of the markup of one file
MOST_SECONDS = 40.0  # of processor time; what was read until then is kept

# What no XML may have, and lone surrogates, which cannot be stored.
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class FileUnreadable(Exception):
    """Nothing of the file can be read. The message follows on "The attached file … "."""


class Full(Exception):
    """There is more in the file than is read of one."""


class Markup:
    """Collects what is read. Each method raises Full once there is enough."""

    def __init__(self) -> None:
        self.incomplete = ""  # why the file was not read to its end
        self._written: list[str] = []
        self._characters = 0

    @property
    def content(self) -> str:
        return "".join(self._written)

    def heading(self, level: int, text: str) -> None:
        """A heading of level 1 to 6."""
        self._add(f"<h{level}>{_escape(text)}</h{level}>")

    def paragraph(self, text: str) -> None:
        if text.strip():
            self._add(f"<p>{_escape(text.strip())}</p>")

    def list(self, items: Iterable[str]) -> None:
        if lines := "".join(f"<li>{_escape(item)}</li>" for item in items if item.strip()):
            self._add(f"<ul>{lines}</ul>")

    def table(self, rows: Sequence[Sequence[str]], has_header: bool) -> None:
        """``has_header``: whether the first row names the columns."""
        written = []
        for number, row in enumerate(rows):
            name = "th" if has_header and number == 0 else "td"
            cells = "".join(f"<{name}>{_escape(cell.strip())}</{name}>" for cell in row)
            written.append(f"<tr>{cells}</tr>")
        if written:
            self._add(f"<table><tbody>{''.join(written)}</tbody></table>")

    def check_time(self) -> None:
        """Raises Full once the file has taken its time."""
        if time.process_time() > MOST_SECONDS:
            self.incomplete = "reading all of it would take too long"
            raise Full

    def _add(self, markup: str) -> None:
        self.check_time()
        if self._characters + len(markup) > MOST_CHARACTERS:
            self.incomplete = "it has more text than is read of one file"
            raise Full
        self._characters += len(markup)
        self._written.append(markup)


def _escape(text: str) -> str:
    return escape(_UNSTORABLE.sub("", text), quote=False)
