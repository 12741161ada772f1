"""Showing the latest state at intervals."""

from __future__ import annotations

import asyncio
import logging

import pytest

from bot.chat.space_workflows import show_latest


async def test_states_that_come_too_fast_are_skipped_in_order() -> None:
    shown: list[int] = []
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def show(what: int) -> None:
        shown.append(what)
        begun.set()
        await go_on.wait()

    async with show_latest(show, 0) as put:
        put(1)
        await begun.wait()
        for what in (2, 3, 4):
            put(what)
        assert shown == [1]
        begun.clear()
        go_on.set()
        await begun.wait()
        assert shown == [1, 4]


async def test_nothing_is_shown_after_the_block_ends() -> None:
    shown: list[int] = []
    begun, ended = asyncio.Event(), asyncio.Event()

    async def show(what: int) -> None:
        begun.set()
        await asyncio.sleep(0.01)
        shown.append(what)
        ended.set()

    async with show_latest(show, 0) as put:
        put(1)
        await begun.wait()
        put(2)
    assert ended.is_set()
    assert shown == [1]
    put(3)
    await asyncio.sleep(0.02)
    assert shown == [1]


async def test_the_pause_is_kept_and_does_not_delay_the_end() -> None:
    shown: list[int] = []
    begun = asyncio.Event()

    async def show(what: int) -> None:
        shown.append(what)
        begun.set()

    async with asyncio.timeout(20), show_latest(show, 3600) as put:
        put(1)
        await begun.wait()
        put(2)
        await asyncio.sleep(0.02)
    assert shown == [1]


async def test_without_states_nothing_is_shown() -> None:
    async def show(what: int) -> None:
        raise AssertionError

    async with show_latest(show, 0):
        pass


async def test_an_error_in_the_block_is_raised_and_ends_the_showing() -> None:
    shown: list[int] = []

    async def show(what: int) -> None:
        shown.append(what)

    with pytest.raises(RuntimeError, match="inside"):
        async with show_latest(show, 0) as put:
            raise RuntimeError("inside")
    put(1)
    await asyncio.sleep(0)
    assert shown == []


async def test_an_error_while_showing_is_logged_and_does_not_end_the_work(
    caplog: pytest.LogCaptureFixture,
) -> None:
    begun = asyncio.Event()

    async def show(what: int) -> None:
        begun.set()
        raise RuntimeError("a mistake of ours")

    with caplog.at_level(logging.ERROR):
        async with show_latest(show, 0) as put:
            put(1)
            await begun.wait()
            put(2)
    assert "a mistake of ours" in caplog.text
