"""Clocks, stopwatches and progress of long operations. Core reads no clock itself: callers pass one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

Clock = Callable[[], float]
"""Returns monotonic seconds."""


class Stopwatch:
    """Measures milliseconds per stage. Times of a repeated stage are added up."""

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
    """The progress of a long operation."""

    stage: str
    done: int
    total: int | None
    detail: Mapping[str, int] = field(default_factory=dict)


ProgressListener = Callable[[Progress], None]
