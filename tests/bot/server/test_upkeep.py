"""What the server's upkeep does with large files: merging by day, rewriting at night."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from adapters import write_ahead_log
from adapters.index import lexical_blocks
from adapters.store import sqlite
from bot import maintenance
from bot.maintenance import clean_files_partly, clean_files_regularly
from bot.server.service import BackgroundService
from bot.settings import load_settings
from bot.wiring import Application, open_application
from tests.bot.cli.test_erasure import files_with
from tests.contracts.examples import indexed_page

WORD = "marmalade"


@pytest.fixture
def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    """Of files that count as large."""
    monkeypatch.setattr(lexical_blocks, "SMALL_BYTES", 0)
    monkeypatch.setattr(sqlite, "SMALL_BYTES", 0)
    with open_application(load_settings(data_dir=tmp_path)) as application:
        yield application


async def remove_a_page(application: Application) -> None:
    page = indexed_page("1", tuple(f"{WORD} number {at}" for at in range(20)))
    await application.lexical.add([evidence.entry for evidence in page.evidences])
    await application.pages.replace([page, indexed_page("2", ("Something else.",))])
    for stale in await application.pages.remove(["1"]):
        await application.lexical.remove(stale.space, [stale.key])


async def test_by_day_it_merges_and_at_night_it_rewrites(application: Application, tmp_path: Path) -> None:
    await remove_a_page(application)
    await clean_files_partly(application, may_rewrite=False)
    assert await application.lexical.needs_compaction()
    assert application.database.needs_compaction()
    await clean_files_partly(application, may_rewrite=True)
    assert not await application.lexical.needs_compaction()
    assert not application.database.needs_compaction()
    assert files_with(tmp_path, WORD) == []


async def test_a_log_that_a_reader_kept_is_emptied_later(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_ahead_log, "BUSY_MS", 1)
    with closing(sqlite3.connect(tmp_path / "wikiwhy.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM pages").fetchall()
        await remove_a_page(application)
        assert (tmp_path / "wikiwhy.db-wal").stat().st_size
    await clean_files_partly(application, may_rewrite=False)
    assert not (tmp_path / "wikiwhy.db-wal").stat().st_size


async def test_one_failure_does_not_end_it(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await remove_a_page(application)
    monkeypatch.setattr(maintenance, "_UPKEEP_SECONDS", 0.0)
    monkeypatch.setattr(maintenance, "_NIGHT", range(24))
    compact, failures = application.database.compact, iter([OSError("disk full")])

    async def fail_once() -> bool:
        for failure in failures:
            raise failure
        return await compact()

    monkeypatch.setattr(application.database, "compact", fail_once)
    service = BackgroundService("upkeep", lambda: clean_files_regularly(application))
    await service.start()
    while application.database.needs_compaction():
        assert service.find_problem() == ""
        await asyncio.sleep(0.01)
    await service.stop()
    assert files_with(tmp_path, WORD) == []
