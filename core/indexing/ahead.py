"""Reading ahead: the next few items are worked on while the first is waited for."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


async def read_ahead(
    items: Iterable[Item], read: Callable[[Item], Awaitable[Result]], at_once: int
) -> AsyncGenerator[tuple[Item, Result], None]:
    """Each item with what reading it gave, in the items' order; never more than ``at_once`` read or waiting.

    The first error ends it, once the results before it were taken; close it to end it early.
    """
    waiting: deque[tuple[Item, asyncio.Task[Result]]] = deque()
    left = iter(items)
    try:
        while True:
            for item in left:
                waiting.append((item, asyncio.create_task(_read(read, item))))
                if len(waiting) >= at_once:
                    break
            if not waiting:
                return
            item, task = waiting[0]
            result = await task
            waiting.popleft()
            yield item, result
    finally:
        tasks = [task for _, task in waiting]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read(read: Callable[[Item], Awaitable[Result]], item: Item) -> Result:
    return await read(item)
