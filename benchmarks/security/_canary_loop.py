"""A deterministic event loop for the canary: every await of a port is a checkpoint, and a policy says who goes on.

Time is virtual: where nothing can run, the clock moves to the next timer. Threads are not used (``asyncio.to_thread``
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
"""Who does something: ``ask``, ``sync``, ``click sources`` …; tasks inherit it from who creates them."""


class Stuck(RuntimeError):
    """Nothing can run any more, and something is still awaited."""


class Killed(BaseException):
    """The process died here, as far as a step of durable work can tell; the step is then run again."""


class CaseTooLong(RuntimeError):
    """More checkpoints than any case should need: something repeats without end."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A task that has arrived at a checkpoint. ``name``: of the port's method, as ``evidences.visible``."""

    actor: str
    name: str
    go_on: asyncio.Future[None]
    number: int


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a port that was let through, in the order of the schedule.

    ``at`` counts from 1; ``arrived``: how many others were done when its task came to the checkpoint.
    """

    at: int
    arrived: int
    actor: str
    name: str


Policy = Callable[[list[Waiting]], Waiting | None]
"""Chooses who goes on among those that wait; None to look again, because it has started something."""

_MOST_STEPS = 20_000


class Scheduler:
    """Holds every task at its checkpoints, and lets them on one at a time."""

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
        """How many operations were done so far."""
        return len(self.steps)

    def reset(self, policy: Policy) -> None:
        """Forgets all, for the next case."""
        self.policy = policy
        self.steps = []
        self.notes = []
        self._waiting = []
        self._logs = WeakKeyDictionary()
        self.doomed = WeakKeyDictionary()

    async def checkpoint(self, name: str) -> None:
        """Waits until it is this task's turn. The operation that follows is done without any other in between."""
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
        """The operations of the running task, oldest first."""
        task = asyncio.current_task()
        return self._logs.get(task, []) if task is not None else []

    def note(self, what: str) -> None:
        """Notes something that is no operation of a port, for the schedule that people read."""
        self.notes.append((self.now, what))

    def release_one(self) -> bool:
        """Called where nothing else can run. Whether somebody was let on, or has been started."""
        if not self._waiting:
            return False
        chosen = self.policy(self._waiting)
        if chosen is not None:
            self._waiting.remove(chosen)
            if not chosen.go_on.done():
                chosen.go_on.set_result(None)
        return True


class _Selector(selectors.SelectSelector):
    """Never sleeps: an idle loop lets a task on, or moves its clock."""

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
    """An event loop whose time passes only where nothing else can happen."""

    def __init__(self, scheduler: Scheduler) -> None:
        selector = _Selector()
        selector.loop = self
        self.scheduler = scheduler
        self.clock = 0.0
        super().__init__(selector)

    def time(self) -> float:
        return self.clock

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """Runs it at once: threads would bring an order of their own."""
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # of whatever kind: whoever awaits it has to hear it
            future.set_exception(error)
        return future


async def _inline(function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    return function(*args, **kwargs)


@contextmanager
def without_threads() -> Iterator[None]:
    """``asyncio.to_thread`` runs inline while the block lasts."""
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
