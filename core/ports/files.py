"""Files that are attached to pages, and extracting their text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

FILE_READING_VERSION = 1
"""Increase this when the same file gives another text: the next sync then reads every file again."""

MOST_FILE_BYTES = 50_000_000
"""Larger files are not downloaded."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A stored attached file: its id, page and version."""

    file_id: str
    page_id: str
    version: str


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file."""

    content: str  # Confluence storage format
    problem: str = ""  # why the file, or a part of it, could not be read
    seconds: float = field(default=0.0, compare=False)  # that reading took


class FileUnavailable(Exception):
    """A file could not be fetched or read this time; the next sync tries again.

    The message continues the sentence "The attached file … ".
    """


class FileReader(Protocol):
    """Extracts text from files."""

    def accepts(self, name: str) -> bool:
        """Whether files with this name are read. Others, such as images, have no text or are of an unknown kind."""

    async def read(self, name: str, content: bytes) -> FileText:
        """Return the text of a file. Defects of the file never raise, they are reported as its ``problem``.

        Raises FileUnavailable if no file can be read at the moment.
        """
