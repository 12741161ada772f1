"""Run the real command line in a child process, and measure its time."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpus import ROOT

WORK = ROOT / "build" / "bench"


class MeasurementFailed(Exception):
    """A measured command failed, or its output was unexpected."""


@dataclass(frozen=True, slots=True)
class Run:
    """The output of a command and its seconds: elapsed, and of CPU including its children."""

    output: str
    wall: float
    cpu: float

    @property
    def json(self) -> dict[str, Any]:
        return json_object(self.output)


def json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise MeasurementFailed(f"expected a JSON object, got {text[:200]!r}") from error
    if not isinstance(value, dict):
        raise MeasurementFailed(f"expected a JSON object, got {text[:200]!r}")
    return value


def wikiwhy(*arguments: str | Path, cache: Path | None = None, settings: Mapping[str, str] | None = None) -> Run:
    """Run ``wikiwhy`` with its default settings. ``cache``: a cache folder instead of the user's."""
    return run([sys.executable, "-m", "bot", *map(str, arguments)], cache, settings)


def run(command: Sequence[str], cache: Path | None = None, settings: Mapping[str, str] | None = None) -> Run:
    """Run a command without a terminal. Raises MeasurementFailed with the end of its output if it fails."""
    WORK.mkdir(parents=True, exist_ok=True)
    before, started = _cpu_of_children(), time.perf_counter()
    # Not in the project's root, where a .env or wikiwhy.toml would change the settings.
    done = subprocess.run(
        command,
        cwd=WORK,
        env=_environment(cache) | dict(settings or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    wall, cpu = time.perf_counter() - started, _cpu_of_children() - before
    if done.returncode != 0:
        said = " ".join((done.stderr or done.stdout).split())[-300:]
        raise MeasurementFailed(f"{' '.join(command[:6])} … ended with exit code {done.returncode}: {said}")
    return Run(done.stdout, wall, cpu)


@contextmanager
def default_settings() -> Iterator[None]:
    """Return the default settings, without those of this environment."""
    WORK.mkdir(parents=True, exist_ok=True)
    before = dict(os.environ)
    with chdir(WORK):
        for name in before:
            if name.startswith("WIKIWHY_"):
                del os.environ[name]
        try:
            yield
        finally:
            os.environ.update(before)


def _environment(cache: Path | None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WIKIWHY_")}
    kept["PYTHONPATH"] = str(ROOT)
    if cache is not None:
        kept["XDG_CACHE_HOME"] = str(cache)
    return kept


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
