"""What a workspace has: people, channels, messages, modals."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]

TEAM = "T000000001"  # the emulator's own
APP = "A0WIKIWHY01"
BOT_USER, BOT = "U0WIKIWHY1", "B0WIKIWHY1"


class Refused(Exception):
    """An answer with ``ok`` false. ``more``: what the answer has besides the error's name."""

    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(error)
        self.error, self.more = error, more


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
    deleted: bool = False
    tz: str = "Europe/Berlin"
    locale: str = "en-GB"


@dataclass(frozen=True)
class Update:
    """What a message was changed to. ``at``: monotonic seconds."""

    at: float
    text: str
    blocks: list[Json]


@dataclass
class Stream:
    """Of a message that is written piece by piece. ``started``: monotonic seconds."""

    started: float
    state: Literal["streaming", "stopped", "dead"] = "streaming"


@dataclass
class Message:
    """As people see it now, with how it came to be. Live: it goes on changing with the workspace.

    ``at``: monotonic seconds of its first appearance; ``updates``: every change after it, pieces of a stream too.
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
    stream: Stream | None = None
    files: list[Json] = field(default_factory=list)
    metadata: Json | None = None
    markdown: bool = False
    """Whether the text came as ``markdown_text``, so that Markdown's rules apply to it, not mrkdwn's."""
    mrkdwn: bool = True
    client_msg_id: str | None = None
    edited_at: str | None = None

    @property
    def edited(self) -> int:
        """How often it was changed."""
        return len(self.updates)

    @property
    def root(self) -> str:
        """The ``ts`` of its thread's first message."""
        return self.thread_ts or self.ts

    def change(self, text: str, blocks: list[Json]) -> None:
        self.text, self.blocks = text, blocks
        self.updates.append(Update(time.monotonic(), text, blocks))


@dataclass
class Channel:
    """``invited``: another organisation is, which has not accepted yet. ``im_with``: the user of a direct-message
    channel. ``messages`` by ``ts``, in order, threads' included.
    """

    id: str
    name: str
    members: set[str]
    private: bool = False
    ext_shared: bool = False
    invited: bool = False
    im_with: str | None = None
    messages: dict[str, Message] = field(default_factory=dict)
    threads: dict[str, list[Message]] = field(default_factory=dict)
    ephemerals: list[Message] = field(default_factory=list)
    archived: bool = False
    created: int = field(default_factory=lambda: int(time.time()))

    @property
    def kind(self) -> str:
        """As events name it."""
        return "im" if self.im_with else "group" if self.private else "channel"

    def add(self, message: Message) -> None:
        self.messages[message.ts] = message
        self.threads.setdefault(message.root, []).append(message)


@dataclass
class View:
    """An opened modal, or somebody's home tab. ``hash`` changes with every update."""

    id: str
    user: str
    view: Json
    root: str
    previous: str | None = None
    hash: str = ""
    open: bool = True
    updates: int = 0


@dataclass
class Refusal:
    """A call that Slack's limits forbade. ``why``: the answer's ``response_metadata.messages``."""

    method: str
    error: str
    why: list[str]
    arguments: Json


class Workspace:
    """Looks up, makes ids, keeps order. Touched by the server's thread; reading from elsewhere is fine."""

    def __init__(self) -> None:
        self.users: dict[str, User] = {}
        self.channels: dict[str, Channel] = {}
        self.views: dict[str, View] = {}
        self.homes: dict[str, View] = {}
        self.statuses: dict[tuple[str, str], str] = {}
        self.prompts: dict[tuple[str, str], list[Json]] = {}
        self.titles: dict[tuple[str, str], str] = {}
        self._numbers: Iterator[int] = itertools.count(1)
        self._last = (0, 0)

    def new_id(self, prefix: str) -> str:
        return f"{prefix}{next(self._numbers):010d}"

    def new_ts(self) -> str:
        """Later than every one before, and none that the emulator gives: it counts up from 1 in every second."""
        second = max(int(time.time()), self._last[0])
        self._last = (second, self._last[1] + 1 if second == self._last[0] else 500_000)
        return f"{self._last[0]}.{self._last[1]:06d}"

    def user(self, given: Any) -> User:
        if not isinstance(given, str) or given not in self.users:
            raise Refused("user_not_found")
        return self.users[given]

    def channel(self, given: Any) -> Channel:
        """By its id; by a user's, their direct messages, which is where Slack posts then."""
        if isinstance(given, str) and given in self.users:
            return self.direct(given)
        if not isinstance(given, str) or given not in self.channels:
            raise Refused("channel_not_found")
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
            raise Refused("message_not_found")
        return found
