"""Clocks, and the progress of long operations. Core reads no clock itself: callers pass one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Clock = Callable[[], float]
"""Returns monotonic seconds."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a long operation."""

    stage: str
    done: int
    total: int | None
    detail: Mapping[str, int] = field(default_factory=dict)


ProgressListener = Callable[[Progress], None]
