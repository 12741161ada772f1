"""Warnings that are logged once in a while, and results of look-ups that are cached for a limited time."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

import pytest

from core.errors import ChatRefused, WikiUnavailable
from core.timing import TtlCache, WarningLog


def test_each_key_is_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    seconds = [0.0]
    warnings = WarningLog(logging.getLogger("some"), lambda: seconds[0])
    for at, key in ((0.0, "a"), (0.0, "a"), (0.0, "b"), (59.0, "a"), (60.0, "a"), (60.0, "a")):
        seconds[0] = at
        warnings.warn(key, "%s at %g", key, at)
    assert [record.getMessage() for record in caplog.records] == ["a at 0", "b at 0", "a at 60"]
    assert {record.name for record in caplog.records} == {"some"}


@dataclass
class Asked:
    """Returns the number of the look-up; fails while ``down``."""

    now: float = 0.0
    down: bool = False
    takes: float = 0.0
    count: int = 0

    async def look_up(self) -> int | None:
        self.count += 1
        self.now += self.takes
        if self.down:
            raise WikiUnavailable("It is down. Try again later.")
        return self.count

    async def nothing(self) -> int | None:
        self.count += 1
        return None


async def test_an_answer_is_kept_until_it_expires_and_so_is_none() -> None:
    asked = Asked()
    kept: TtlCache[int | None] = TtlCache(100, lambda: asked.now)
    assert [await kept.get("a", asked.look_up) for _ in range(3)] == [1, 1, 1]
    assert [await kept.get("b", asked.nothing) for _ in range(3)] == [None] * 3
    asked.now = 99.9
    assert await kept.get("a", asked.look_up) == 1
    asked.now = 100
    assert await kept.get("a", asked.look_up) == 3


async def test_an_answer_is_as_old_as_its_question() -> None:
    asked = Asked(takes=60)
    kept: TtlCache[int | None] = TtlCache(100, lambda: asked.now)
    await kept.get("a", asked.look_up)
    asked.now = 100
    assert await kept.get("a", asked.look_up) == 2


async def test_a_failure_is_kept_for_a_minute_and_never_hides_behind_an_old_answer() -> None:
    asked = Asked()
    kept: TtlCache[int | None] = TtlCache(100, lambda: asked.now)
    await kept.get("a", asked.look_up)
    asked.now, asked.down = 100, True
    for _ in range(3):
        with pytest.raises(WikiUnavailable):
            await kept.get("a", asked.look_up)
    assert asked.count == 2
    asked.now, asked.down = 160, False
    assert await kept.get("a", asked.look_up) == 3


async def test_who_asks_meanwhile_waits_for_the_same_even_if_the_first_goes_away() -> None:
    asked, gate = Asked(), asyncio.Event()
    kept: TtlCache[int] = TtlCache(100, lambda: asked.now)

    async def slow() -> int:
        asked.count += 1
        await gate.wait()
        return asked.count

    first, second = (asyncio.create_task(kept.get("a", slow)) for _ in range(2))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first.cancel()
    gate.set()
    assert await second == 1
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_what_has_expired_takes_no_memory() -> None:
    asked = Asked()
    kept: TtlCache[int | None] = TtlCache(100, lambda: asked.now)
    for key in range(50):
        await kept.get(key, asked.look_up)
    asked.now = 200
    await kept.get("new", asked.look_up)
    assert len(kept._entries) == 1


async def test_an_error_of_another_kind_is_not_kept() -> None:
    asked = Asked(down=True)
    kept: TtlCache[int | None] = TtlCache(100, lambda: asked.now, failures=ChatRefused)
    for _ in range(2):
        with pytest.raises(WikiUnavailable):
            await kept.get("a", asked.look_up)
    assert asked.count == 2
