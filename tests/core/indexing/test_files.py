"""How files are scheduled, and the time that the files of one page may take."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import cast

import pytest

from core.indexing.files import FileTexts
from core.model import AttachedFile
from core.ports.files import FileText
from core.ports.pages import PageStore


class NoPages:
    async def load_file_text(self, page_id: str, file_id: str, version: str) -> FileText | None:
        return None


@dataclass
class SlowReader:
    """Ends a file when the test says so. ``seconds``: that each file takes."""

    seconds: float = 0.0
    under_way: dict[str, asyncio.Event] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)

    def accepts(self, name: str) -> bool:
        return True

    async def read(self, name: str, content: bytes) -> FileText:
        self.begun.append(name)
        done = self.under_way[name] = asyncio.Event()
        try:
            await done.wait()
        finally:
            del self.under_way[name]
        return FileText(f"<p>{name}</p>", seconds=self.seconds)

    async def end(self, name: str) -> None:
        self.under_way[name].set()
        await let_run()


async def let_run() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.fixture
def reader() -> SlowReader:
    return SlowReader()


@pytest.fixture
def texts(reader: SlowReader) -> FileTexts:
    return FileTexts(cast(PageStore, NoPages()), reader)


def start(texts: FileTexts, space: str, name: str) -> asyncio.Task[AttachedFile]:
    page = texts.start_page(space, f"page of {name}")
    return asyncio.create_task(page.add_text(AttachedFile(name, name, "1.1", "url"), 1, fetch))


async def fetch(most: int) -> bytes:
    return b"x"


async def finish(reader: SlowReader, tasks: list[asyncio.Task[AttachedFile]]) -> None:
    while not all(task.done() for task in tasks):
        for name in list(reader.under_way):
            reader.under_way[name].set()
        await let_run()


async def test_a_file_of_another_space_does_not_wait_for_those_of_one(texts: FileTexts, reader: SlowReader) -> None:
    many = [start(texts, "A", f"a{number}") for number in range(8)]
    await let_run()
    assert set(reader.under_way) == {"a0", "a1"}
    other = start(texts, "B", "b")
    await let_run()
    assert "b" in reader.under_way
    await reader.end("b")
    assert (await other).content == "<p>b</p>"
    await finish(reader, many)


async def test_spaces_take_turns_and_the_files_of_each_are_read_in_order(texts: FileTexts, reader: SlowReader) -> None:
    tasks = [start(texts, space, f"{space}{number}") for space in "ABC" for number in range(3)]
    await let_run()
    assert len(reader.under_way) == 3  # of all spaces
    await finish(reader, tasks)
    assert reader.begun[:4] == ["A0", "A1", "B0", "C0"]
    for space in "ABC":
        assert [name for name in reader.begun if name[0] == space] == [f"{space}{number}" for number in range(3)]


async def test_a_cancelled_sync_gives_its_slots_back(texts: FileTexts, reader: SlowReader) -> None:
    tasks = [start(texts, "A", f"a{number}") for number in range(6)]
    await let_run()
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    again = [start(texts, "A", f"again{number}") for number in range(2)]
    await let_run()
    assert set(reader.under_way) == {"again0", "again1"}
    await finish(reader, again)


async def test_a_sync_that_is_cancelled_as_its_turn_comes_gives_it_to_the_next(
    texts: FileTexts, reader: SlowReader
) -> None:
    tasks = [start(texts, "A", f"a{number}") for number in range(4)]
    await let_run()
    reader.under_way["a0"].set()
    await asyncio.wait([tasks[0]])
    tasks[2].cancel()
    await let_run()
    assert set(reader.under_way) == {"a1", "a3"}
    await finish(reader, tasks)


async def test_the_files_of_one_page_have_a_time_and_the_next_sync_reads_the_rest(
    texts: FileTexts, reader: SlowReader
) -> None:
    reader.seconds = 50.0
    page = texts.start_page("A", "1")
    found = []
    for number in range(5):
        name = f"{number}.pdf"
        task = asyncio.create_task(page.add_text(AttachedFile(name, name, "1.1", "url"), 1, fetch))
        await finish(reader, [task])
        found.append(await task)
    assert [file.content for file in found] == ["<p>0.pdf</p>", "<p>1.pdf</p>", "<p>2.pdf</p>", "", ""]
    for file in found[3:]:
        assert "next sync" in file.problem
        assert file == replace(file, version="")  # so that it is not stored as read
    other = asyncio.create_task(texts.start_page("A", "2").add_text(AttachedFile("6", "6.pdf", "1.1", "url"), 1, fetch))
    await finish(reader, [other])
    assert (await other).content
