"""What the methods work with."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from tests.servers.slack.delivery import Deliverer
from tests.servers.slack.emulator import Emulator
from tests.servers.slack.events import changed_event, envelope, message_event
from tests.servers.slack.state import Channel, Json, Message, Refusal, Workspace
from tests.servers.slack.triggers import ResponseUrls, Triggers

SCOPES = (
    "app_mentions:read", "channels:history", "channels:read", "chat:write", "commands", "groups:history", "groups:read",
    "im:history", "im:write", "mpim:history", "mpim:read", "users:read", "users:read.email",
)  # fmt: skip
"""What the bot's token was granted at first."""


class Context:
    """The workspace, the bot's address, the emulator if any, and the settings of a :class:`SlackWorld`."""

    def __init__(self, secret: str, bot_token: str, app_token: str) -> None:
        self.bot_token, self.app_token = bot_token, app_token
        self.workspace = Workspace()
        self.deliverer = Deliverer(secret)
        self.triggers = Triggers()
        self.response_urls = ResponseUrls()
        self.refusals: list[Refusal] = []
        self.emulator: Emulator | None = None
        self.url = ""
        self.streams = True
        self.stream_life = 300.0
        self.stream_most = 40_000
        self.echoes = False
        self.scopes: tuple[str, ...] = SCOPES

    async def new_message_ts(self, channel: Channel, text: str, thread: str | None) -> str:
        """The emulator's, which keeps the message too (with its first text: updates are too many to tell it).

        Direct messages it cannot hold.
        """
        if self.emulator is None or channel.im_with:
            return self.workspace.new_ts()
        arguments = {"text": text or " "} | ({"thread_ts": thread} if thread else {})
        return str((await self.mirror(channel, "chat.postMessage", **arguments))["ts"])

    async def mirror(self, channel: Channel, method: str, **arguments: Any) -> Json:
        """Has the emulator do it too."""
        if self.emulator is None or channel.im_with:
            return {}
        assert self.deliverer.session
        return await self.emulator.call(self.deliverer.session, method, {"channel": channel.id} | arguments)

    def age(self, message: Message) -> None:
        """A stream dies after a while, however lively."""
        stream = message.stream
        if stream and stream.state == "streaming" and time.monotonic() - stream.started > self.stream_life:
            stream.state = "dead"

    def echo(self, channel: Channel, message: Message) -> None:
        if self.echoes:
            event = message_event(self.workspace, channel, message, "message")
            self.deliverer.later(self.deliverer.event("message", envelope(event, channel)))

    def echo_change(self, channel: Channel, message: Message, before: Json) -> None:
        if self.echoes:
            event = changed_event(self.workspace, channel, message, before)
            self.deliverer.later(self.deliverer.event("message_changed", envelope(event, channel)))


Handler = Callable[[Context, Json], Awaitable[Json]]
"""A method: its arguments to its answer without ``ok``; raises :class:`Refused`."""
