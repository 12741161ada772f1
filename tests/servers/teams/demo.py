"""WikiWhy over the sample wiki, in Microsoft's own test client for Teams, opened in a browser: ``make demo-teams``.

No account, no network after the first installation. Settings of yours do not count; data is in a folder of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import webbrowser
from pathlib import Path
from typing import Any

import aiohttp

from tests.servers.teams.playground import Playground, why_no_playground

ROOT = Path(__file__).parents[3]
QUESTION = "What is the hotel limit per night in the Netherlands in 2026?"

_NODE = "Install Node.js 20 or later with npm (Debian, Ubuntu: apt install nodejs npm; macOS: brew install node)."
_START = 120.0  # seconds


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.servers.teams.demo", description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT / "data" / "demo-teams", help="folder for its data")
    parser.add_argument("--port", type=int, default=0, help="of the page; any free one if left out")
    given = parser.parse_args()
    print("Looking for Node.js and the Agents Playground; the first time it is installed.", flush=True)
    if missing := why_no_playground():
        sys.exit(f"make demo-teams: {missing}. {_NODE}")
    folder = given.data.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([_wikiwhy(), "sync", "folder", str(ROOT / "samples" / "documents")], **_own(folder), check=True)
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(_serve(folder, given.port))


def _wikiwhy() -> str:
    return str(Path(sys.executable).with_name("wikiwhy"))


def _own(folder: Path, **settings: str) -> dict[str, Any]:
    """Where a command of the demo runs, and with which settings: no ``.env`` or ``wikiwhy.toml`` of yours is there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WIKIWHY_")}
    return {"cwd": folder, "env": {**kept, "WIKIWHY_DATA_DIR": ".", **settings}}


async def _serve(folder: Path, port: int) -> None:
    """Until somebody stops it, or the server ends."""
    task = asyncio.current_task()
    assert task
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    own = _free_port()
    async with Playground(f"http://127.0.0.1:{own}/api/messages", port=port) as playground:
        settings = {
            "WIKIWHY_HOST": "127.0.0.1", "WIKIWHY_PORT": str(own), "WIKIWHY_TEAMS_ANONYMOUS": "true",
            "WIKIWHY_DEFAULT_SPACES": "*", "WIKIWHY_ADMINS": str(playground.config["currentUser"]["aadObjectId"]),
        }  # fmt: skip
        log = folder / "serve.log"
        with log.open("w", encoding="utf-8") as output:
            server = await asyncio.create_subprocess_exec(
                _wikiwhy(), "serve", stdout=output, stderr=output, stdin=subprocess.DEVNULL, **_own(folder, **settings)
            )
        try:
            await asyncio.wait_for(_ready(server, f"http://127.0.0.1:{own}/readyz"), _START)
            _tell(f"{playground.url}/", playground.bot_name, log)
            await server.wait()
            print(f"WikiWhy has ended; {log} says why.", file=sys.stderr)
        finally:
            if server.returncode is None:
                server.terminate()
                await server.wait()


def _free_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return int(unused.getsockname()[1])


async def _ready(server: asyncio.subprocess.Process, url: str) -> None:
    async with aiohttp.ClientSession() as session:
        while server.returncode is None:
            with contextlib.suppress(aiohttp.ClientError):
                async with session.get(url) as response:
                    if response.status == 200:
                        return
            await asyncio.sleep(0.2)


def _tell(url: str, bot: str, log: Path) -> None:
    shown = _has_desktop() and webbrowser.open(url)
    print(
        f"""
{"Opened" if shown else "Open in a browser:"} {url}

  Personal Chat    {QUESTION}
                   And in Germany?
  Group Chat       @ and {bot}, then a question
  General          the same, in a channel: replies go into its thread

Press Explain below an answer, Sources, or a thumb. You are Alex Wilber, an admin: "help" shows the commands.
The client is Microsoft's Agents Playground, which calls WikiWhy {bot}. Unlike Teams it shows the text and the card of
an answer in the personal chat as two messages. The server's log is {log}.
Stop it with Ctrl-C.
""",
        flush=True,
    )


def _has_desktop() -> bool:
    """Whether a browser can be opened: without a desktop one in the terminal would take its place."""
    return sys.platform == "darwin" or bool({"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys())


if __name__ == "__main__":
    main()
