"""Whether work may have been cut off before decides whether its message is looked for before it is posted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from bot.books import Json
from bot.durable import Durable, Step, Workflow


async def unheard(payload: Json, error: Exception) -> None:
    raise AssertionError(error)


async def durable(path: Path, blocked: asyncio.Event) -> Durable:
    async def wait(payload: Json, outcomes: Mapping[str, Json]) -> Json:
        await blocked.wait()
        return {}

    made = Durable(f"sqlite:///{path}")
    made.add(Workflow("ask", [Step("wait", wait)], unheard))
    await made.launch()
    return made


async def test_work_that_an_earlier_process_began_is_not_fresh_though_its_event_comes_again(tmp_path: Path) -> None:
    never, released = asyncio.Event(), asyncio.Event()
    first = await durable(tmp_path / "books.db", never)
    await first.start("ask", "ask:1", {})
    fresh = first.is_fresh("ask:1")
    await first.close(0)
    second = await durable(tmp_path / "books.db", released)
    await second.start("ask", "ask:1", {})
    await second.start("ask", "ask:2", {})

    assert fresh
    assert (second.is_fresh("ask:1"), second.is_fresh("ask:2")) == (False, True)

    released.set()
    never.set()
    await second.close()
