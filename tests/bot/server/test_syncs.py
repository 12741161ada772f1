"""Syncs that the server does for chats and schedules."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.folder.wiki import FolderWiki
from bot.server.metrics import metrics
from bot.server.syncs import sync_now
from bot.settings import load_settings
from bot.sync import sync_spaces
from bot.wiring import open_application
from core.errors import WikiWhyError

pytestmark = pytest.mark.usefixtures("no_settings_from_outside")


async def test_one_space_that_cannot_be_synced_does_not_keep_the_others_from_it(
    tmp_path: Path, embedder: E5Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    page = {"id": "1", "title": "Bells", "url": "", "content": "<p>Ring.</p>", "space": "ENG", "date": ""}
    (folder / "1.json").write_text(json.dumps(page))
    with open_application(load_settings(data_dir=tmp_path / "data")) as application, caplog.at_level(logging.INFO):
        application.__dict__["embedder"] = embedder
        await sync_spaces(application, FolderWiki(folder), application.synchroniser(), ["ENG"], lambda progress: None)
        counted = metrics()
        sync = sync_now(application, counted)
        reports = await sync(["ENG", "NONE"], "chat", lambda progress: None)
        assert [(report.key, bool(report.refusal)) for report in reports] == [("ENG", False), ("NONE", True)]
        assert "Space ENG was synced (chat): 1 pages" in caplog.text
        assert "Space NONE could not be synced (chat)" in caplog.text
        assert counted.syncs.labels("chat", "failed")._value.get() == 1
        with pytest.raises(WikiWhyError):
            await sync(["NONE"], "chat", lambda progress: None)
        assert not application.syncing.is_locked()


async def test_a_sync_waits_for_the_one_that_is_under_way(tmp_path: Path) -> None:
    with open_application(load_settings(data_dir=tmp_path / "data")) as application:
        sync = sync_now(application, metrics())
        async with application.syncing.hold(["NONE"]):
            waiting = asyncio.create_task(sync(["NONE"], "chat", lambda progress: None))
            await asyncio.sleep(0.02)
            assert not waiting.done()
        with pytest.raises(WikiWhyError):
            await waiting
