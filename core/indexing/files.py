"""Texts of attached files. Each version of a file is fetched and read once; later its text comes from the store."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from core.model import AttachedFile
from core.ports.files import MOST_FILE_BYTES, FileReader, FileUnavailable
from core.ports.pages import PageStore

_AT_ONCE = 3  # files fetched and read concurrently, to limit memory
_OF_SPACE_AT_ONCE = 2  # fewer, so that the files of one space do not keep all others waiting
_PAGE_SECONDS = 120.0  # after which no further file of the page is read in this sync

Fetch = Callable[[int], Awaitable[bytes]]
"""Returns the bytes of a file, at most one more than the given maximum. Raises FileUnavailable."""


class _Slots:
    """Slots for concurrent work of several spaces. A free slot goes to the space with the fewest."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}  # the space that was served last is the last

    @asynccontextmanager
    async def take(self, space: str) -> AsyncIterator[None]:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(space, deque()).append(turn)
        self._serve()
        try:
            await turn
            yield
        finally:
            self._leave(space, turn)

    def _leave(self, space: str, turn: asyncio.Future[None]) -> None:
        if turn.done() and not turn.cancelled():
            self._taken -= Counter([space])
        else:
            self._waiting[space].remove(turn)
            self._forget_if_empty(space)
        self._serve()

    def _serve(self) -> None:
        while self._taken.total() < _AT_ONCE:
            free = [space for space in self._waiting if self._taken[space] < _OF_SPACE_AT_ONCE]
            if not free:
                return
            space = min(free, key=lambda each: self._taken[each])
            turns = self._waiting.pop(space)
            turns.popleft().set_result(None)
            self._taken[space] += 1
            self._waiting[space] = turns
            self._forget_if_empty(space)

    def _forget_if_empty(self, space: str) -> None:
        if not self._waiting[space]:
            del self._waiting[space]


@dataclass(frozen=True, slots=True, eq=False)
class FileTexts:
    """Adds texts to attached files. ``reads_files``: whether the files of the space with this key are read."""

    pages: PageStore
    reader: FileReader
    reads_files: Callable[[str], bool] = lambda space: True
    _slots: _Slots = field(default_factory=_Slots, init=False)

    def start_page(self, space: str, page_id: str) -> PageFiles:
        """Return what adds texts to the files of one page, in one sync."""
        return PageFiles(self.pages, self.reader, self._slots, space, page_id)


@dataclass(slots=True, eq=False)
class PageFiles:
    """Adds texts to the files of one page."""

    _pages: PageStore
    _reader: FileReader
    _slots: _Slots
    _space: str
    _page_id: str
    _seconds: float = 0.0

    async def add_text(self, file: AttachedFile, size: int | None, fetch: Fetch) -> AttachedFile:
        """Return the file with its text, or with the reason why it has none. ``size``: in bytes, if known."""
        if not self._reader.accepts(file.name):
            return file
        stored = await self._pages.load_file_text(self._page_id, file.file_id, file.version)
        if stored is not None:
            return replace(file, content=stored.content, problem=stored.problem)
        if size is not None and size > MOST_FILE_BYTES:
            return replace(file, problem=_describe_size(f"{size:,}"))
        async with self._slots.take(self._space):
            try:
                return await self._read(file, fetch)
            except FileUnavailable as error:
                return replace(file, version="", problem=str(error))

    async def _read(self, file: AttachedFile, fetch: Fetch) -> AttachedFile:
        if self._seconds > _PAGE_SECONDS:
            raise FileUnavailable(
                f"was not read yet: other files of its page took {self._seconds:.0f} seconds. The next sync reads it."
            )
        content = await fetch(MOST_FILE_BYTES)
        if len(content) > MOST_FILE_BYTES:
            return replace(file, problem=_describe_size(f"more than {MOST_FILE_BYTES:,}"))
        read = await self._reader.read(file.name, content)
        self._seconds += read.seconds
        return replace(file, content=read.content, problem=read.problem)


def _describe_size(size: str) -> str:
    return f"was not read: it has {size} bytes, and files are read up to {MOST_FILE_BYTES:,}."
