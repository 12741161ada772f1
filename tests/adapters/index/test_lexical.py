from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from adapters.index.lexical import Fts5LexicalIndex
from core.errors import IndexDamaged
from tests.contracts.examples import entry
from tests.contracts.indexes import DOC, LexicalIndexContract, keys


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Fts5LexicalIndex]:
    opened = Fts5LexicalIndex.open(tmp_path / "lexical.db")
    yield opened
    opened.close()


class TestFts5LexicalIndex(LexicalIndexContract):
    pass


async def test_entries_outlive_the_process_that_added_them(tmp_path: Path) -> None:
    first = Fts5LexicalIndex.open(tmp_path / "lexical.db")
    await first.add([entry("a", "backup plan")])
    first.close()
    again = Fts5LexicalIndex.open(tmp_path / "lexical.db")
    assert keys((await again.search("backup", DOC, 10)).words) == ["a"]
    again.close()


async def test_a_gram_of_most_entries_still_finds_an_entry_that_has_nothing_else(index: Fts5LexicalIndex) -> None:
    rare = [entry(f"r{i}", "policy zanzibar", space="HR") for i in range(3)]
    await index.add([*rare, *(entry(f"k{i}", "policy", space="HR") for i in range(20)), entry("in", "policy")])
    assert keys((await index.search("policy zanzibar", DOC, 10)).grams) == ["in"]


async def test_a_file_of_an_earlier_version_is_counted_when_it_is_opened(tmp_path: Path) -> None:
    index = Fts5LexicalIndex.open(tmp_path / "lexical.db")
    await index.add([entry("a"), entry("b"), entry("c", space="HR")])
    index.close()
    with closing(sqlite3.connect(tmp_path / "lexical.db")) as connection:
        connection.execute("DROP TABLE entry_counts")
    again = Fts5LexicalIndex.open(tmp_path / "lexical.db")
    assert [await again.count(space) for space in ("DOC", "HR", "NONE")] == [2, 1, 0]
    again.close()


async def test_gram_frequencies_follow_the_entries(index: Fts5LexicalIndex) -> None:
    await index.add([entry("a", "zanzibar")])
    assert keys((await index.search("kubernetes", DOC, 10)).grams) == []
    await index.add([entry("b", "kubernetes")])
    assert keys((await index.search("kubernetes", DOC, 10)).grams) == ["b"]


@pytest.mark.parametrize("start", [0, 4096])
async def test_garbage_in_the_file_is_reported_as_damage_with_the_way_out(tmp_path: Path, start: int) -> None:
    path = tmp_path / "lexical.db"
    index = Fts5LexicalIndex.open(path)
    await index.add([entry(f"k{i}", f"backup plan {i}") for i in range(300)])
    index.close()
    with path.open("r+b") as file:
        size = file.seek(0, 2)
        file.seek(start)
        file.write(b"\xa5" * (size - start))
    with pytest.raises(IndexDamaged, match="wikiwhy db rebuild-index"):
        await Fts5LexicalIndex.open(path).search("backup", DOC, 10)


def test_a_folder_in_place_of_the_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(IndexDamaged, match="rebuild-index"):
        Fts5LexicalIndex.open(tmp_path)
