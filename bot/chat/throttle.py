"""Something in the making shown while it changes, at a pace that the platform bears."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

T = TypeVar("T")

logger = logging.getLogger(__name__)

PAUSE = 1.0  # seconds between two updates of a message: platforms allow about one a second in a channel


@asynccontextmanager
async def latest(show: Callable[[T], Awaitable[None]], pause: float = PAUSE) -> AsyncIterator[Callable[[T], None]]:
    """Shows what was heard last, one at a time with pauses; what comes faster is left out.

    The block ends when nothing is being shown any more: a late draft must not take the place of what comes after.
    """
    heard, ended = asyncio.Event(), asyncio.Event()
    last: list[T] = []

    def hear(said: T) -> None:
        last[:] = [said]
        heard.set()

    async def pass_on() -> None:
        while not ended.is_set():
            await heard.wait()
            heard.clear()
            if last and not ended.is_set():
                await show(last[0])
                with suppress(TimeoutError):
                    await asyncio.wait_for(ended.wait(), pause)

    task = asyncio.create_task(pass_on())
    try:
        yield hear
    finally:
        ended.set()
        heard.set()
        (failed,) = await asyncio.gather(task, return_exceptions=True)
        if isinstance(failed, Exception):
            logger.error("What was in the making could not be shown: %s", failed, exc_info=failed)
