"""Small things that chat platforms are made with: settings and waiting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from operator import attrgetter
from typing import Generic, TypeVar

Result = TypeVar("Result")
Value = TypeVar("Value")

_PAUSE = 0.005


class Setting(Generic[Value]):
    """An attribute of one of the world's parts, by its path, as one of the world's own."""

    def __init__(self, path: str) -> None:
        self._owner, _, self._name = path.rpartition(".")

    def __get__(self, world: object, kind: type) -> Value:
        value: Value = getattr(attrgetter(self._owner)(world), self._name)
        return value

    def __set__(self, world: object, value: Value) -> None:
        setattr(attrgetter(self._owner)(world), self._name, value)


def wait_until(condition: Callable[[], Result], timeout: float, late: Callable[[], str]) -> Result:
    """The condition's first value that is true. ``late``: what the TimeoutError says."""
    end = time.monotonic() + timeout
    while not (found := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"{late()} (waited {timeout:g} s)")
        time.sleep(_PAUSE)
    return found


async def until(condition: Callable[[], Result], timeout: float, late: Callable[[], str]) -> Result:  # noqa: ASYNC109
    """The same for coroutines."""
    end = time.monotonic() + timeout
    while not (found := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"{late()} (waited {timeout:g} s)")
        await asyncio.sleep(_PAUSE)
    return found
