from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from adapters import write_ahead_log
from adapters.index import lexical_erasure
from adapters.index.lexical import Fts5LexicalIndex
from tests.adapters.index.removing import read_all, remove_all
from tests.contracts.examples import entry


@pytest.mark.parametrize("seed", range(3))
async def test_removed_words_and_grams_are_in_no_file(tmp_path: Path, seed: int) -> None:
    assert await remove_all(seed, tmp_path) == 0


@pytest.mark.slow
def test_a_newer_sqlite_which_has_secure_delete_leaves_none_either() -> None:
    pytest.importorskip("pysqlite3", reason="pysqlite3-binary brings a newer SQLite")
    run = subprocess.run(
        [sys.executable, "-m", "tests.adapters.index.removing"], capture_output=True, text=True, check=False
    )
    assert (run.stdout.split(), run.stderr) == (["0", "0", "0"], "")


async def test_a_large_file_is_rewritten_only_when_it_is_compacted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical_erasure, "SMALL_BYTES", 0)
    index = Fts5LexicalIndex.open(tmp_path / "lexical.db")
    await index.add([entry("a", "xylophoneconcert tonight"), entry("b", "something else")])
    assert not await index.needs_compaction()
    await index.remove("DOC", ["a"])
    assert await index.tidy(100)
    assert await index.needs_compaction()
    assert await index.compact()
    assert not await index.needs_compaction()
    assert not await index.compact()
    assert b"xylo" not in read_all(tmp_path)
    index.close()


async def test_one_removal_does_not_write_the_index_again(tmp_path: Path) -> None:
    """Measured by the size of the log. FTS5's `optimize` would rewrite everything."""
    index = Fts5LexicalIndex.open(tmp_path / "lexical.db")
    await index.add([entry(f"k{at}", f"word{at} " * 20 + f"other{at % 97}") for at in range(3000)])
    await index.tidy(1)  # empties the log
    size = (tmp_path / "lexical.db").stat().st_size
    await index.remove("DOC", ["k7"])
    assert (tmp_path / "lexical.db-wal").stat().st_size < size / 4
    index.close()


async def test_what_a_reader_kept_in_the_log_leaves_it_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_ahead_log, "BUSY_MS", 1)
    index = Fts5LexicalIndex.open(tmp_path / "lexical.db")
    await index.add([entry("a", "xylophoneconcert tonight"), entry("b", "something else")])
    with closing(sqlite3.connect(tmp_path / "lexical.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM entries").fetchall()
        await index.remove("DOC", ["a"])
        assert await index.tidy(1)
        assert b"xylo" in (tmp_path / "lexical.db-wal").read_bytes()
    assert await index.tidy(1)
    assert b"xylo" not in read_all(tmp_path)
    index.close()
