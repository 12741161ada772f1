"""The threads of the server, and work that is done in one of them from beginning to end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_MOST_THREADS = 8
_THREAD_SECONDS = 60.0  # seconds; a step of a sync is shorter, but threads may run other work too

logger = logging.getLogger(__name__)


class Threads(ThreadPoolExecutor):
    """The threads of the server's event loop, for blocking calls. It can wait until all of them have ended."""

    def __init__(self) -> None:
        # Few, because the calls are short, and reading from SQLite takes Python's lock again at every row.
        super().__init__(_MOST_THREADS, thread_name_prefix="wikiwhy")
        self._running: set[Future[object]] = set()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future = super().submit(fn, *args, **kwargs)
        self._running.add(future)  # type: ignore[arg-type]
        future.add_done_callback(self._running.discard)
        return future

    async def run_in_one_thread(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine in one thread, with an event loop of its own, and all its blocking calls in the same thread.

        A question takes some 40 blocking calls, most of them shorter than handing over Python's lock twice. The
        coroutine must not use what belongs to the server's event loop, such as its HTTP sessions. Cancelling the
        waiter does not cancel the work.
        """
        return await asyncio.get_running_loop().run_in_executor(self, run_in_this_thread, work)

    async def wait_until_idle(self, patience: float = _THREAD_SECONDS) -> None:
        """Wait until all running threads have ended. Cancelling a task does not end its threads."""
        waiting = [asyncio.wrap_future(future) for future in list(self._running)]
        if waiting:
            _, left = await asyncio.shield(asyncio.wait(waiting, timeout=patience))
            if left:
                logger.warning("%d threads have not ended after %g s.", len(left), patience)


class _SameThreadLoop(asyncio.SelectorEventLoop):
    """Runs blocking calls at once, in its own thread. A call awaited so does not take a turn of the loop."""

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        if executor is not None:
            return super().run_in_executor(executor, func, *args)
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except BaseException as error:  # raised where the call is awaited
            future.set_exception(error)
        return future


def run_in_this_thread(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine in this thread, with an event loop of its own, and all its blocking calls too."""
    with open_runner() as runner:
        return runner.run(work())


def open_runner() -> asyncio.Runner:
    """Return an event loop that runs coroutines, and all their blocking calls, in the thread that calls it."""
    return asyncio.Runner(loop_factory=_SameThreadLoop)
