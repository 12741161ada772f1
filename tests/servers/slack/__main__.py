"""A Slack workspace to try ``wikiwhy serve`` in, where there is none: open its page in a browser.

python -m tests.servers.slack --port 8300 --deliver-to http://127.0.0.1:8000/slack/events
"""

from __future__ import annotations

import argparse
import threading

from tests.servers.slack.emulator import why_no_emulator
from tests.servers.slack.world import SlackWorld


def main() -> None:
    given = _arguments()
    world = SlackWorld(given.signing_secret, given.bot_token, app_token=given.app_token, port=given.port,
        emulator=not why_no_emulator())  # fmt: skip
    world.retry_delays, world.rates, world.streams = (1.0, 60.0, 300.0), given.rates, not given.no_streams
    with world:
        world.deliver_to(given.deliver_to)
        people = [
            world.add_user("ada", real_name="Ada Lovelace", email="ada@example.com"),
            world.add_user("ben", real_name="Ben Nevis", email="ben@example.com"),
            world.add_user("gus", real_name="Gus Guest", restricted=True),
        ]
        for name in ("eng", "hr", "general"):
            world.add_channel(name, members=people)
        print(_introduction(world), flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print(f"\n{len(world.calls)} calls, {len(world.deliveries)} deliveries, {len(world.refusals)} refusals")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.servers.slack", description=__doc__)
    parser.add_argument("--port", type=int, default=8300)
    parser.add_argument("--deliver-to", metavar="URL", help="the bot's request URL; not needed for Socket Mode")
    parser.add_argument("--signing-secret", default="signing-secret")
    parser.add_argument("--bot-token", default="xoxb-world")
    parser.add_argument("--app-token", default="xapp-world")
    parser.add_argument("--rates", action="store_true", help="with Slack's rate limits")
    parser.add_argument("--no-streams", action="store_true", help="a workspace without streaming")
    return parser.parse_args()


def _introduction(world: SlackWorld) -> str:
    channels = [f"{channel.name} {channel.id}" for channel in world.context.workspace.channels.values()]
    lines = [
        f"WIKIWHY_SLACK_API_URL={world.api_url}",
        f"WIKIWHY_SLACK_BOT_TOKEN={world.bot_token}",
        f"WIKIWHY_SLACK_SIGNING_SECRET={world.signing_secret}",
        f"WIKIWHY_SLACK_APP_TOKEN={world.app_token}   (for Socket Mode only)",
        f"Channels: {', '.join(channels)}",
        f"Open {world.url}/ in a browser. Stop it with Ctrl-C.",
    ]
    if why_no_emulator():
        lines.append(f"Without the emulator: {why_no_emulator()}.")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
