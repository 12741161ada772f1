"""The cores and the memory that this process may use."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from pathlib import Path

_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUP = Path("/proc/self/cgroup")


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


def _read_limit(name: str) -> str:
    """Read a limit of the process's cgroup, version 2. Raises OSError if there is none."""
    for line in _OWN_CGROUP.read_text("utf-8").splitlines():
        if line.startswith("0::/"):
            return (_CGROUPS / line.removeprefix("0::/") / name).read_text("utf-8")
    raise FileNotFoundError(name)
