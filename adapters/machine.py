"""The cores and the memory that this process may use, and who has to end if memory runs out."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from pathlib import Path

_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUP = Path("/proc/self/cgroup")
_OWN_SCORE = Path("/proc/self/oom_score_adj")
_FIRST_TO_END = 1000  # the highest score


def count_cores() -> int:
    """Return the number of cores: those that the process may run on, within its cgroup's limit."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # no cgroup, or "max"
        quota, period = map(int, _read_limit("cpu.max").split())
        cores = min(cores, math.ceil(quota / period))
    return max(cores, 1)


def measure_memory() -> int:
    """Return the bytes of memory: the machine's, within the limit of the process's cgroup."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):
        memory = min(memory, int(_read_limit("memory.max")))
    return memory


def end_first_without_memory() -> None:
    """Make the kernel end this process, and not the one that started it, if the machine or the container has no memory.

    For processes whose work is lost without harm. Does nothing where there is no such kernel.
    """
    with suppress(OSError):
        _OWN_SCORE.write_text(str(_FIRST_TO_END), "ascii")


def _read_limit(name: str) -> str:
    """Read a limit of the process's cgroup, version 2. Raises OSError if there is none."""
    for line in _OWN_CGROUP.read_text("utf-8").splitlines():
        if line.startswith("0::/"):
            return (_CGROUPS / line.removeprefix("0::/") / name).read_text("utf-8")
    raise FileNotFoundError(name)
