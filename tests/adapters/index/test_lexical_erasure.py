"""Terms of removed entries leave the lists, and the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters import write_ahead_log
from adapters.index import lexical_blocks
from adapters.index.lexical import SqliteLexicalIndex
from adapters.index.postings import split_id
from core.model import IndexEntry
from tests.contracts.examples import entry

Contents = dict[tuple[str, int], bytes]
"""The weight of each entry, by key, for each of its terms."""


def read_all(folder: Path) -> bytes:
    """Return the content of all files of a folder."""
    return b"".join(file.read_bytes() for file in folder.iterdir())


def read_lists(folder: Path) -> Contents:
    """Return what is in the lists, "?" for an entry that is no member."""
    with closing(sqlite3.connect(folder / "lexical.db")) as connection:
        members: dict[int, str] = dict(connection.execute("SELECT id, key FROM members"))
        found: Contents = {}
        for list_id, entries in connection.execute("SELECT id, entries FROM postings"):
            block, code = split_id(list_id)
            for start in range(0, len(entries), 4):
                slot = int.from_bytes(entries[start : start + 2], "little")
                found[members.get(block << 16 | slot, "?"), code] = entries[start + 2 : start + 4]
    return found


async def make(folder: Path, entries: Sequence[IndexEntry]) -> Contents:
    index = SqliteLexicalIndex.open(folder / "lexical.db")
    await index.add(entries)
    index.close()
    return read_lists(folder)


@given(data=st.data())
async def test_after_removals_and_merges_the_lists_are_those_of_the_remaining_entries(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("index")
    index = SqliteLexicalIndex.open(folder / "lexical.db")
    words = st.lists(
        st.sampled_from(["backup", "plan", "travel", "limit", "berlin", "hotel", "urlaub", "antrag"]), max_size=6
    )
    spaces = st.sampled_from(["DOC", "HR"])
    kept: dict[str, IndexEntry] = {}
    for number in range(data.draw(st.integers(1, 25))):
        added = [
            entry(f"key-{number}-{at}", " ".join(data.draw(words)), space=data.draw(spaces))
            for at in range(data.draw(st.integers(1, 4)))
        ]
        await index.add(added)
        kept |= {each.key: each for each in added}
        for key in data.draw(st.lists(st.sampled_from(sorted(kept)), max_size=3, unique=True)) if kept else ():
            await index.remove(kept.pop(key).space, [key])
        if data.draw(st.booleans()):
            await index.tidy(data.draw(st.integers(0, 2)))
    while not await index.tidy(1):
        pass
    assert {space: await index.load_keys(space) for space in ("DOC", "HR")} == {
        space: {key for key, each in kept.items() if each.space == space} for space in ("DOC", "HR")
    }
    assert await index.count("DOC") == len(await index.load_keys("DOC"))
    index.close()
    assert read_lists(folder) == await make(tmp_path_factory.mktemp("fresh"), list(kept.values()))


async def test_text_is_in_no_file_and_removed_keys_leave_it(tmp_path: Path) -> None:
    index = SqliteLexicalIndex.open(tmp_path / "lexical.db")
    await index.add([entry(f"key-{at}-{'gone' if at % 2 else 'kept'}", f"xylophone{at}") for at in range(200)])
    assert b"xylo" not in read_all(tmp_path)
    await index.remove("DOC", [f"key-{at}-gone" for at in range(1, 200, 2)])
    assert await index.tidy(1)
    assert b"gone" not in read_all(tmp_path)
    assert b"-kept" in read_all(tmp_path)
    index.close()


async def test_a_large_file_is_rewritten_only_when_it_is_compacted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical_blocks, "SMALL_BYTES", 0)
    index = SqliteLexicalIndex.open(tmp_path / "lexical.db")
    await index.add([entry("key-a", "xylophone concert tonight"), entry("key-b", "something else")])
    assert not await index.needs_compaction()
    await index.remove("DOC", ["key-a"])
    assert await index.needs_compaction()
    assert await index.tidy(100)
    assert await index.needs_compaction()
    assert await index.compact()
    assert not await index.needs_compaction()
    assert not await index.compact()
    assert b"key-a" not in read_all(tmp_path)
    index.close()


async def test_one_removal_does_not_write_the_index_again(tmp_path: Path) -> None:
    """Measured by the size of the log."""
    index = SqliteLexicalIndex.open(tmp_path / "lexical.db")
    await index.add([entry(f"k{at}", f"word{at} " * 20 + f"other{at % 97}") for at in range(3000)])
    await index.tidy(1)  # empties the log
    size = (tmp_path / "lexical.db").stat().st_size
    await index.remove("DOC", ["k7"])
    assert (tmp_path / "lexical.db-wal").stat().st_size < size / 10
    index.close()


async def test_what_a_reader_kept_in_the_log_leaves_it_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_ahead_log, "BUSY_MS", 1)
    index = SqliteLexicalIndex.open(tmp_path / "lexical.db")
    await index.add([entry("key-a", "xylophone concert tonight"), entry("key-b", "something else")])
    with closing(sqlite3.connect(tmp_path / "lexical.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM members").fetchall()
        await index.remove("DOC", ["key-a"])
        assert await index.tidy(1)
        assert b"key-a" in (tmp_path / "lexical.db-wal").read_bytes()
    assert await index.tidy(1)
    assert b"key-a" not in read_all(tmp_path)
    index.close()


async def test_another_thread_may_merge_at_any_moment_of_a_merge(tmp_path: Path) -> None:
    path = tmp_path / "lexical.db"
    index = SqliteLexicalIndex.open(path)
    for number in range(3):
        await index.add([entry(f"key-{number}", f"word{number}")])
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as one,
        closing(sqlite3.connect(path, isolation_level=None)) as other,
    ):
        one.set_trace_callback(lambda query: lexical_blocks.tidy(other, None) if "slots - removed" in query else None)
        assert lexical_blocks.tidy(one, None)
        blocks = other.execute("SELECT slots, removed FROM blocks").fetchall()
    assert blocks == [(3, 0)]
    index.close()
