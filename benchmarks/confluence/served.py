"""A Confluence in this process, and ``wikiwhy sync confluence`` against it in its own process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from adapters.confluence.http import Connection, Retries
from adapters.confluence.wiki import ConfluenceWiki
from benchmarks.child import WORK, MeasurementFailed, json_object
from benchmarks.corpus import ROOT
from tests.servers.confluence import ConfluenceServer

FOLDER = WORK / "confluence"
# A small process in between, since Linux adds the memory of the forking process.
_MEASURED = """
import os, subprocess, sys
_, status, usage = os.wait4(subprocess.Popen(sys.argv[2:]).pid, 0)
open(sys.argv[1], "w").write(f"{usage.ru_maxrss} {usage.ru_utime + usage.ru_stime}")
os._exit(os.waitstatus_to_exitcode(status) & 255)
"""
_HASTY = Retries(first=0.005, longest=0.05)


@dataclass(frozen=True, slots=True)
class Synced:
    """The output and resources of a sync. ``peak``: memory in MB; ``cpu``: seconds; ``ended``: by time.monotonic()."""

    code: int
    output: str
    said: str
    seconds: float
    peak: float
    cpu: float
    ended: float

    @property
    def spaces(self) -> list[dict[str, Any]]:
        found = json_object(self.output)["spaces"]
        return found if isinstance(found, list) else []

    def total(self, name: str) -> int:
        return sum(int(space[name]) for space in self.spaces)


def sync(
    server: ConfluenceServer,
    data: Path,
    *arguments: str,
    expected: int = 0,
    module: Sequence[str] = ("-m", "bot"),
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Synced:
    """Run the real command, with further settings. Raises MeasurementFailed for another exit code."""
    with tempfile.NamedTemporaryFile("r") as used:
        started = time.perf_counter()
        child = subprocess.run(
            [sys.executable, "-c", _MEASURED, used.name, *sync_command(data, *arguments, module=module)], cwd=_work(),
            env={**environment(server), **settings}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        seconds = time.perf_counter() - started
        unit = 1e6 if sys.platform == "darwin" else 1e3
        peak, cpu = map(float, used.read().split())
        ended = time.monotonic()
        done = Synced(child.returncode, child.stdout, child.stderr, seconds, peak / unit, cpu, ended)
    if done.code != expected:
        said = " ".join(done.said.split())[-300:]
        raise MeasurementFailed(f"a sync ended with exit code {done.code}: {said}")
    return done


def sync_command(data: Path, *arguments: str, module: Sequence[str] = ("-m", "bot")) -> list[str]:
    """Return the command ``wikiwhy sync confluence --json``."""
    return [sys.executable, *module, "sync", "confluence", *arguments, "--data-dir", str(data), "--json"]


def environment(server: ConfluenceServer) -> dict[str, str]:
    """Return the environment with the default settings and the server's address and account."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WIKIWHY_")}
    return kept | {
        "PYTHONPATH": str(ROOT),
        "OMP_WAIT_POLICY": "passive",
        "WIKIWHY_CONFLUENCE_URL": server.url,
        "WIKIWHY_CONFLUENCE_FLAVOUR": server.flavour,
        "WIKIWHY_CONFLUENCE_EMAIL": server.email if server.flavour == "cloud" else "",
        "WIKIWHY_CONFLUENCE_TOKEN": server.token,
    }


def client(server: ConfluenceServer) -> closing[ConfluenceWiki]:
    """Return the real client with waits of a hundredth of the usual time."""
    account = server.email if server.flavour == "cloud" else ""
    return closing(ConfluenceWiki(Connection(server.url, server.token, account, retries=_HASTY), server.flavour))


def _work() -> Path:
    # Not in the project's root, where a .env or wikiwhy.toml would change the settings.
    FOLDER.mkdir(parents=True, exist_ok=True)
    return FOLDER
