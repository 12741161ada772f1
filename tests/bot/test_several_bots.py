"""One bot among several on a real PostgreSQL: when it may post, what it locks, and when it removes another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress

import pytest

from adapters.store.bots import SqlBots
from adapters.store.database import Database
from bot.coordination.several_bots import OneOfSeveral, Times
from core.errors import BotReplaced, ChatUnavailable, DatabaseUnavailable

QUICK = Times(beat=0.05, posting=0.5, silent=1.0)


@asynccontextmanager
async def joined(url: str, name: str, beats: bool = True) -> AsyncIterator[OneOfSeveral]:
    database = Database.open_shared(url)
    store = SqlBots(database, name, home=name)
    store.join()
    store.write_heartbeat()
    bot = OneOfSeveral(store, name, QUICK)
    running = asyncio.create_task(bot.run() if beats else asyncio.sleep(0))
    try:
        yield bot
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        bot.leave()
        database.close()


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_silent_bot_is_replaced_and_knows_it(postgres_url: str) -> None:
    async with joined(postgres_url, "one") as one, joined(postgres_url, "two", beats=False) as two:
        two.check_may_send()
        await until(lambda: "two" not in one.store.find_living())
        with pytest.raises(ChatUnavailable):
            two.check_may_send()
        running = asyncio.create_task(two.run())
        with pytest.raises(BotReplaced):
            await two.wait(20)
        await running
        assert two.was_replaced
        assert one.leads


async def test_after_a_break_of_the_database_no_bot_removes_another_at_once(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with joined(postgres_url, "one") as one, joined(postgres_url, "two") as two:
        await until(lambda: one._signals is not None and two._signals is not None)
        beat = SqlBots.write_heartbeat
        monkeypatch.setattr(SqlBots, "write_heartbeat", _fail)
        await asyncio.sleep(1.5)
        with pytest.raises(ChatUnavailable):
            one.check_may_send()
        monkeypatch.setattr(
            SqlBots, "write_heartbeat", lambda store: beat(store) if store is one.store else _fail(store)
        )
        await asyncio.sleep(0.5)
        assert one.store.find_living() == {"one", "two"}
        monkeypatch.setattr(SqlBots, "write_heartbeat", beat)
        await asyncio.sleep(1.5)
        assert one.store.find_living() == {"one", "two"}
        one.check_may_send()
        two.check_may_send()


def _fail(store: SqlBots) -> None:
    raise DatabaseUnavailable("It is away.")


async def test_one_task_of_one_bot_holds_a_lock(postgres_url: str) -> None:
    inside: list[str] = []
    most = 0

    async def hold(bot: OneOfSeveral, name: str) -> None:
        nonlocal most
        async with bot.lock("x"):
            inside.append(name)
            most = max(most, len(inside))
            await asyncio.sleep(0.02)
            inside.remove(name)

    async with joined(postgres_url, "one") as one, joined(postgres_url, "two") as two:
        await asyncio.gather(*(hold(bot, f"{at}") for at in range(4) for bot in (one, two)))
        assert most == 1


async def test_whoever_wants_a_lock_waits_for_the_database(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    locked = []

    async def hold(lock: AbstractAsyncContextManager[None]) -> None:
        async with lock:
            locked.append(lock)

    async with joined(postgres_url, "one") as one:
        for method, lock in (
            ("lock", one.lock("x")),
            ("unlock", one.lock("x")),
            ("lock", one.spaces.hold(["ENG"])),
            ("find_locked", one.spaces.hold(["ENG"])),
            ("find_locked", one.spaces.hold_all()),
        ):
            with monkeypatch.context() as broken:
                broken.setattr(SqlBots, method, lambda store, names: _fail(store))
                waiting = asyncio.create_task(hold(lock))
                await asyncio.sleep(0.2)
            async with asyncio.timeout(10):
                await waiting
        assert len(locked) == 5
        assert one.store.find_locked("") == {"leader"}


async def test_a_bot_that_was_replaced_waits_for_no_lock(postgres_url: str) -> None:
    async with joined(postgres_url, "one") as one, joined(postgres_url, "two", beats=False) as two:
        one.store.remove("two")
        with pytest.raises(BotReplaced):
            async with asyncio.timeout(10), two.lock("x"):
                raise AssertionError


async def test_spaces_that_one_bot_changes_the_other_leaves_alone(postgres_url: str) -> None:
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(joined(postgres_url, "one"))
        two = await stack.enter_async_context(joined(postgres_url, "two"))
        async with one.spaces.hold(["ENG", "PEO"]):
            async with asyncio.timeout(5), two.spaces.hold(["OPS"]):
                pass
            for waiting in (two.spaces.hold(["PEO"]), two.spaces.hold_all()):
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.4), waiting:
                        raise AssertionError
        async with asyncio.timeout(10), two.spaces.hold_all():
            with suppress(TimeoutError):
                async with asyncio.timeout(0.4), one.spaces.hold(["NEW"]):
                    raise AssertionError
        async with asyncio.timeout(10), one.spaces.hold(["PEO"]):
            pass


async def test_whoever_gives_up_waiting_leaves_no_lock_behind(postgres_url: str) -> None:
    async with joined(postgres_url, "one") as one, joined(postgres_url, "two") as two:

        async def hold() -> None:
            async with two.lock("x"):
                await asyncio.sleep(30)

        for pause in (0.0, 0.005, 0.01, 0.02, 0.04):
            task = asyncio.create_task(hold())
            await asyncio.sleep(pause)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        async with asyncio.timeout(10), one.lock("x"):
            pass


async def test_the_locks_of_a_removed_bot_are_free(postgres_url: str) -> None:
    async with (
        joined(postgres_url, "one") as one,
        joined(postgres_url, "two", beats=False) as two,
        two.spaces.hold(["ENG"]),
    ):
        async with asyncio.timeout(20), one.spaces.hold(["ENG"]):
            pass
        assert "two" not in one.store.find_living()


async def test_signals_reach_the_other_bot(postgres_url: str) -> None:
    heard: list[str] = []
    async with joined(postgres_url, "one") as one, joined(postgres_url, "two") as two:
        two.on_signal("people", lambda: heard.append("people"))
        two.on_signal("audiences", lambda: heard.append("audiences"))
        await until(lambda: two._signals is not None)
        await one.signal("people")
        await until(lambda: heard == ["people"])


async def test_a_signal_that_the_database_did_not_take_is_given_later(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    async with joined(postgres_url, "one") as one, joined(postgres_url, "two") as two:
        two.on_signal("people", lambda: heard.append("people"))
        await until(lambda: two._signals is not None)
        with monkeypatch.context() as broken:
            broken.setattr(SqlBots, "signal", lambda store, name: _fail(store))
            await one.signal("people")
            await asyncio.sleep(0.2)
        await until(lambda: heard == ["people"])
