"""The texts of attached files: each version of a file is fetched and read once, and then taken from the store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from core.model import AttachedFile
from core.ports.files import MOST_FILE_BYTES, FileReader, FileUnavailable
from core.ports.store import PageStore

_AT_ONCE = 2  # files that are fetched and read at the same time, to bound the memory they take

Fetch = Callable[[int], Awaitable[bytes]]
"""Gives the bytes of a file, at most one more than so many. Raises FileUnavailable."""


@dataclass(frozen=True, slots=True, eq=False)
class FileTexts:
    """``reads_files``: whether the files of the space with this key are to be read."""

    pages: PageStore
    reader: FileReader
    reads_files: Callable[[str], bool] = lambda space: True
    _free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE), init=False)

    async def add_text(self, page_id: str, file: AttachedFile, size: int | None, fetch: Fetch) -> AttachedFile:
        """The file with its text, or with the reason why there is none. ``size``: its bytes, if that is known."""
        if not self.reader.accepts(file.name):
            return file
        stored = await self.pages.file_text(page_id, file.file_id, file.version)
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
