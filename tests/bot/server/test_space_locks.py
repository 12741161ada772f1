"""A space that is worked on keeps nobody from working on another."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.folder.wiki import FolderWiki
from bot.operations.operation import LocalOperations
from bot.operations.spaces import ForgetSpace
from bot.server.metrics import metrics
from bot.server.syncs import sync_now
from bot.settings import load_settings
from bot.space_locks import SpaceLocks
from bot.sync import sync_spaces
from bot.wiring import open_application

pytestmark = pytest.mark.usefixtures("no_settings_from_outside")


async def test_two_do_not_hold_one_space_and_who_waits_holds_none() -> None:
    locks = SpaceLocks()
    async with locks.hold(["A"]):
        both = asyncio.create_task(locks.hold(["A", "B"]).__aenter__())
        await asyncio.sleep(0)
        assert not locks.is_held("B")
        async with locks.hold(["B"]):
            pass
        assert not both.done()
    await both
    assert locks.is_held("A")
    assert locks.is_held("B")


async def test_who_is_cancelled_lets_go() -> None:
    locks = SpaceLocks()

    async def hang() -> None:
        async with locks.hold(["A"]):
            await asyncio.Event().wait()

    task = asyncio.create_task(hang())
    await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    async with locks.hold_all():
        assert locks.is_locked()
    assert not locks.is_locked()


async def test_while_one_space_hangs_others_are_synced_and_forgotten(tmp_path: Path, embedder: E5Embedder) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number, space in enumerate(("ENG", "OPS", "LAW")):
        page = {"id": str(number), "title": space, "url": "", "content": f"<p>{space}</p>", "space": space, "date": ""}
        (folder / f"{number}.json").write_text(json.dumps(page))
    with open_application(load_settings(data_dir=tmp_path / "data")) as application:
        application.__dict__["embedder"] = embedder
        await sync_spaces(
            application, FolderWiki(folder), application.synchroniser(), ["ENG", "OPS", "LAW"], lambda progress: None
        )
        (folder / "1.json").unlink()
        sync = sync_now(application, metrics())
        async with application.syncing.hold(["ENG"]):  # as a sync does that never ends
            together = asyncio.create_task(sync(["ENG", "OPS"], "schedule", lambda progress: None))
            async with asyncio.timeout(60):
                while await application.pages.page("1"):  # noqa: ASYNC110 - the store tells nobody
                    await asyncio.sleep(0.05)
                await LocalOperations(application).execute(ForgetSpace("LAW"))
            assert "LAW" not in await application.spaces.keys()
            assert not together.done()
        reports = await together
        assert [report.key for report in reports] == ["ENG", "OPS"]
