"""Syncs that the server does for chats and schedules."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.folder.wiki import FolderWiki
from bot.operations.sync import sync_spaces
from bot.schedules import parse_schedules
from bot.server.metrics import Metrics
from bot.server.service import BackgroundService
from bot.server.syncs import ScheduledSyncs, make_sync
from bot.settings import load_settings
from bot.wiring import open_application
from core.errors import WikiWhyError
from core.ports.pages import SpaceSummary
from tests.bot.cli.running import document, write_documents

pytestmark = pytest.mark.usefixtures("no_settings_from_outside")


async def test_one_space_that_cannot_be_synced_does_not_keep_the_others_from_it(
    tmp_path: Path, embedder: E5Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    folder = write_documents(tmp_path / "pages", document("1", "<p>Ring.</p>", "ENG"))
    with open_application(load_settings(data_dir=tmp_path / "data")) as application, caplog.at_level(logging.INFO):
        application.__dict__["embedder"] = embedder
        await sync_spaces(
            application, FolderWiki(folder), application.make_synchroniser(), ["ENG"], lambda progress: None
        )
        counted = Metrics()
        sync = make_sync(application, counted)
        reports = await sync(["ENG", "NONE"], "chat", lambda progress: None)
        assert [(report.key, bool(report.refusal)) for report in reports] == [("ENG", False), ("NONE", True)]
        assert "Space ENG was synced (chat): 1 pages" in caplog.text
        assert "Space NONE could not be synced (chat)" in caplog.text
        assert counted.syncs.labels("chat", "failed")._value.get() == 1
        with pytest.raises(WikiWhyError):
            await sync(["NONE"], "chat", lambda progress: None)
        async with asyncio.timeout(1), application.syncing.hold_all():
            pass  # the locks are released


async def test_a_sync_waits_for_the_one_that_is_under_way(tmp_path: Path) -> None:
    with open_application(load_settings(data_dir=tmp_path / "data")) as application:
        sync = make_sync(application, Metrics())
        async with application.syncing.hold(["NONE"]):
            waiting = asyncio.create_task(sync(["NONE"], "chat", lambda progress: None))
            await asyncio.sleep(0.02)
            assert not waiting.done()
        with pytest.raises(WikiWhyError):
            await waiting


NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@dataclass
class Syncs:
    """Spaces with the time of their last sync, and a sync that does what a test says."""

    works: bool = True
    now: datetime = NOON
    last: dict[str, datetime] = field(default_factory=dict)
    done: list[list[str]] = field(default_factory=list)

    async def load_summaries(self) -> list[SpaceSummary]:
        return [SpaceSummary(key, "confluence x", 1, {}, at.isoformat(), "") for key, at in self.last.items()]

    async def sync(self, keys: Sequence[str]) -> None:
        self.done.append(list(keys))
        if self.works:
            self.last |= dict.fromkeys(keys, self.now)


def scheduled(syncs: Syncs, schedule: str) -> ScheduledSyncs:
    return ScheduledSyncs(parse_schedules(schedule), syncs, syncs.sync)  # type: ignore[arg-type]


async def test_a_space_is_synced_when_its_time_has_come() -> None:
    syncs = Syncs(last={"ENG": NOON - timedelta(minutes=30), "PEO": NOON - timedelta(minutes=30)})
    schedules = scheduled(syncs, "ENG: @hourly; PEO: @daily")
    assert await schedules.sync_due(NOON - timedelta(minutes=20)) == 60
    assert await schedules.sync_due(NOON - timedelta(seconds=20)) == 20
    assert syncs.done == []
    await schedules.sync_due(NOON)
    assert syncs.done == [["ENG"]]
    assert await schedules.sync_due(NOON + timedelta(seconds=1)) == 60
    assert len(syncs.done) == 1


async def test_a_space_that_was_never_synced_is_synced_at_once() -> None:
    syncs = Syncs()
    await scheduled(syncs, "ENG, PEO: @daily").sync_due(NOON)
    assert syncs.done == [["ENG"], ["PEO"]]


async def test_a_sync_that_fails_is_not_tried_again_at_once() -> None:
    syncs = Syncs(works=False)
    schedules = scheduled(syncs, "ENG: @daily")
    for minutes in (0, 1, 29):
        await schedules.sync_due(NOON + timedelta(minutes=minutes))
    assert len(syncs.done) == 1
    await schedules.sync_due(NOON + timedelta(minutes=30))
    assert len(syncs.done) == 2


async def test_what_fails_once_does_not_end_the_schedules() -> None:
    class Failing(Syncs):
        async def load_summaries(self) -> list[SpaceSummary]:
            raise OSError("the disk is away")

    schedules = BackgroundService("schedules", scheduled(Failing(), "ENG: @daily").run)
    await schedules.start()
    await asyncio.sleep(0.05)
    assert schedules.find_problem() == ""
    await schedules.stop()
    assert schedules.find_problem() != ""
