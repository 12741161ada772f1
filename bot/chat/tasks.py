"""Tasks beside the main work: what is done after an acknowledgement, and showing drafts and progress at a pace."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.errors import WikiWhyError

T = TypeVar("T")

logger = logging.getLogger(__name__)

PAUSE = 1.0
"""Seconds between two updates of a message: platforms allow about one a second in a channel."""


@dataclass(slots=True)
class BackgroundTasks:
    """Tasks that nobody waits for and that need not survive a crash. Their errors are logged."""

    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_log_errors(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def wait_until_idle(self) -> None:
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _log_errors(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except WikiWhyError as error:
        logger.warning("What somebody did could not be shown: %s", error)
    except Exception:  # of whatever kind: nobody waits for this task
        logger.exception("What somebody did could not be shown.")


@asynccontextmanager
async def show_latest(show: Callable[[T], Awaitable[None]], pause: float = PAUSE) -> AsyncIterator[Callable[[T], None]]:
    """Gives a function that takes new states; shows the latest one, one at a time with pauses, and skips the others.

    The block ends when nothing is being shown any more: a late draft must not replace what comes after it.
    """
    changed, ended = asyncio.Event(), asyncio.Event()
    latest: list[T] = []

    def put(state: T) -> None:
        latest[:] = [state]
        changed.set()

    async def show_changes() -> None:
        while not ended.is_set():
            await changed.wait()
            changed.clear()
            if latest and not ended.is_set():
                await show(latest[0])
                with suppress(TimeoutError):
                    await asyncio.wait_for(ended.wait(), pause)

    task = asyncio.create_task(show_changes())
    try:
        yield put
    finally:
        ended.set()
        changed.set()
        (failed,) = await asyncio.gather(task, return_exceptions=True)
        if isinstance(failed, Exception):
            logger.error("A draft or progress could not be shown: %s", failed, exc_info=failed)
