"""A real process, killed with SIGKILL wherever a question or an explanation may be, and started again."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.contracts.conversation import HOTEL
from tests.servers.sample_data import copy_sample_data
from tests.servers.serving import serving
from tests.servers.slack import Fault, SlackWorld

pytestmark = pytest.mark.slow

HELD = Fault(delay=600.0)
"""A call that is under way when the process dies, and that Slack never comes to do."""


class Killed:
    """One question at each place where it can be cut off, each in a channel of its own."""

    def __init__(self, slack: SlackWorld) -> None:
        self.slack = slack
        self.roots: dict[str, str] = {}

    def asks(self, channel: str, user: str) -> None:
        self.roots[channel] = self.slack.say(user, channel, f"<@{self.slack.bot}> {HOTEL}")

    def calls(self, method: str, channel: str) -> int:
        asked = [call for call in self.slack.calls if call.arguments.get("channel") == channel]
        return [call.method for call in asked].count(method)

    def answers(self, channel: str) -> list[str]:
        return [message.text for message in self.slack.answers(channel, self.roots[channel])]


def test_whatever_was_under_way_is_done_once_after_a_restart(tmp_path: Path) -> None:
    data = copy_sample_data(tmp_path / "data")
    with SlackWorld() as slack:
        settings = {
            "slack_bot_token": slack.bot_token, "slack_signing_secret": slack.signing_secret,
            "slack_api_url": slack.api_url, "default_spaces": "*", "suggestions": "off", "log_format": "json",
        }  # fmt: skip
        ada, ben = slack.add_user("ada"), slack.add_user("ben")
        names = ("started", "placed", "stored", "explained")
        started, placed, stored, explained = (slack.add_channel(name, members=[ada, ben]) for name in names)
        killed = Killed(slack)
        with serving(data, **settings) as server:
            slack.deliver_to(f"{server.url}/slack/events")
            killed.asks(explained, ada)
            answer = slack.await_message(explained, killed.roots[explained], lambda shown: "€165" in shown.text, 30)
            slack.faults.add("chat.postMessage", HELD, where=lambda given: given.get("channel") == started)
            slack.faults.add("users.info", HELD, where=lambda given: given.get("user") == ben)
            slack.faults.add("chat.update", HELD, where=lambda given: given.get("channel") == stored)
            slack.faults.add("chat.update", HELD, where=lambda given: given.get("channel") == explained)
            for channel, user in ((started, ada), (placed, ben), (stored, ada)):
                killed.asks(channel, user)
            slack.wait_until(lambda: killed.calls("chat.postMessage", started), 30)
            slack.wait_until(lambda: killed.answers(placed), 30)
            slack.wait_until(lambda: killed.calls("chat.update", stored), 30)
            before = killed.calls("chat.update", explained)
            slack.click(ada, explained, answer.ts, "explain")
            slack.wait_until(lambda: killed.calls("chat.update", explained) > before, 30)
            slack.wait_until(lambda: not slack.pending, 30)
            slack.deliver_to(None)
            server.end(signal.SIGKILL)
        slack.faults.clear()
        with serving(data, ready=False, **settings) as server:
            slack.deliver_to(f"{server.url}/slack/events")
            for channel in (started, placed, stored):
                slack.wait_until(lambda channel=channel: "€165" in "".join(killed.answers(channel)), 40, channel)
            slack.wait_until(lambda: "rests on" in "".join(killed.answers(explained)), 30)
            slack.click(ada, explained, answer.ts, "explain")
            slack.wait_until(lambda: slack.ephemerals(ada), 10)
            assert [len(killed.answers(channel)) for channel in (started, placed, stored, explained)] == [1, 1, 1, 2]
            assert not slack.refusals
