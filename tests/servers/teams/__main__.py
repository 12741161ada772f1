"""Microsoft's own client for Teams apps, to try a bot in, where there is no Teams: open its page in a browser.

python -m tests.servers.teams --bot http://127.0.0.1:8000/api/messages
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys

from tests.servers.teams.playground import Playground, why_no_playground


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.servers.teams", description=__doc__)
    parser.add_argument("--bot", metavar="URL", default="http://127.0.0.1:8000/api/messages", help="its endpoint")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    if why_no_playground():
        sys.exit(why_no_playground())
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(given.bot, given.port))


async def _serve(bot: str, port: int) -> None:
    async with Playground(bot, port=port) as playground:
        print(f"Open {playground.url}/ in a browser. Stop it with Ctrl-C.", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    main()
