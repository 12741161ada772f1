"""Files that are attached to pages, and reading text out of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

FILE_READING_VERSION = 1
"""Increases when the same file gives another text: every file is then downloaded and read again at the next sync."""

MOST_FILE_BYTES = 50_000_000
"""A larger file is not downloaded."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """An attached file as it is stored: on which page, and which version of it."""

    page_id: str
    version: str


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file in Confluence storage format. ``problem``: why it, or a part of it, could not be read."""

    content: str
    problem: str = ""


class FileUnavailable(Exception):
    """A file could not be fetched or read this time; the next sync tries again.

    The message follows on "The attached file … ".
    """


class FileReader(Protocol):
    """Reads text out of files."""

    def accepts(self, name: str) -> bool:
        """Whether files with such a name are read: others, like images, have no text or are of no known kind."""
        ...

    async def read(self, name: str, content: bytes) -> FileText:
        """The text of a file. Never raises because of the content: what is wrong with it is the ``problem``.

        Raises FileUnavailable where no file can be read at the moment.
        """
        ...
