"""A Slack served here, and the bot in it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from benchmarks.chat.served import Server, serving
from benchmarks.chat.talk import Asked, Reply
from benchmarks.child import WORK
from benchmarks.slack.asking import reply, say
from tests.servers.slack import Delivery, SlackWorld

FOLDER = WORK / "slack"
CHANNELS = 20
PEOPLE = 40  # so many that no limit per person is met


@dataclass(frozen=True, slots=True)
class Workplace:
    """The workspace with its people and channels, and the bot in it. All people are in all channels."""

    world: SlackWorld
    server: Server
    channels: list[str]
    people: list[str]

    finds_messages = True
    posting = ("chat.postMessage",)

    def asking(self, chance: random.Random, text: str, times: int = 1) -> Callable[[], Asked]:
        person, channel = chance.choice(self.people), chance.choice(self.channels)
        return lambda: say(self.world, person, channel, text, times=times)

    def explaining(self, chance: random.Random, asked: Asked, message_id: str) -> Callable[[], Delivery]:
        person = chance.choice(self.people)
        return lambda: self.world.click(person, asked.place.channel, message_id, "explain")

    def replies(self, asked: Asked) -> list[Reply]:
        messages = self.world.answers(asked.place.channel, asked.place.thread)
        return [reply(message) for message in messages if message.ts > asked.message_id]


@contextmanager
def workplace(name: str, settings: Mapping[str, str] | None = None, latency: float = 0.0) -> Iterator[Workplace]:
    """A bot that is ready. ``name``: of its data directory; ``latency``: seconds that each call to Slack takes."""
    with SlackWorld() as world:
        people = [world.add_user(f"person{number}") for number in range(PEOPLE)]
        channels = [world.add_channel(f"channel{number}", members=people) for number in range(CHANNELS)]
        world.latency = latency
        world.patience = 30.0  # the time is what is measured, also where Slack would not wait for it
        environment = {
            "WIKIWHY_SLACK_API_URL": world.api_url,
            "WIKIWHY_SLACK_BOT_TOKEN": world.bot_token,
            "WIKIWHY_SLACK_SIGNING_SECRET": world.signing_secret,
            **(settings or {}),
        }
        with serving(FOLDER / name, environment, lambda url: world.deliver_to(f"{url}/slack/events")) as server:
            yield Workplace(world, server, channels, people)
