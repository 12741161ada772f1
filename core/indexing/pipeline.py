"""Stages of work that run at the same time: while one item is stored, the next ones are embedded and read.

Each stage takes items from the one before it and holds few of them, so memory does not grow with the number of items.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


async def run_ahead(
    items: AsyncIterable[Item], work: Callable[[Item], Awaitable[Result]], at_once: int
) -> AsyncGenerator[tuple[Item, Result], None]:
    """Yield each item with the result of ``work``, in the order of the items, also while the caller is busy.

    At most ``at_once`` items are taken from ``items`` and not yet yielded. An error of ``work`` or ``items`` is raised
    after the results before it. Closing the generator cancels work that has begun.
    """
    free, begun = asyncio.Semaphore(at_once), asyncio.Queue[tuple[Item, asyncio.Future[Result]] | Exception | None]()
    tasks: set[asyncio.Future[Result]] = set()

    async def begin() -> None:
        iterator = aiter(items)
        try:
            while True:
                await free.acquire()
                item = await anext(iterator)
                task = asyncio.ensure_future(work(item))
                tasks.add(task)
                begun.put_nowait((item, task))
        except StopAsyncIteration:
            begun.put_nowait(None)
        except Exception as error:
            begun.put_nowait(error)

    feeder = asyncio.ensure_future(begin())
    try:
        while (next_one := await begun.get()) is not None:
            if isinstance(next_one, Exception):
                raise next_one
            item, task = next_one
            result = await task
            tasks.discard(task)
            free.release()
            yield item, result
    finally:
        feeder.cancel()
        for task in tasks:
            task.cancel()
        await asyncio.gather(feeder, *tasks, return_exceptions=True)


async def iterate(items: Iterable[Item]) -> AsyncIterator[Item]:
    """Yield the items."""
    for item in items:
        yield item


async def batch(
    items: AsyncIterable[Item], size: Callable[[Item], int], at_least: int
) -> AsyncGenerator[list[Item], None]:
    """Yield lists of successive items. The sizes of a list's items add up to ``at_least``, except in the last list."""
    some: list[Item] = []
    total = 0
    async for item in items:
        some.append(item)
        total += size(item)
        if total >= at_least:
            yield some
            some, total = [], 0
    if some:
        yield some
