"""Chat platforms: what people do there, and how the bot posts and reads messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from core.languages import Language
from core.views.model import PrivateView, View, Waiting

Platform = Literal["slack", "teams"]
Audience = Literal["own", "mixed", "unknown"]
"""Who can read a place. own: people of our own organisation only. mixed: people of other organisations too, or they may
join. unknown: the platform does not tell."""


@dataclass(frozen=True, slots=True)
class Place:
    """A thread. ``team``: Slack's workspace, Teams' tenant. ``thread``: the id of its first message.

    ``direct``: between one person and the bot. ``shared``: with people of other organisations, by what came from there
    (a message, a click). False says nothing: :meth:`ChatPlatform.audience` knows who can read there now.
    """

    platform: Platform
    team: str
    channel: str
    thread: str
    direct: bool = False
    shared: bool = False

    @property
    def conversation_id(self) -> str:
        """Of its turns."""
        return f"{self.platform}:{self.team}:{self.channel}:{self.thread}"

    @property
    def room(self) -> str:
        """The channel without its thread, which ids of conversations in channels of Teams have after a ``;``."""
        return self.channel.partition(";")[0]


@dataclass(frozen=True, slots=True)
class Member:
    """A chat user as the platform describes them. ``email``: one that it vouches for, else None (see ``Person``).

    ``guest``: sees some channels only, or belongs to another organisation. ``foreign``: is known to belong to another.
    ``language``: of their client, where the platform says it here.
    """

    user: str
    name: str
    email: str | None = None
    guest: bool = False
    foreign: bool = False
    language: Language = "en"


@dataclass(frozen=True, slots=True)
class ThreadMessage:
    """What a person wrote in a thread. Ids rise with time within one platform. ``text``: without the bot's mention."""

    message_id: str
    user: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message that a person wrote. ``text``: as people read it, without the bot's mention, others by their names.

    ``mentioned``: whether it mentions the bot. ``to_others``: whether it mentions somebody else. ``reply``: whether it
    is in a thread that began before it.
    """

    place: Place
    message_id: str
    user: str
    text: str
    mentioned: bool = False
    to_others: bool = False
    reply: bool = False


@dataclass(frozen=True, slots=True)
class Click:
    """A person used a button or a form under one of our messages. A repeated delivery has the same ``action_id``.

    ``language``: of the message that the button belongs to, or of the person's client, where the platform says it here.
    """

    place: Place
    message_id: str
    user: str
    action_id: str
    turn_id: str
    language: Language | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A command such as ``/wiki sync ENG``: its words after the name. A repeated delivery has the same ``run_id``.

    ``private``: whether only the person sees the answer; otherwise everybody at the place does.
    """

    place: Place
    user: str
    words: tuple[str, ...]
    run_id: str
    private: bool = False


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a chat platform can do.

    ``finds_messages``: whether a message can be found by its key (:meth:`ChatPlatform.find_message`).
    ``delivers_all_messages``: whether bots receive messages in channels that do not mention them.
    ``unique_channels``: whether a channel's id is unique among all teams, so that a workflow's key needs no team.
    ``has_commands``: whether there are commands that no message shows.
    ``sign_seconds``: how long a work sign that begins no stream stays, 0 for as long as the work takes.
    """

    finds_messages: bool
    delivers_all_messages: bool
    unique_channels: bool
    has_commands: bool = False
    sign_seconds: float = 0.0


class ChatPlatform(Protocol):
    """Posts messages and reads threads. Waits and tries again where it is told to slow down.

    Every method raises :class:`core.errors.ChatUnavailable` where the platform does not answer after retries, and
    :class:`core.errors.ChatRefused` where it never will: the channel is gone, the bot was removed, the token is wrong.
    What is too long is split or shortened; nothing is refused for its content.
    """

    @property
    def capabilities(self) -> Capabilities: ...

    async def show_work(self, place: Place, waiting: Waiting, key: str) -> str:
        """Shows, by the platform's own sign, that there is work under way whose message will be posted with this key.

        Best effort, it never raises. Returns the stream that the message will end, "" where it begins none. The stream
        also outlives the process.
        """
        ...

    async def post(self, place: Place, view: View, key: str, stream: str = "") -> str:
        """Posts into the thread and returns the message's id. ``key`` marks the message, for :meth:`find_message`.

        ``stream``: which :meth:`show_work` began; the message ends it. One that has ended with this message already is
        left as it is, as far as the platform tells.
        """
        ...

    async def open_window(self, place: Place, waiting: Waiting, key: str, trigger: str) -> str:
        """Opens a window for the person whose click gave the trigger, unless it was opened with this key already.

        Returns its id, "" where the platform has no windows, or the trigger has expired.
        """
        ...

    async def fill_window(self, place: Place, window: str, view: PrivateView, spoken: Language) -> bool:
        """Shows a view about a message of this place in a window; returns False where the person has closed it."""
        ...

    async def post_private(self, place: Place, user: str, view: PrivateView) -> str:
        """Posts into the thread what only this person sees, and returns the message's id. It cannot be found again."""
        ...

    async def update(self, place: Place, message_id: str, view: View) -> None:
        """Shows something else in place of a message of ours; people see that it was edited."""
        ...

    async def replace(self, place: Place, message_id: str, view: View, key: str) -> str:
        """Shows the answer to an edited question in place of the one before; returns the id of its message.

        It is another message where an updated one would lose what marks it as an answer.
        """
        ...

    async def remove(self, place: Place, message_id: str) -> None:
        """Deletes a message of ours; does nothing where it is gone."""
        ...

    async def find_message(self, place: Place, key: str) -> str | None:
        """The message that was posted with this key, None if the thread has none, or the platform cannot tell."""
        ...

    async def link(self, place: Place, message_id: str) -> str:
        """An address that leads to a message, "" if there is none."""
        ...

    async def messages(self, place: Place, before: str) -> list[ThreadMessage]:
        """What people wrote in the thread before a message, oldest first, at most 1,000 of the newest and the first."""
        ...

    async def resolve_mentions(self, place: Place, text: str) -> str:
        """A message's text with the names of the people whom it mentions, where the platform writes ids for them.

        Best effort: of whom it does not tell now, the id stays.
        """
        ...

    async def member(self, place: Place, user: str) -> Member:
        """Who that is. Whoever the platform does not tell about is a guest without an address."""
        ...

    async def audience(self, place: Place) -> Audience:
        """Who can read a channel or a group chat now; what the platform told is relied on for seconds.

        Never raises ChatRefused: where the platform will not tell, the audience is unknown.
        """
        ...
