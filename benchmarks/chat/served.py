"""``wikiwhy serve`` in its own process with the samples indexed, against a chat platform's test server."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from adapters.machine import count_cores
from benchmarks.child import MeasurementFailed, wikiwhy
from benchmarks.corpus import ROOT
from bot.server.processes import MOST_PROCESSES

_READY_SECONDS = 300
_PROFILE = "BENCHMARK_PROFILE"
"""Environment variable: a file to which the server writes its profile when it stops."""


@dataclass(slots=True)
class Server:
    """The process. It can be killed and restarted with the same port and data.

    ``environment``: for the platform and settings. ``listening``: called with the address before the start.
    """

    data: Path
    environment: Mapping[str, str]
    listening: Callable[[str], None]
    port: int = 0
    started: float = 0.0
    """The seconds of the last start."""
    _process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and return when ready. Raises MeasurementFailed."""
        began = time.monotonic()
        self.port = self.port or _free_port()
        self.listening(self.url)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command(),
                cwd=self.data.parent,
                env=self._whole_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        while not self.ready():
            if self._process.poll() is not None or time.monotonic() - began > _READY_SECONDS:
                raise MeasurementFailed(f"the server did not get ready: {self.log.read_text('utf-8')[-300:]}")
            time.sleep(0.05)
        self.started = time.monotonic() - began

    def kill(self) -> None:
        """Send SIGKILL, from any thread; returns at once."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)

    def gone(self) -> None:
        """Wait until the process has ended."""
        if self._process:
            self._process.wait()

    def stop(self) -> None:
        """Stop with SIGTERM, as an admin does."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(timeout=60)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int | None:
        """The process, None if it has ended."""
        return self._process.pid if self._process and self._process.poll() is None else None

    @property
    def log(self) -> Path:
        return self.data.with_suffix(".log")

    def ready(self) -> bool:
        """Return whether ``/readyz`` says so."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def wait_for_processes(self) -> None:
        """Wait until the processes that answer questions have loaded their models, if there are any."""
        by_cores = min(count_cores(), MOST_PROCESSES) if count_cores() > 1 else 0
        wanted = int(self.environment.get("WIKIWHY_ANSWER_PROCESSES", by_cores))
        deadline = time.monotonic() + _READY_SECONDS
        while self._count_processes() < wanted:
            if time.monotonic() > deadline:
                raise MeasurementFailed(f"the processes did not get ready: {self.log.read_text('utf-8')[-300:]}")
            time.sleep(0.1)

    def _count_processes(self) -> float:
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=30) as answer:  # noqa: S310 - this machine
            lines = str(answer.read(), "utf-8").splitlines()
        return max(float(line.split()[1]) for line in lines if line.startswith("wikiwhy_answer_processes "))

    def _command(self) -> list[str]:
        profile = os.environ.get(_PROFILE)
        module = ["benchmarks.chat.sampled", str(Path(profile).absolute())] if profile else ["bot"]
        return [sys.executable, "-m", *module, "serve"]

    def _whole_environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WIKIWHY_")}
        return kept | {
            "PYTHONPATH": str(ROOT),
            "WIKIWHY_DATA_DIR": str(self.data),
            "WIKIWHY_PORT": str(self.port),
            "WIKIWHY_DEFAULT_SPACES": "*",
            **self.environment,
        }


@contextmanager
def serving(data: Path, environment: Mapping[str, str], listening: Callable[[str], None]) -> Iterator[Server]:
    """Yield a server that is ready. ``data``: becomes a copy of the index of the samples, made once beside it."""
    shutil.rmtree(data, ignore_errors=True)
    data.with_suffix(".log").unlink(missing_ok=True)
    indexed = data.with_name("indexed")
    wikiwhy("sync", "folder", ROOT / "samples" / "documents", "--data-dir", indexed)
    shutil.copytree(indexed, data)
    server = Server(data, environment, listening)
    try:
        server.start()
        server.wait_for_processes()
        yield server
    finally:
        try:
            server.stop()
        except subprocess.TimeoutExpired:
            server.kill()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
