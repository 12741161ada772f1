"""A Slack workspace in this process, with the bot."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from adapters.slack.windows import render_explanation
from benchmarks.chat.bots import PlatformServer
from benchmarks.chat.served import Server, serving
from benchmarks.chat.talk import Asked, Reply
from benchmarks.child import WORK
from benchmarks.slack.asking import reply, say
from core.model.views import Waiting
from tests.servers.slack import Delivery, Message, SlackWorld
from tests.servers.slack.state import View

FOLDER = WORK / "slack"
CHANNELS = 20
PEOPLE = 40  # so many that no limit per person is reached

_WAITING = [render_explanation(Waiting(language, "explanation"), language)["blocks"] for language in ("en", "de")]


@dataclass(frozen=True, slots=True)
class Workplace:
    """The workspace with the bot. All people are members of all channels."""

    world: SlackWorld
    server: Server
    channels: list[str]
    people: list[str]

    finds_messages = True
    posting = ("chat.postMessage",)

    def asking(self, chance: random.Random, text: str, times: int = 1) -> Callable[[], Asked]:
        person, channel = chance.choice(self.people), chance.choice(self.channels)
        return lambda: say(self.world, person, channel, text, times=times)

    def explaining(self, chance: random.Random, asked: Asked, message_id: str) -> WindowReader:
        return WindowReader(self.world, asked, message_id, chance.choice(self.people))

    def find_orphans(self) -> list[Reply]:
        """Return the windows that were never filled."""
        views = list(self.world.workspace.views.values())
        return [Reply(view.id, "orphan", 0.0, 0.0) for view in views if view.open and "submit" not in view.view]

    def replies(self, asked: Asked) -> list[Reply]:
        messages = self.world.answers(asked.place.channel, asked.place.thread)
        return [reply(message) for message in messages if message.ts > asked.message_id]


@dataclass(frozen=True, slots=True)
class WindowReader:
    """A person who reads an explanation in a window."""

    world: SlackWorld
    asked: Asked
    message_id: str
    person: str

    def click(self) -> Delivery:
        return self.world.click(self.person, self.asked.place.channel, self.message_id, "explain")

    def sees(self) -> bool:
        return self._window() is not None or self._message() is not None

    def notices(self) -> list[str]:
        """Return the notices in windows, or in messages if no window could be opened."""
        windows = [each.view for each in list(self.world.workspace.views.values()) if each.user == self.person]
        told = [str(view["blocks"]) for view in windows if "submit" not in view and view["blocks"] not in _WAITING]
        return told + [each.text for each in self.world.ephemerals(self.person) if not _offers_share(each)]

    def share(self) -> Delivery | None:
        """Share the explanation; None if this person has shared it already, by another click."""
        if window := self._window():
            return self.world.submit(window, {})
        message = self._message()
        return self.world.click(self.person, message.channel, message.ts, "share") if message else None

    def _window(self) -> View | None:
        mine = [view for view in list(self.world.workspace.views.values()) if view.user == self.person and view.open]
        of_answer = (view for view in mine if view.view.get("private_metadata", "").endswith(self.asked.turn_id))
        return next(of_answer, None)

    def _message(self) -> Message | None:
        """Return the message that replaces a window which could not be opened."""
        mine = self.world.ephemerals(self.person)
        return next((each for each in mine if f"'{self.asked.turn_id}'" in str(each.blocks)), None)


def _offers_share(message: Message) -> bool:
    return any(one.get("action_id") == "share" for block in message.blocks for one in block.get("elements", []))


@contextmanager
def open_slack(latency: float = 0.0) -> Iterator[PlatformServer]:
    """Start the workspace. ``latency``: seconds of each call to Slack."""
    with SlackWorld() as world:
        people = [world.add_user(f"person{number}") for number in range(PEOPLE)]
        channels = [world.add_channel(f"channel{number}", members=people) for number in range(CHANNELS)]
        world.latency = latency
        world.patience = 30.0  # the time is measured even if it is longer than Slack waits
        environment = {
            "WIKIWHY_SLACK_API_URL": world.api_url,
            "WIKIWHY_SLACK_BOT_TOKEN": world.bot_token,
            "WIKIWHY_SLACK_SIGNING_SECRET": world.signing_secret,
        }

        def chat(server: Server) -> Workplace:
            return Workplace(world, server, channels, people)

        yield PlatformServer("Slack", world, "/slack/events", environment, chat)


@contextmanager
def workplace(name: str, settings: Mapping[str, str] | None = None, latency: float = 0.0) -> Iterator[Workplace]:
    """Yield a bot that is ready. ``name``: of its data directory; ``latency``: seconds of each call to Slack."""
    with open_slack(latency) as slack:
        environment = {**slack.environment, **(settings or {})}
        with serving(FOLDER / name, environment, slack.deliver_to) as server:
            yield cast(Workplace, slack.chat(server))
