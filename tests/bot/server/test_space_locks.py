"""A space that is worked on keeps nobody from working on another."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.folder.wiki import FolderWiki
from bot.coordination.bots import SpaceLocks
from bot.operations.operation import LocalOperations
from bot.operations.spaces import ForgetSpace
from bot.operations.sync import sync_spaces
from bot.server.metrics import Metrics
from bot.server.syncs import make_sync
from bot.settings import load_settings
from bot.wiring import open_application

pytestmark = pytest.mark.usefixtures("no_settings_from_outside")


async def is_free(locks: SpaceLocks, key: str) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(0.02), locks.hold([key]):
            return True
    return False


async def test_two_do_not_hold_one_space_and_who_waits_holds_none() -> None:
    locks = SpaceLocks()
    async with locks.hold(["A"]):
        hold = locks.hold(["A", "B"])
        both = asyncio.create_task(hold.__aenter__())
        await asyncio.sleep(0)
        async with locks.hold(["B"]):
            pass
        assert not both.done()
    await both
    assert not await is_free(locks, "A")
    assert not await is_free(locks, "B")


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
        assert not await is_free(locks, "A")
    assert await is_free(locks, "A")


async def test_while_one_space_hangs_others_are_synced_and_forgotten(tmp_path: Path, embedder: E5Embedder) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number, space in enumerate(("ENG", "OPS", "LAW")):
        page = {"id": str(number), "title": space, "url": "", "content": f"<p>{space}</p>", "space": space, "date": ""}
        (folder / f"{number}.json").write_text(json.dumps(page))
    with open_application(load_settings(data_dir=tmp_path / "data")) as application:
        application.__dict__["embedder"] = embedder
        await sync_spaces(
            application,
            FolderWiki(folder),
            application.make_synchroniser(),
            ["ENG", "OPS", "LAW"],
            lambda progress: None,
        )
        (folder / "1.json").unlink()
        sync = make_sync(application, Metrics())
        async with application.syncing.hold(["ENG"]):  # as a sync does that never ends
            together = asyncio.create_task(sync(["ENG", "OPS"], "schedule", lambda progress: None))
            async with asyncio.timeout(60):
                while await application.pages.load_page("1"):  # noqa: ASYNC110 - the store tells nobody
                    await asyncio.sleep(0.05)
                await LocalOperations(application).execute(ForgetSpace("LAW"))
            assert "LAW" not in await application.spaces.load_keys()
            assert not together.done()
        reports = await together
        assert [report.key for report in reports] == ["ENG", "OPS"]
