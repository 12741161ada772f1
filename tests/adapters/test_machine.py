from __future__ import annotations

import os
from pathlib import Path

import pytest

from adapters import machine
from adapters.machine import count_cores, measure_memory


@pytest.fixture
def limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a cgroup's limits, on a machine with eight cores."""
    own = tmp_path / "system.slice" / "wikiwhy.service"
    own.mkdir(parents=True)
    (tmp_path / "cgroup").write_text("1:name=other:/else\n0::/system.slice/wikiwhy.service\n")
    monkeypatch.setattr(machine, "_CGROUPS", tmp_path)
    monkeypatch.setattr(machine, "_OWN_CGROUP", tmp_path / "cgroup")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    return own


@pytest.mark.parametrize(
    ("limit", "cores"), [("max 100000", 8), ("200000 100000", 2), ("150000 100000", 2), ("1000 100000", 1), ("", 8)]
)
def test_the_quota_of_the_cgroup_limits_the_cores(limits: Path, limit: str, cores: int) -> None:
    (limits / "cpu.max").write_text(f"{limit}\n")
    assert count_cores() == cores


def test_without_a_cgroup_the_machine_counts(limits: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_OWN_CGROUP", limits / "none")
    assert count_cores() == 8
    assert measure_memory() > 10**8


def test_a_system_without_affinity_has_all_its_cores(limits: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert count_cores() == 6


@pytest.mark.parametrize(("limit", "limited"), [("max", False), ("1073741824", True)])
def test_the_limit_of_the_cgroup_is_the_memory(limits: Path, limit: str, limited: bool) -> None:
    (limits / "memory.max").write_text(f"{limit}\n")
    assert (measure_memory() == 2**30) == limited
