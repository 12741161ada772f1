"""The Agents Playground in headless Chromium, driven by playwright-core in a node process."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

from tests.servers import npm
from tests.servers.teams.playground import HERE, why_no_playground

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_WRITE = "[role=textbox][data-lexical-editor=true]"
_HIDE_LOG = 'button[title="Hide log panel"]'
PATIENCE = 30.0
"""Timeout in seconds for an element to appear."""


@functools.cache
def why_no_browser() -> str:
    """Return why the browser cannot be used here, "" if it can."""
    if missing := why_no_playground():
        return missing
    if _chromium() is None:
        return "a person's path needs Chromium (Debian: apt install chromium), which this machine does not have"
    return ""


def _chromium() -> str | None:
    return next((path for path in map(shutil.which, _NAMES) if path), None)


class Browser:
    """One page, for the duration of the ``async with`` block.

    Elements are named by ``selector``, ``text``, ``role`` and ``name`` as in Playwright's locators; of several elements
    the last one is used, or the ``nth`` from 0.
    """

    def __init__(self, url: str, screenshots: Path) -> None:
        """``screenshots``: a folder, created if it is missing."""
        self._url, self._screenshots = url, screenshots
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> Browser:
        chromium = _chromium()
        assert chromium
        modules = npm.installed("teams-client", HERE) / "node_modules"
        self._process = await asyncio.create_subprocess_exec(
            "node", str(HERE / "browser.mjs"), str(modules), chromium,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, limit=2**24,
            start_new_session=True,
        )  # fmt: skip
        await self.do("open", url=self._url)
        await self.do("click", selector=_HIDE_LOG)  # the log repeats messages, so texts would be ambiguous
        return self

    async def __aexit__(self, *_: object) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        assert process.stdin
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 10)
        except TimeoutError:
            os.killpg(process.pid, signal.SIGKILL)  # Chromium's processes too
            await process.wait()

    async def do(self, command: str, *, timeout: float = PATIENCE, **given: Any) -> Any:  # noqa: ASYNC109
        """Execute a command of browser.mjs. Raises RuntimeError with Playwright's text, after taking a screenshot."""
        async with self._turn:
            answer = await self._answer({"command": command, "timeout": timeout * 1000, **given})
            if "error" in answer:
                path = await self._picture("failed")
                raise RuntimeError(f"{command} {given}: {answer['error']} (see {path})")
            return answer["value"]

    async def _answer(self, command: dict[str, Any]) -> dict[str, Any]:
        process = self._process
        assert process
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(command).encode() + b"\n")
        line = await process.stdout.readline()
        if not line:
            raise RuntimeError(f"the browser ended (exit code {await process.wait()})")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def _picture(self, name: str) -> Path:
        self._screenshots.mkdir(parents=True, exist_ok=True)
        path = self._screenshots / f"{name}.png"
        await self._answer({"command": "screenshot", "path": str(path)})
        return path

    async def screenshot(self, name: str) -> Path:
        async with self._turn:
            return await self._picture(name)

    # Actions of a person

    async def enter(self, chat: str = "Personal Chat") -> None:
        """Open a chat by its name in the list on the left."""
        await self.do("click", selector=f'button[aria-label="{chat}"]')

    async def write(self, text: str) -> None:
        """Send a message in the open chat."""
        await self._write({"selector": _WRITE, "nth": 0}, text, False)

    async def start_post(self, text: str) -> None:
        """Start a thread with a mention of the bot in the open channel."""
        await self._write({"selector": _WRITE, "nth": 0}, text, True)

    async def _write(self, where: dict[str, Any], text: str, mention: bool) -> None:
        await self.do("type", **where, written="@" if mention else text)
        if mention:
            await self.do("click", selector="#typeahead-menu [role=menuitem]", nth=0)
            await self.do("write", written=f" {text}")
        await self.do("press", key="Enter")

    async def see(self, text: str, **where: Any) -> str:
        """Wait until a text is visible, and return the text of its element."""
        await self.do("wait", text=text, **where)
        return str(await self.do("read", text=text, **where))

    async def click(self, **what: Any) -> None:
        await self.do("click", **what)
