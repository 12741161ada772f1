"""Texts of attached files. Each version of a file is fetched and read once; later its text comes from the store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from core.model import AttachedFile
from core.ports.files import MOST_FILE_BYTES, FileReader, FileUnavailable
from core.ports.pages import PageStore

_AT_ONCE = 2  # files fetched and read concurrently, to limit memory

Fetch = Callable[[int], Awaitable[bytes]]
"""Returns the bytes of a file, at most one more than the given maximum. Raises FileUnavailable."""


@dataclass(frozen=True, slots=True, eq=False)
class FileTexts:
    """Adds texts to attached files. ``reads_files``: whether the files of the space with this key are read."""

    pages: PageStore
    reader: FileReader
    reads_files: Callable[[str], bool] = lambda space: True
    _free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE), init=False)

    async def add_text(self, page_id: str, file: AttachedFile, size: int | None, fetch: Fetch) -> AttachedFile:
        """Return the file with its text, or with the reason why it has none. ``size``: in bytes, if known."""
        if not self.reader.accepts(file.name):
            return file
        stored = await self.pages.load_file_text(page_id, file.file_id, file.version)
        if stored is not None:
            return replace(file, content=stored.content, problem=stored.problem)
        if size is not None and size > MOST_FILE_BYTES:
            return replace(file, problem=_describe_size(f"{size:,}"))
        async with self._free:
            try:
                content = await fetch(MOST_FILE_BYTES)
                if len(content) > MOST_FILE_BYTES:
                    return replace(file, problem=_describe_size(f"more than {MOST_FILE_BYTES:,}"))
                read = await self.reader.read(file.name, content)
            except FileUnavailable as error:
                return replace(file, version="", problem=str(error))
        return replace(file, content=read.content, problem=read.problem)


def _describe_size(size: str) -> str:
    return f"was not read: it has {size} bytes, and files are read up to {MOST_FILE_BYTES:,}."
