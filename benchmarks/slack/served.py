"""A Slack served here, and ``wikiwhy serve`` run against it in a process of its own, with the samples indexed."""

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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.child import WORK, MeasurementFailed, wikiwhy
from benchmarks.corpus import ROOT
from tests.servers.slack import SlackWorld

FOLDER = WORK / "slack"
CHANNELS = 20
PEOPLE = 40  # so many that no limit per person is met

_READY_SECONDS = 120
_PROFILE = "BENCHMARK_PROFILE"
"""Environment variable: a file in which the server writes when it stops where its time went."""


def indexed() -> Path:
    """The data directory with the samples, synced once. A measurement takes a copy of it."""
    data = FOLDER / "indexed"
    wikiwhy("sync", "folder", ROOT / "samples" / "documents", "--data-dir", data)
    return data


@dataclass(slots=True)
class Server:
    """The process. It may be killed and started again, and keeps its port and its data."""

    world: SlackWorld
    data: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    port: int = 0
    started: float = 0.0
    """Seconds that the last start took."""
    _process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Returns when it is ready. Raises MeasurementFailed."""
        began = time.monotonic()
        self.port = self.port or _free_port()
        self.world.deliver_to(f"http://127.0.0.1:{self.port}/slack/events")
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command(), cwd=FOLDER, env=self._environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        while not self._ready():
            if self._process.poll() is not None or time.monotonic() - began > _READY_SECONDS:
                raise MeasurementFailed(f"the server did not get ready: {self._log.read_text('utf-8')[-300:]}")
            time.sleep(0.05)
        self.started = time.monotonic() - began

    def kill(self) -> None:
        """With SIGKILL, from any thread; returns at once."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)

    def gone(self) -> None:
        """Returns when the process has ended."""
        if self._process:
            self._process.wait()

    def stop(self) -> None:
        """As an admin would."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(timeout=60)

    @property
    def _log(self) -> Path:
        return FOLDER / f"{self.data.name}.log"

    def _ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _command(self) -> list[str]:
        profile = os.environ.get(_PROFILE)
        module = ["benchmarks.slack.sampled", str(Path(profile).absolute())] if profile else ["bot"]
        return [sys.executable, "-m", *module, "serve"]

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WIKIWHY_")}
        return kept | {
            "PYTHONPATH": str(ROOT),
            "WIKIWHY_DATA_DIR": str(self.data),
            "WIKIWHY_PORT": str(self.port),
            "WIKIWHY_SLACK_API_URL": self.world.api_url,
            "WIKIWHY_SLACK_BOT_TOKEN": self.world.bot_token,
            "WIKIWHY_SLACK_SIGNING_SECRET": self.world.signing_secret,
            "WIKIWHY_DEFAULT_SPACES": "*",
            **self.settings,
        }


@dataclass(frozen=True, slots=True)
class Workplace:
    """The workspace with its people and channels, and the bot in it. All people are in all channels."""

    world: SlackWorld
    server: Server
    channels: list[str]
    people: list[str]


@contextmanager
def workplace(name: str, settings: Mapping[str, str] | None = None, latency: float = 0.0) -> Iterator[Workplace]:
    """A bot that is ready. ``name``: of its data directory; ``latency``: seconds that each call to Slack takes."""
    data = FOLDER / name
    shutil.rmtree(data, ignore_errors=True)
    (FOLDER / f"{name}.log").unlink(missing_ok=True)
    shutil.copytree(indexed(), data)
    with SlackWorld(emulator=False) as world:
        people = [world.add_user(f"person{number}") for number in range(PEOPLE)]
        channels = [world.add_channel(f"channel{number}", members=people) for number in range(CHANNELS)]
        world.latency = latency
        world.patience = 30.0  # the time is what is measured, also where Slack would not wait for it
        server = Server(world, data, settings or {})
        try:
            server.start()
            yield Workplace(world, server, channels, people)
        finally:
            try:
                server.stop()
            except subprocess.TimeoutExpired:
                server.kill()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
