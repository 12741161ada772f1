"""The third-party emulator (npm package ``emulate``), one process per workspace."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import aiohttp

from tests.servers import npm
from tests.servers.slack.state import Refused

HERE = Path(__file__).parent


def why_no_emulator() -> str:
    """Why it cannot be started here; empty where it can."""
    return npm.why_not("the Slack emulator")


class Emulator:
    """One process of it, while the ``with`` block of its workspace lasts. It ends with this one, however that ends."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._process = subprocess.Popen(
            ["node", str(HERE / "start.mjs"), str(npm.installed("slack-emulator", HERE)), token],
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
