"""A tenant in this process, and a bot with an app id, so that every request must be authenticated."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

from benchmarks.chat.bots import PlatformServer
from benchmarks.chat.served import Server, serving
from benchmarks.chat.talk import Asked, Reply
from benchmarks.child import WORK
from benchmarks.teams.seen import reply
from core.ports.chat import Place
from tests.servers.teams import Delivery, Message, TeamsWorld

FOLDER = WORK / "teams"
CHANNELS = 20
PEOPLE = 40  # so many that no limit per person is reached
_OLDER = 0.3  # share of clicks by clients whose clicks Teams delivers as messages
_AGAIN = 0.5  # share of clicks that are delivered more than once


@dataclass(frozen=True, slots=True)
class Tenant:
    """The tenant with the bot. All people are members of all channels and groups.

    Each question has its own thread or chat, since within one chat an answer could not be matched with its
    question.
    """

    world: TeamsWorld
    server: Server
    channels: list[str]
    people: list[str]
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    finds_messages = False
    posting = ("post",)

    def asking(self, chance: random.Random, text: str, times: int = 1) -> Callable[[], Asked]:
        person, kind = chance.choice(self.people), chance.choice(("personal", "group", "channel"))
        channel = chance.choice(self.channels)

        def said() -> Asked:
            if kind == "personal":
                someone = self.world.add_user(f"Person of their own {next(self._numbers)}")
                return self.say(someone, someone, text, times)
            where = channel
            if kind == "group":
                where = self.world.add_group(f"Group {next(self._numbers)}", members=self.people)
            return self.say(person, where, text, times)

        return said

    def say(self, person: str, where: str, text: str, times: int = 1) -> Asked:
        """Send a message. ``where``: a channel, a group, or the person's id for their chat with the bot."""
        at = time.monotonic()
        message_id = self.world.say(person, where, text, deliveries=times)
        there = self.world.conversation(where)
        thread = message_id if there.kind == "channel" else ""
        place = Place("teams", self.world.tenant, there.full_id(thread), thread, there.kind == "personal")
        return Asked(place, message_id, at)

    def explaining(self, chance: random.Random, asked: Asked, message_id: str) -> MessageReader:
        older, times = chance.random() < _OLDER, chance.randint(2, 3) if chance.random() < _AGAIN else 1
        return MessageReader(self, asked, message_id, self.someone(chance, asked), older, times)

    def find_orphans(self) -> list[Reply]:
        """Return none, since a message for one person is always complete."""
        return []

    def click(
        self, person: str, asked: Asked, message_id: str, wanted: str, older: bool = False, times: int = 1
    ) -> Delivery:
        """Click a button by its verb. ``older``: as a message, whose copies share an id; else each copy has a new id.

        The button is that of the answer as everybody sees it, even if this person sees another message in its place.
        """
        there = asked.place.room
        self.world.message(there, message_id).seen_by.pop(person, None)
        return self.world.click(person, there, message_id, wanted, fallback=older, deliveries=times)

    def judge(self, person: str, asked: Asked, message_id: str) -> Delivery:
        """Click Teams' own feedback button."""
        return self.world.feedback(person, asked.place.room, message_id, positive=True)

    def someone(self, chance: random.Random, asked: Asked) -> str:
        """Return one of the people who see the answer."""
        return chance.choice(sorted(self.world.conversation(asked.place.room).members))

    def replies(self, asked: Asked) -> list[Reply]:
        messages = self.world.answers(asked.place.room, asked.place.thread)
        return [reply(message) for message in messages if message.id > asked.message_id]


@dataclass(frozen=True, slots=True)
class MessageReader:
    """A person who reads an explanation in a targeted message, or in a chat with the bot as a normal message."""

    tenant: Tenant
    asked: Asked
    message_id: str
    person: str
    older: bool
    times: int

    def click(self) -> Delivery:
        return self.tenant.click(self.person, self.asked, self.message_id, "explain", self.older, self.times)

    def sees(self) -> bool:
        if self.asked.place.direct:
            return any(each.kind == "explanation" for each in self.tenant.replies(self.asked))
        return self._message() is not None

    def notices(self) -> list[str]:
        if self.asked.place.direct:
            seen = self.tenant.replies(self.asked)
        else:
            seen = [reply(message) for message in self.tenant.world.targeted(self.person)]
        return [each.text for each in seen if each.kind == "other"]

    def share(self) -> Delivery | None:
        if self.asked.place.direct:
            return None
        message = self._message()
        assert message
        there = self.asked.place.room
        return self.tenant.world.click(self.person, there, message.id, "share", fallback=self.older)

    def _message(self) -> Message | None:
        mine = self.tenant.world.targeted(self.person)
        return next((each for each in reversed(mine) if f"'{self.asked.turn_id}'" in str(each.cards)), None)


@contextmanager
def open_teams() -> Iterator[PlatformServer]:
    """Start the tenant."""
    with TeamsWorld() as world:
        people = [world.add_user(f"Person {number}") for number in range(PEOPLE)]
        channels = [world.add_channel(f"Channel {number}", members=people) for number in range(CHANNELS)]
        world.at_once = True
        world.patience = 60.0  # the time is measured even if it is longer than Teams waits
        environment = {
            **world.environment,
            "WIKIWHY_TEAMS_APP_ID": world.app_id,
            "WIKIWHY_TEAMS_APP_PASSWORD": world.secret,
            "WIKIWHY_TEAMS_TENANT_ID": world.tenant,
            "WIKIWHY_TEAMS_LOGIN_URL": world.login_url,
            "WIKIWHY_TEAMS_METADATA_URL": world.metadata_url,
        }

        def chat(server: Server) -> Tenant:
            return Tenant(world, server, channels, people)

        yield PlatformServer("Teams", world, "/api/messages", environment, chat)


@contextmanager
def tenant(name: str, settings: Mapping[str, str] | None = None) -> Iterator[Tenant]:
    """Start a bot, and yield it when it is ready. ``name``: of its data directory."""
    with open_teams() as teams:
        environment = {**teams.environment, **(settings or {})}
        with serving(FOLDER / name, environment, teams.deliver_to) as server:
            yield cast(Tenant, teams.chat(server))
