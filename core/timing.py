"""Time and progress of long work. Core has no clock of its own: callers pass one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

Clock = Callable[[], float]
"""Seconds, monotonic."""


class Stopwatch:
    """Milliseconds by stage; the times of a stage that is measured twice are added."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.timings_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = self._clock()
        try:
            yield
        finally:
            spent = (self._clock() - started) * 1000
            self.timings_ms[name] = round(self.timings_ms.get(name, 0.0) + spent, 3)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long operation has come."""

    stage: str
    done: int
    total: int | None
    detail: Mapping[str, int] = field(default_factory=dict)


ProgressListener = Callable[[Progress], None]
