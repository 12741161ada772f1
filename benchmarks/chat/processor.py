"""Processor time of processes and of those that they started (Linux)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def read_processor_seconds(pids: Iterable[int | None]) -> float:
    """Return the processor time of running processes with all their descendants, also of those that have ended."""
    wanted = {pid for pid in pids if pid}
    stats = _read_stats()
    found = {pid for pid in stats if _is_of(pid, wanted, stats)}
    ticks = sum(sum(stats[pid][1]) for pid in found)
    return ticks / _TICKS


def _is_of(pid: int, wanted: set[int], stats: dict[int, tuple[int, tuple[int, ...]]]) -> bool:
    while pid in stats and pid not in wanted:
        pid = stats[pid][0]
    return pid in wanted


def _read_stats() -> dict[int, tuple[int, tuple[int, ...]]]:
    """Return the parent and the ticks of each process: its own, and those of its children that have ended."""
    stats = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        stats[int(path.parent.name)] = (int(fields[1]), tuple(int(field) for field in fields[11:15]))
    return stats
