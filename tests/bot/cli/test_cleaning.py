"""Without a server: after a sync or two no word of a removed page is in any file, however large the files are."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.index import lexical_blocks
from adapters.store import sqlite
from bot import maintenance
from core.indexing import indexer
from tests.bot.cli.running import wikiwhy
from tests.bot.cli.test_erasure import MARKER, files_with

WORD = "zinnoberword"
LEFT = "still in unused parts of the files"


@pytest.fixture
def large(data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data whose files count as large."""
    monkeypatch.setattr(lexical_blocks, "SMALL_BYTES", 0)
    monkeypatch.setattr(sqlite, "SMALL_BYTES", 0)
    return data


def test_a_sync_takes_what_is_left_of_a_removed_page_out_of_large_files(large: Path) -> None:
    (large.parent / "documents" / "2.json").unlink()
    assert files_with(large, WORD)
    synced = wikiwhy("sync", "folder", large.parent / "documents", "--data-dir", large, "--json")
    assert synced.code == 0
    assert synced.json["spaces"]
    assert synced.err == ""
    assert files_with(large, WORD) == []
    assert wikiwhy("db", "compact", "--data-dir", large).says("Rewritten: nothing")


def test_what_there_was_no_time_for_is_said_and_done_by_later_syncs(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (large.parent / "documents" / "2.json").unlink()
    monkeypatch.setattr(maintenance, "CLEANING_SECONDS", 0.0)
    monkeypatch.setattr(maintenance, "CLEANING_STEPS", 0)
    monkeypatch.setattr(indexer, "_TIDY_STEPS", 0)
    sync = ("sync", "folder", large.parent / "documents", "--data-dir", large)
    first = wikiwhy(*sync)
    assert first.code == 0
    assert first.says(LEFT, "wikiwhy db compact")
    monkeypatch.setattr(maintenance, "CLEANING_STEPS", 1)
    for _ in range(10):
        if not wikiwhy(*sync).says(LEFT):
            break
    assert files_with(large, WORD) == []


def test_compact_does_at_once_what_a_sync_had_no_time_for(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintenance, "CLEANING_SECONDS", 0.0)
    monkeypatch.setattr(maintenance, "CLEANING_STEPS", 0)
    monkeypatch.setattr(indexer, "_TIDY_STEPS", 0)
    assert wikiwhy("forget", "OPS", "--data-dir", large).says(LEFT)
    assert wikiwhy("db", "compact", "--data-dir", large).says("Rewritten: the full-text index")
    assert files_with(large, MARKER) == []
    assert wikiwhy("db", "compact", "--data-dir", large).says("Rewritten: nothing")


def test_a_disk_without_room_is_a_note_and_no_failure(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: sqlite.SqliteFile) -> bool:
        raise self.make_error("database or disk is full")

    monkeypatch.setattr(sqlite.SqliteFile, "compact", fail)
    (large.parent / "documents" / "2.json").unlink()
    synced = wikiwhy("sync", "folder", large.parent / "documents", "--data-dir", large)
    assert synced.code == 0
    assert synced.says("disk is full", LEFT)
