"""The threads of the server's event loop, for what would block it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

_MOST = 8
_PATIENCE = 60.0  # seconds: no step of a sync takes as long, but threads may run other work too

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


class Threads(ThreadPoolExecutor):
    """An executor that can wait for what its threads run."""

    def __init__(self) -> None:
        # Few: what runs there is quick, and what SQLite reads wants Python's lock again at every row.
        super().__init__(_MOST, thread_name_prefix="wikiwhy")
        self._running: set[Future[object]] = set()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """As the base class does."""
        future = super().submit(fn, *args, **kwargs)
        self._running.add(future)  # type: ignore[arg-type]
        future.add_done_callback(self._running.discard)
        return future

    async def wait_until_idle(self, patience: float = _PATIENCE) -> None:
        """Waits until all that runs now has ended: cancelling a task does not end its threads."""
        waiting = [asyncio.wrap_future(future) for future in list(self._running)]
        if waiting:
            _, left = await asyncio.shield(asyncio.wait(waiting, timeout=patience))
            if left:
                logger.warning("After %g s, %d steps of cancelled work have not ended.", patience, len(left))
