"""The third-party emulator (npm package ``emulate``): installed once per lock file, one process per workspace."""

from __future__ import annotations

import functools
import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Any

import aiohttp
import platformdirs
from filelock import FileLock

from tests.servers.slack.state import Refused

HERE = Path(__file__).parent
_PACKAGE = [HERE / "package.json", HERE / "package-lock.json", HERE / ".npmrc"]


@functools.cache
def why_no_emulator() -> str:
    """Why it cannot be started here; empty where it can."""
    missing = [program for program in ("node", "npm") if shutil.which(program) is None]
    if missing:
        return f"the Slack emulator needs {' and '.join(missing)}, which this machine does not have"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").split(".")[0]) < 20:
        return f"the Slack emulator needs node 20 or later, this machine has {version}"
    return ""


def installed() -> Path:
    """The folder with its ``node_modules``, in the user's cache; installs it where this lock file's is missing."""
    locked = hashlib.sha256(b"".join(path.read_bytes() for path in _PACKAGE)).hexdigest()[:16]
    folder = Path(platformdirs.user_cache_dir("wikiwhy")) / "slack-emulator" / locked
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "installed").exists():
            for path in _PACKAGE:
                shutil.copy(path, folder)
            command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"npm ci failed in {folder}: {done.stderr[-2000:]}")
            (folder / "installed").touch()
    return folder


class Emulator:
    """One process of it, while the ``with`` block of its workspace lasts. It ends with this one, however that ends."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._process = subprocess.Popen(
            ["node", str(HERE / "start.mjs"), str(installed()), token],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout
        self.url = self._process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError(f"the Slack emulator did not start (exit code {self._process.wait()})")

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()

    async def call(self, session: aiohttp.ClientSession, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Its answer; raises its refusal. What it does not have is an ``unknown_method``."""
        headers = {"Authorization": f"Bearer {self._token}"}
        async with session.post(f"{self.url}/api/{method}", json=arguments, headers=headers) as response:
            if response.status == 404:
                raise Refused("unknown_method", req_method=method)
            answer: dict[str, Any] = await response.json()
        if not answer.get("ok"):
            raise Refused(str(answer.pop("error", "fatal_error")), **{k: v for k, v in answer.items() if k != "ok"})
        return answer
