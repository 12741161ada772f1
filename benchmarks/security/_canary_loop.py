"""A deterministic event loop for the canary. Every await of a port is a checkpoint; a policy picks the next task.

Time is virtual: if nothing can run, the clock moves to the next timer. There are no threads (``asyncio.to_thread``
and executors run inline), so that one seed always gives the same schedule.
"""

from __future__ import annotations

import asyncio
import inspect
import selectors
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

ACTOR: ContextVar[str] = ContextVar("actor", default="")
"""The actor of a task: ``ask``, ``sync``, ``click sources`` …; tasks inherit it from the task that creates them."""


class Stuck(RuntimeError):
    """Deadlock: nothing can run, and something is still awaited."""


class Killed(BaseException):
    """The simulated death of the process in a workflow step, which is then run again."""


class CaseTooLong(RuntimeError):
    """More checkpoints than any case needs: probably an endless loop."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A task at a checkpoint. ``name``: of the port's method, such as ``evidences.filter_visible``."""

    actor: str
    name: str
    go_on: asyncio.Future[None]
    number: int


@dataclass(frozen=True, slots=True)
class Step:
    """An executed operation of a port, in the order of the schedule.

    ``at`` counts from 1. ``arrived``: the number of operations done when its task reached the checkpoint.
    """

    at: int
    arrived: int
    actor: str
    name: str


Policy = Callable[[list[Waiting]], Waiting | None]
"""Picks one of the waiting tasks; returns None to look again, because it has started a task."""

_MOST_STEPS = 20_000


class Scheduler:
    """Stops every task at its checkpoints, and releases one at a time."""

    def __init__(self) -> None:
        self.policy: Policy = lambda waiting: waiting[0]
        self.steps: list[Step] = []
        self.notes: list[tuple[int, str]] = []
        self._waiting: list[Waiting] = []
        self._logs: WeakKeyDictionary[asyncio.Task[Any], list[Step]] = WeakKeyDictionary()
        self.enabled = True
        self._arrivals = 0
        self.doomed: WeakKeyDictionary[asyncio.Task[Any], int] = WeakKeyDictionary()

    @property
    def now(self) -> int:
        """The number of operations done so far."""
        return len(self.steps)

    def reset(self, policy: Policy) -> None:
        """Reset the state for the next case."""
        self.policy = policy
        self.steps = []
        self.notes = []
        self._waiting = []
        self._logs = WeakKeyDictionary()
        self.doomed = WeakKeyDictionary()

    async def checkpoint(self, name: str) -> None:
        """Wait until this task is released. No other operation runs before the one that follows."""
        if not self.enabled:
            return
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        self._arrivals += 1
        arrived = self.now
        held = Waiting(ACTOR.get(), name, loop.create_future(), self._arrivals)
        self._waiting.append(held)
        try:
            await held.go_on
        except asyncio.CancelledError:
            if held in self._waiting:
                self._waiting.remove(held)
            raise
        step = Step(self.now + 1, arrived, held.actor, name)
        self.steps.append(step)
        if task is not None:
            self._logs.setdefault(task, []).append(step)
            if task in self.doomed:
                self.doomed[task] -= 1
                if self.doomed[task] <= 0:
                    del self.doomed[task]
                    self.note(f"killed before {name}")
                    raise Killed
        if self.now > _MOST_STEPS:
            raise CaseTooLong(f"{self.now} steps; the last ones: {[each.name for each in self.steps[-12:]]}")

    def steps_of_this_task(self) -> list[Step]:
        """Return the operations of the running task, oldest first."""
        task = asyncio.current_task()
        return self._logs.get(task, []) if task is not None else []

    def note(self, what: str) -> None:
        """Add a note to the schedule for people, about something that is not an operation of a port."""
        self.notes.append((self.now, what))

    def release_one(self) -> bool:
        """Release a task if nothing else can run. Return whether one was released or started."""
        if not self._waiting:
            return False
        chosen = self.policy(self._waiting)
        if chosen is not None:
            self._waiting.remove(chosen)
            if not chosen.go_on.done():
                chosen.go_on.set_result(None)
        return True


class _Selector(selectors.SelectSelector):
    """A selector that never sleeps: an idle loop releases a task, or moves its clock."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            return []
        if self.loop.scheduler.release_one():
            return []
        if timeout is None:
            raise Stuck("nothing can run any more")
        self.loop.clock += timeout
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only if nothing else can run."""

    def __init__(self, scheduler: Scheduler) -> None:
        selector = _Selector()
        selector.loop = self
        self.scheduler = scheduler
        self.clock = 0.0
        super().__init__(selector)

    def time(self) -> float:
        return self.clock

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """Run the function at once, since threads would make the order random."""
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # passed on to the awaiting task
            future.set_exception(error)
        return future


async def _inline(function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    return function(*args, **kwargs)


@contextmanager
def without_threads() -> Iterator[None]:
    """Make ``asyncio.to_thread`` run inline during the block."""
    real = asyncio.to_thread
    asyncio.to_thread = _inline
    try:
        yield
    finally:
        asyncio.to_thread = real


class Port:
    """A port whose async methods begin with a checkpoint. ``heard``: called with method, arguments and result."""

    def __init__(
        self,
        name: str,
        real: Any,
        scheduler: Scheduler,
        heard: Callable[[str, tuple[Any, ...], Any], None] | None = None,
    ) -> None:
        self._name, self._real, self._scheduler, self._heard = name, real, scheduler, heard

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(self._real, attribute)
        if not inspect.iscoroutinefunction(value):
            return value
        called = self._checked(attribute, value)
        self.__dict__[attribute] = called
        return called

    def _checked(self, attribute: str, method: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
        name, scheduler, heard = f"{self._name}.{attribute}", self._scheduler, self._heard

        async def call(*args: Any, **kwargs: Any) -> Any:
            await scheduler.checkpoint(name)
            result = await method(*args, **kwargs)
            if heard is not None:
                heard(attribute, (*args, *kwargs.values()), result)
            return result

        return call
