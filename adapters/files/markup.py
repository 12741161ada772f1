"""Collects the text of a file in storage format: headings, paragraphs, lists and tables."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from types import FrameType

MOST_CHARACTERS = 2_000_000  # of the markup of one file
MOST_SECONDS = 40.0  # of processor time; what was read by then is kept
_LEAST_SECONDS = 10.0
_BYTES_PER_SECOND = 20_000  # PDFs of text are read at up to three times this rate

# Characters that XML forbids, and lone surrogates, which cannot be stored.
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ELEMENT = re.compile("<[^<>]*>")


_TOO_LONG = "reading all of it would take too long"


class FileUnreadable(Exception):
    """Nothing of the file can be read. The message continues the sentence "The attached file … "."""


class Full(Exception):
    """The file has more content than is read of one file."""


class OutOfTime(BaseException):
    """The time for a file is used up. Not an Exception, so that no library takes it for a defect of the file."""


def limit_seconds(size: int) -> float:
    """Return the seconds of processor time for a file of ``size`` bytes: a small file never takes long."""
    return min(MOST_SECONDS, _LEAST_SECONDS + size / _BYTES_PER_SECOND)


class Markup:
    """The collected storage format. Methods that add to it raise Full once there is enough.

    ``seconds``: of this process's processor time, at which reading ends.
    """

    def __init__(self, seconds: float = MOST_SECONDS) -> None:
        self.incomplete = ""  # why the file was not read to its end
        self._seconds = seconds
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
        if time.process_time() <= self._seconds:
            return True
        self.incomplete = _TOO_LONG
        return False

    @contextmanager
    def limit_time(self) -> Iterator[None]:
        """End the block when the time is used up, for libraries that take long for a part of a file."""
        previous = signal.signal(signal.SIGPROF, _raise_out_of_time)
        try:
            # Repeated, because Python drops what is raised while an object is deleted.
            signal.setitimer(signal.ITIMER_PROF, max(self._seconds - time.process_time(), 0.001), 1.0)
            yield
        except OutOfTime:
            self.incomplete = _TOO_LONG
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, previous)

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


def _raise_out_of_time(number: int, frame: FrameType | None) -> None:
    raise OutOfTime


def escape_text(text: str) -> str:
    """Escape a text for storage format."""
    return escape(_UNSTORABLE.sub("", text), quote=False)
