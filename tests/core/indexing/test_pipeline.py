"""Stages that run at the same time: order, bounds, errors and early ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.indexing.pipeline import batch, iterate, run_ahead


class Reader:
    """Read earlier items more slowly; items from ``stuck_from`` on never end."""

    def __init__(self, fails_at: int = -1, stuck_from: int = 1000) -> None:
        self.stuck_from = stuck_from
        self.fails_at = fails_at
        self.begun: list[int] = []
        self.cancelled: list[int] = []

    async def __call__(self, item: int) -> str:
        self.begun.append(item)
        try:
            for _ in range(10 - item % 10):
                await asyncio.sleep(0)
            if item >= self.stuck_from:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.append(item)
            raise
        if item == self.fails_at:
            raise ValueError(f"item {item}")
        return f"item {item}"


@given(count=st.integers(0, 30), at_once=st.integers(1, 8))
async def test_results_come_in_order_and_few_are_waiting(count: int, at_once: int) -> None:
    read, taken = Reader(), 0
    async for item, result in run_ahead(iterate(range(count)), read, at_once):
        assert (item, result) == (taken, f"item {taken}")
        taken += 1
        await asyncio.sleep(0)
        assert len(read.begun) - taken <= at_once
    assert taken == count


async def test_the_first_error_ends_it_after_the_results_before_and_stops_the_rest() -> None:
    read, taken = Reader(fails_at=3), []

    async def take() -> None:
        async for item, _ in run_ahead(iterate(range(20)), read, 4):
            taken.append(item)

    with pytest.raises(ValueError, match="item 3"):
        await take()
    assert taken == [0, 1, 2]
    assert len(read.begun) < 10
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_closing_it_early_stops_what_is_under_way() -> None:
    read = Reader(stuck_from=1)
    async with aclosing(run_ahead(iterate(range(20)), read, 4)) as results:
        async for _ in results:
            break
    assert sorted(read.cancelled) == [1, 2, 3]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_work_goes_on_while_the_caller_is_busy_with_a_result() -> None:
    read = Reader()
    async with aclosing(run_ahead(iterate(range(20)), read, 4)) as results:
        async for item, _ in results:
            for _ in range(50):
                await asyncio.sleep(0)
            assert read.begun == list(range(min(20, item + 5)))


async def test_an_error_of_the_items_comes_after_the_results_before_it() -> None:
    async def items() -> AsyncIterator[int]:
        for item in range(3):
            yield item
        raise ValueError("no more items")

    taken = []

    async def take() -> None:
        async for item, _ in run_ahead(items(), Reader(), 4):
            taken.append(item)

    with pytest.raises(ValueError, match="no more items"):
        await take()
    assert taken == [0, 1, 2]
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("fails_at", [-1, 5])
async def test_stages_one_after_the_other_hold_few_items_and_end_together(fails_at: int) -> None:
    read, join, taken = Reader(), Reader(fails_at=fails_at), 0

    async def take() -> None:
        nonlocal taken
        async with (
            aclosing(run_ahead(iterate(range(60)), read, 4)) as items,
            aclosing(batch(items, lambda item: 1, 3)) as batches,
            aclosing(run_ahead(batches, lambda some: join(some[0][0] // 3), 1)) as joined,
        ):
            async for some, _ in joined:
                assert [item for item, _ in some] == [taken, taken + 1, taken + 2]
                taken += 3
                await asyncio.sleep(0)
                assert len(read.begun) - taken <= 4 + 3 + 3 * 2

    if fails_at < 0:
        await take()
        assert taken == 60
    else:
        with pytest.raises(ValueError, match="item 5"):
            await take()
        assert taken == 15
    assert asyncio.all_tasks() == {asyncio.current_task()}


@given(sizes=st.lists(st.integers(1, 9), max_size=30), at_least=st.integers(1, 12))
async def test_a_batch_is_full_with_its_last_item_and_not_before(sizes: list[int], at_least: int) -> None:
    found = [some async for some in batch(iterate(sizes), lambda size: size, at_least)]
    assert [size for some in found for size in some] == sizes
    assert all(sum(some) >= at_least for some in found[:-1])
    assert all(sum(some[:-1]) < at_least for some in found)
