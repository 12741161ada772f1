"""State of a workspace: people, channels, messages, modals."""

from __future__ import annotations

import itertools
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

from tests.servers.chat_server import Json

TEAM = "T000000001"
APP = "A0WIKIWHY01"
BOT_USER, BOT = "U0WIKIWHY1", "B0WIKIWHY1"
TOKEN = "verification-token"
TRIGGER_LIFE = 3.0
"""Seconds: https://docs.slack.dev/interactivity/handling-user-interaction"""


STREAM_LIFE = 306.0
"""Seconds from the start of a stream, as people measured them; not documented."""


class RequestError(Exception):
    """A response with ``ok`` false. ``why``: what is wrong with the arguments."""

    def __init__(self, error: str, why: str = "") -> None:
        super().__init__(error)
        self.error, self.why = error, why


@dataclass
class User:
    """``stranger``: of another organisation, seen in shared channels; ``restricted``: a guest."""

    id: str
    name: str
    real_name: str
    email: str | None = None
    team: str = TEAM
    restricted: bool = False
    ultra_restricted: bool = False
    stranger: bool = False
    bot: bool = False
    locale: str = "en-GB"


@dataclass(frozen=True)
class Update:
    """A change of a message. ``at``: monotonic seconds."""

    at: float
    text: str
    blocks: list[Json]


@dataclass
class Message:
    """A message as people see it now. ``at``: monotonic seconds of its first appearance.

    ``previews``: blocks that the bot shows below its links, by address.
    ``updates``: all changes. ``streaming``: whether it is an open stream. ``stopped_by``: the user who stopped it.
    ``markdown``: the text of a stream.
    """

    channel: str
    ts: str
    user: str
    text: str
    blocks: list[Json] = field(default_factory=list)
    thread_ts: str | None = None
    bot_id: str | None = None
    at: float = field(default_factory=time.monotonic)
    updates: list[Update] = field(default_factory=list)
    deleted: bool = False
    ephemeral_to: str | None = None
    streaming: bool = False
    stopped_by: str = ""
    markdown: str = ""
    files: list[Json] = field(default_factory=list)
    previews: dict[str, list[Json]] = field(default_factory=dict)
    edited_at: str | None = None

    @property
    def root(self) -> str:
        """The ``ts`` of its thread's first message."""
        return self.thread_ts or self.ts

    def change(self, text: str, blocks: list[Json]) -> None:
        self.text, self.blocks, self.markdown = text, blocks, ""
        self.updates.append(Update(time.monotonic(), text, blocks))


@dataclass
class Channel:
    """``im_with``: the user of a direct-message channel. ``messages`` by ``ts``, in order, threads' included."""

    id: str
    name: str
    members: set[str]
    private: bool = False
    ext_shared: bool = False
    im_with: str | None = None
    statuses: dict[str, str] = field(default_factory=dict)
    """The bot's status per thread, until it posts there."""
    messages: dict[str, Message] = field(default_factory=dict)
    threads: dict[str, list[Message]] = field(default_factory=dict)
    ephemerals: list[Message] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The channel type in events."""
        return "im" if self.im_with else "group" if self.private else "channel"

    def add(self, message: Message) -> None:
        self.messages[message.ts] = message
        self.threads.setdefault(message.root, []).append(message)


@dataclass
class View:
    """An opened modal."""

    id: str
    user: str
    view: Json
    open: bool = True


class Workspace:
    """State of the workspace. Only the server's thread changes it; other threads may read it."""

    def __init__(self) -> None:
        self.users: dict[str, User] = {}
        self.channels: dict[str, Channel] = {}
        self.views: dict[str, View] = {}
        self.homes: dict[str, View] = {}
        self.stream_life = STREAM_LIFE
        self._triggers: dict[str, tuple[float, str]] = {}
        self._numbers = itertools.count(1)
        self._last = (0, 0)

    def new_id(self, prefix: str) -> str:
        return f"{prefix}{next(self._numbers):010d}"

    def new_ts(self) -> str:
        """Return a ts later than all previous ones."""
        second = max(int(time.time()), self._last[0])
        self._last = (second, self._last[1] + 1 if second == self._last[0] else 1)
        return f"{self._last[0]}.{self._last[1]:06d}"

    def new_trigger(self, user: str) -> str:
        trigger = f"{time.time_ns()}.{TEAM}.{secrets.token_hex(16)}"
        self._triggers[trigger] = (time.monotonic(), user)
        return trigger

    def use_trigger(self, given: object) -> str:
        """Return the user who clicked. A trigger can be used once, within seconds."""
        if not isinstance(given, str) or given not in self._triggers:
            raise RequestError("invalid_trigger_id")
        made, user = self._triggers.pop(given)
        if time.monotonic() - made > TRIGGER_LIFE:
            raise RequestError("expired_trigger_id")
        return user

    def user(self, given: Any) -> User:
        if not isinstance(given, str) or given not in self.users:
            raise RequestError("user_not_found")
        return self.users[given]

    def channel(self, given: Any) -> Channel:
        """Return a channel by its id, or a user's direct messages by the user's id."""
        if isinstance(given, str) and given in self.users:
            return self.direct(given)
        if not isinstance(given, str) or given not in self.channels:
            raise RequestError("channel_not_found")
        return self.channels[given]

    def direct(self, user: str) -> Channel:
        for channel in self.channels.values():
            if channel.im_with == user:
                return channel
        made = Channel(self.new_id("D"), "", {user, BOT_USER}, im_with=user)
        self.channels[made.id] = made
        return made

    def message(self, channel: Channel, ts: Any) -> Message:
        found = channel.messages.get(str(ts))
        if found is None or found.deleted:
            raise RequestError("message_not_found")
        return found
