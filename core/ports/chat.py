"""Chat platforms, and what they report and show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from core.languages import Language
from core.model import make_person_key
from core.model.views import AnswerView, PrivateView, View, Waiting

Platform = Literal["slack", "teams"]
Audience = Literal["own", "mixed", "unknown"]
"""Who can read a place. own: only people of the bot's organisation. mixed: also people of other organisations, or they
can join. unknown: the platform does not tell."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message is: the organisation, the channel or chat, and the thread."""

    platform: Platform
    team: str  # Slack workspace, Teams tenant
    channel: str
    thread: str  # id of its first message, "" for none
    direct: bool = False  # a chat of one person with the bot
    # The event that came from here said that other organisations take part. False says nothing: ask
    # :meth:`ChatPlatform.find_audience` who can read there now.
    shared: bool = False

    @property
    def conversation_id(self) -> str:
        """The id of the conversation that this thread is."""
        return f"{self.platform}:{self.team}:{self.channel}:{self.thread}"

    @property
    def room(self) -> str:
        """The channel id without a thread (Teams appends it to conversation ids in channels, after ``;``)."""
        return self.channel.partition(";")[0]

    def make_person_key(self, user: str) -> str:
        """Return :func:`core.model.make_person_key` of a person here, such as ``slack:T…:U…``; "" for nobody."""
        return make_person_key(self.platform, self.team, user) if user else ""


@dataclass(frozen=True, slots=True)
class Member:
    """A chat user as the platform describes them."""

    user: str
    name: str
    email: str | None = None  # verified by the platform, else None (see :class:`core.model.Person`)
    guest: bool = False  # can see only some channels, or belongs to another organisation
    foreign: bool = False  # is known to belong to another organisation
    language: Language = "en"  # of their client, if the platform tells


@dataclass(frozen=True, slots=True)
class ThreadMessage:
    """A message of a person in a thread."""

    message_id: str  # increases with time within one platform
    user: str
    name: str
    text: str  # without the mention of the bot


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """A message that a person has just written."""

    place: Place
    message_id: str
    user: str
    text: str  # as displayed: without the mention of the bot, other mentions as names
    mentioned: bool = False  # it mentions the bot
    to_others: bool = False  # it mentions somebody else
    reply: bool = False  # it is in a thread that began before it
    language: Language | None = None  # of the person's client, if the event tells


@dataclass(frozen=True, slots=True)
class Click:
    """A person used a button or form under a message: of an answer (``turn_id``), or about a page (``page_id``)."""

    place: Place
    message_id: str
    user: str
    action_id: str  # the same for repeated deliveries of one click
    turn_id: str = ""
    language: Language | None = None  # of the message with the button, or of the person's client, if known
    page_id: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command such as ``/wiki sync ENG``."""

    place: Place
    user: str
    words: tuple[str, ...]  # after the command's name
    run_id: str  # the same for repeated deliveries of one command
    private: bool = False  # only this person sees the reply
    language: Language | None = None  # of the person's client, if the event tells


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a chat platform can do."""

    finds_messages: bool  # a message can be found by its key (:meth:`ChatPlatform.find_message`)
    delivers_all_messages: bool  # bots also receive channel messages that do not mention them
    unique_channels: bool  # channel ids are unique across teams, so workflow keys need no team
    has_commands: bool = False  # there are commands that do not appear as messages
    sign_seconds: float = 0.0  # how long a work sign other than a stream lasts; 0 for as long as the work takes


class ChatPlatform(Protocol):
    """Posts messages and reads threads. Waits and retries when the platform limits the rate of requests.

    Every method raises :class:`core.errors.ChatUnavailable` if the platform does not answer after retries, and
    :class:`core.errors.ChatRefused` if a retry cannot help: the channel is gone, the bot was removed, the token is
    wrong. Content that is too long is split or shortened, never refused.
    """

    @property
    def capabilities(self) -> Capabilities: ...

    async def show_work(self, place: Place, waiting: Waiting, key: str) -> str:
        """Show the platform's work sign until the message with this key is posted. Best effort, never raises.

        Returns the id of the stream that the message will end, or "" if the sign is no stream. A stream outlives the
        process.
        """

    async def end_work(self, place: Place, key: str) -> None:
        """Hide the work sign, because the message with this key is not posted. Best effort, never raises.

        A stream stays: only its message ends it.
        """

    async def post(self, place: Place, view: View, key: str, stream: str = "") -> str:
        """Post into the thread, and return the id of the message.

        ``key`` marks the message for :meth:`find_message`. ``stream`` is the stream from :meth:`show_work`, which the
        message ends. A stream that has already ended with this message stays unchanged, if the platform can tell.
        """

    async def show_part(self, place: Place, user: str, view: AnswerView, stream: str) -> str:
        """Show the beginning of an answer to the question of a user, in the message that will show all of it.

        ``stream``: the stream from :meth:`show_work` or from the call before, "" to start one; :meth:`post` or
        :meth:`update` ends it. Returns the stream, or "" if this beginning is not shown. Raises ChatUnavailable if
        it is unknown whether a stream started.
        """

    async def find_streams(self, place: Place) -> list[str]:
        """Return the bot's messages in the thread that are streams, or were, and have no end, oldest first."""

    async def open_window(self, place: Place, waiting: Waiting, key: str, trigger: str) -> str:
        """Open a window for the person whose click has this trigger, unless one with this key is already open.

        Returns the window's id, or "" if the platform has no windows or the trigger has expired.
        """

    async def fill_window(self, place: Place, window: str, view: PrivateView, language: Language) -> None:
        """Show a view about a message of this place in a window, unless the person has closed the window."""

    async def post_private(self, place: Place, user: str, view: PrivateView) -> str:
        """Post into the thread for this person only, and return the message's id, by which it cannot be found later."""

    async def update(self, place: Place, message_id: str, view: View) -> None:
        """Replace the content of a message of the bot. The platform shows that it was edited.

        A stream of :meth:`show_part` is ended instead, and does not look edited if the view begins with what it shows.
        """

    async def replace(self, place: Place, message_id: str, view: View, key: str) -> str:
        """Show the answer to an edited question instead of the previous answer, and return the id of its message.

        Posts a new message if updating the old one would lose its mark as an answer.
        """

    async def remove(self, place: Place, message_id: str) -> None:
        """Delete a message of the bot, if it still exists."""

    async def find_message(self, place: Place, key: str) -> str | None:
        """Return the message with this key, or None if the thread has none or the platform cannot search."""

    async def find_link(self, place: Place, message_id: str) -> str:
        """Return a link to a message, or ""."""

    async def load_messages(self, place: Place, before: str) -> list[ThreadMessage]:
        """Return people's messages in the thread before ``before``, oldest first: the first and the newest 1,000."""

    async def resolve_mentions(self, place: Place, text: str) -> str:
        """Replace mentions by id in a message's text by names. Mentions of people whom the platform does not name are
        removed, because an id is no word of a question.
        """

    async def find_member(self, place: Place, user: str) -> Member:
        """Return the profile of a user. A user of whom the platform tells too little is a guest without an address.

        Raises ChatRefused, which is cached for seconds, if it tells nothing: they may be a guest or not.
        """

    async def find_audience(self, place: Place) -> Audience:
        """Return who can read a channel or group chat now. The result may be some seconds old.

        Does not raise ChatRefused: the audience is "unknown" if the platform does not tell.
        """
