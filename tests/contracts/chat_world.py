"""A chat platform as a test holds it in its hands, whichever it is: what people do there, and what they see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from core.ports.chat import Place

Operation = Literal["post", "show", "update", "remove", "people", "audience", "thread"]
"""What the bot asks of the platform: to post a message, to show that it works, to change or delete one, to tell of a
person or who can read a place, to read a thread."""

Trouble = Literal["slow down", "broken", "gone", "cut", "unknown", "forbidden"]
"""slow down: try again in a moment. broken: an error of its own. gone: the channel is no more, for us. cut: it is done,
but the answer never arrives. unknown: there is no such person or message. forbidden: the bot may not."""


@dataclass(frozen=True)
class Shown:
    """A message, or a window over the conversation, as people see it.

    ``text``: with links by their labels and without buttons. ``links``: label and address. ``pings``: whom it calls.
    """

    message_id: str
    user: str
    text: str
    links: tuple[tuple[str, str], ...] = ()
    buttons: tuple[str, ...] = ()
    pings: tuple[str, ...] = ()

    def says(self, *parts: str) -> bool:
        """Whether its text holds all of these, whatever the white space."""
        text = " ".join(self.text.split())
        return all(part in text for part in parts)


class ChatWorld(Protocol):
    """One workspace with the bot in it. Its methods do not wait for the bot."""

    bot: str
    """Our own user id."""

    people_call: str
    audience_call: str
    """What logs call the requests for a person, and for who can read a place."""

    @property
    def updates(self) -> int:
        """How often messages of ours were changed."""
        ...

    def person(
        self,
        name: str,
        *,
        email: str = "",
        guest: bool = False,
        elsewhere: bool = False,
        robot: bool = False,
        locale: str = "en-GB",
    ) -> str:
        """A new user. ``guest``: sees some channels only; ``elsewhere``: of another organisation. ``locale``: of their
        client.
        """
        ...

    def channel(self, name: str, *members: str, shared: bool = False, with_bot: bool = True) -> str:
        """A new one. ``shared``: with another organisation."""
        ...

    def share(self, channel: str, shared: bool = True) -> None:
        """People of another organisation join, or leave; the platform tells the bot of it."""
        ...

    def direct(self, user: str) -> str:
        """The channel of a person and the bot."""
        ...

    def place(self, channel: str, thread: str) -> Place: ...

    def say(
        self,
        user: str,
        channel: str,
        text: str,
        thread: str = "",
        *,
        calling: bool = False,
        to: str = "",
        files: bool = False,
        times: int = 1,
    ) -> str:
        """Writes a message and returns its id. ``calling``: with the bot's mention before it, ``to``: with another's.

        ``times``: how often the platform tells the bot of it.
        """  # fmt: skip
        ...

    def fill(self, user: str, channel: str, thread: str, texts: list[str]) -> None:
        """Puts many messages into a thread, of which the bot is not told."""
        ...

    def edit(self, channel: str, message_id: str, text: str) -> None: ...

    def delete(self, channel: str, message_id: str) -> None: ...

    def click(self, user: str, channel: str, message_id: str, label: str) -> None:
        """A button by what stands on it. Raises KeyError where there is none."""
        ...

    def forge(self, user: str, channel: str, message_id: str, label: str, turn_id: str) -> None:
        """The same, with a turn's id put in place of the button's own."""
        ...

    def stop(self, user: str, channel: str, thread: str) -> None:
        """The platform's own button to stop the bot, where it shows one to this person."""
        ...

    def command(self, user: str, channel: str, words: str) -> None:
        """A command to the bot, as ``sync ENG``."""
        ...

    def submit(self, user: str, text: str) -> None:
        """Fills in the form that is open to a person, and sends it."""
        ...

    def thread(self, channel: str, thread: str) -> list[Shown]:
        """What everybody sees, the first message first."""
        ...

    def in_channel(self, channel: str) -> list[Shown]:
        """Our messages outside of people's threads."""
        ...

    def reports(self, channel: str) -> list[Shown]:
        """What the bot tells of syncs that were asked for there."""
        ...

    def alone(self, user: str) -> list[Shown]:
        """What the bot showed to this person only, in order."""
        ...

    def window(self, user: str) -> Shown | None:
        """The form or window that is open to a person; a field shows what is in it."""
        ...

    def private(self, user: str) -> Shown | None:
        """What the bot shows only to this person in the conversation, or in a window over it, as it is now."""
        ...

    def press(self, user: str, label: str) -> None:
        """A button of that. Raises KeyError where there is none."""
        ...

    def trouble(self, operation: Operation, trouble: Trouble, times: int = 1) -> None:
        """The platform answers this for the next calls."""
        ...

    def refuse_posts(self, channel: str, *, alone: bool = False) -> None:
        """From now on the bot may not post in a channel or change messages there, until :meth:`up`.

        ``alone``: nor show anything to one person there.
        """
        ...

    def down(self) -> None:
        """The platform answers nothing but errors, until :meth:`up`."""
        ...

    def up(self) -> None: ...

    def told(self) -> bool:
        """Whether the bot has accepted all that it was told."""
        ...
