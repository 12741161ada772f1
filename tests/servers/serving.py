"""A ``wikiwhy serve`` of its own process, as a person would run it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_PATIENCE = 60.0


@dataclass
class ServeProcess:
    """``lines``: the log so far, as far as it was read."""

    process: subprocess.Popen[str]
    url: str
    log: Path

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]

    @property
    def messages(self) -> str:
        return "\n".join(line["message"] for line in self.lines)

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(self.url + path, timeout=10) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metric(self, sample: str) -> float:
        """A sample, as ``wikiwhy_questions_total{outcome="answered"}``; 0 if there is none yet."""
        lines = dict(line.rsplit(" ", 1) for line in self.get("/metrics")[1].splitlines() if not line.startswith("#"))
        return float(lines.get(sample, 0))

    def until(self, sample: str, value: float) -> None:
        until(lambda: self.metric(sample) == value)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(_PATIENCE)


@contextmanager
def serving(
    data: Path, *arguments: str, ready: bool = True, umask: int = -1, **settings: str
) -> Iterator[ServeProcess]:
    """Serves a data directory at a free port; ``settings`` without their prefix, in lower case.

    With ``ready`` the block begins when all is loaded, else as soon as the server listens.
    """
    log = data.parent / f"serve-{time.monotonic_ns()}.log"
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "bot", "serve", "--port", "0", "--data-dir", str(data), *arguments],
            env=environment(**settings), cwd=data.parent, stdout=stderr, stderr=stderr, text=True,
            umask=umask,
        )  # fmt: skip
    try:
        until(lambda: process.poll() is not None or " at http://" in log.read_text("utf-8"))
        found = re.search(r" at (http://[0-9.:]+): ", log.read_text("utf-8"))
        assert found, log.read_text("utf-8")
        server = ServeProcess(process, found[1], log)
        if ready:
            until(lambda: server.get("/readyz")[0] == 200)
        yield server
    finally:
        process.kill()
        process.wait()


def environment(**settings: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WIKIWHY_")}
    settings = {"answer_processes": "0", **settings}  # each takes seconds to start
    own = {f"WIKIWHY_{name.upper()}": value for name, value in settings.items()}
    return {**kept, "PYTHONPATH": str(ROOT), "OMP_WAIT_POLICY": "passive", **own}


def until(condition: Any) -> None:
    """Waits for something that should come."""
    ends = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < ends, "it did not come"
        time.sleep(0.05)
