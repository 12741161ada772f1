"""Conversations as transcripts: who says what, what WikiWhy says, who clicks where.

thread = chat.asks("Ada", "What is the hotel limit in the Netherlands?")
thread.bot_says("€165")
thread.says("Ben", "And in Germany?")
thread.bot_says("Understood as:", "€150")
thread.clicks("Ben", "Explain")
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from core.model import Turn
from tests.contracts.chat_world import ChatWorld, Shown
from tests.servers.running_bot import RunningBot

T = TypeVar("T")

PATIENCE = 30.0  # seconds, which only a test that fails needs


class Chat:
    """The people of one conversation: Ada, Ben and whoever else is named, with a channel where Ada and Ben are.

    ``admin``: the user id that the bot's settings name.
    """

    def __init__(self, world: ChatWorld, bot: RunningBot, admin: str) -> None:
        self.world, self.bot, self.admin = world, bot, admin
        self._people: dict[str, str] = {}
        self.channel = world.channel("eng", self.user("Ada"), self.user("Ben"))

    def user(self, name: str, **about: object) -> str:
        """The id of this person, who is made when first named."""
        if name not in self._people:
            self._people[name] = self.world.person(name.lower(), **about)  # type: ignore[arg-type]
        return self._people[name]

    def admits(self, name: str) -> None:
        """This person is the admin that the settings name."""
        self._people[name] = self.admin

    def asks(self, name: str, text: str, **how: object) -> Thread:
        """A question to the bot in the channel, in a thread of its own."""
        return self.begins(name, text, calling=True, **how)

    def begins(self, name: str, text: str, *, channel: str = "", **how: object) -> Thread:
        """A message to people in the channel, or in another one."""
        where = channel or self.channel
        root = self.world.say(self.user(name), where, text, **how)  # type: ignore[arg-type]
        return Thread(self, where, root)

    def writes(self, name: str, text: str) -> Thread:
        """A direct message to the bot."""
        return self.begins(name, text, channel=self.world.direct(self.user(name)))

    def commands(self, name: str, words: str, *parts: str) -> Shown:
        """A command, and what the bot answers only to this person."""
        before = len(self.world.alone(self.user(name)))
        self.world.command(self.user(name), self.channel, words)
        return self.told(name, *parts, after=before)

    def told(self, name: str, *parts: str, after: int = 0) -> Shown:
        """Waits for what the bot says only to this person."""
        user = self.user(name)

        def found() -> Shown | None:
            return next((shown for shown in self.world.alone(user)[after:] if shown.says(*parts)), None)

        return self.awaited(found, lambda: f"{name} alone was to read {parts}, and reads {self.world.alone(user)}")

    def sees_alone(self, name: str, *parts: str) -> Shown:
        """Waits until only this person is shown this, in the conversation or in a window."""
        user = self.user(name)

        def found() -> Shown | None:
            shown = self.world.private(user)
            return shown if shown and shown.says(*parts) else None

        return self.awaited(found, lambda: f"{name} alone was to see {parts}, and sees {self.world.private(user)}")

    def shares(self, name: str) -> None:
        """This person shares what only they see."""
        self.world.press(self.user(name), "Share")

    def sees_window(self, name: str, *parts: str) -> Shown:
        """Waits for a form or window."""
        user = self.user(name)

        def found() -> Shown | None:
            window = self.world.window(user)
            return window if window and window.says(*parts) else None

        return self.awaited(
            found, lambda: f"{name} was to see a window with {parts}, and sees {self.world.window(user)}"
        )

    def configures(self, spaces: list[str] | None = None, follow_ups: str = "thread", contact: str = "") -> None:
        """The admin's file says this of the channel, and who can help with the space PEO."""
        place = self.world.place(self.channel, "")
        lines = [f'[channels."{place.platform}:{place.team}:{self.channel}"]', f'follow_ups = "{follow_ups}"']
        lines += [f"spaces = {spaces}"] if spaces is not None else []
        lines += ["[spaces.PEO]", f'contact = "{contact}"'] if contact else []
        Path(self.bot.application.settings.channels).write_text("\n".join(lines), "utf-8")

    def turns(self, thread: Thread) -> list[Turn]:
        """The turns of a thread, as they are stored."""
        conversation = self.world.place(thread.channel, thread.root).conversation_id
        return self.bot.run(self.bot.application.turns.load_newest(conversation, 1_000))

    def settles(self) -> None:
        """Waits until the bot has nothing to do."""
        self.awaited(lambda: self.world.told() and self.bot.idle, lambda: "the bot was to come to an end")

    def awaited(self, condition: Callable[[], T | None], late: Callable[[], str], patience: float = PATIENCE) -> T:
        end = time.monotonic() + patience
        while not (found := condition()):
            if time.monotonic() > end:
                raise AssertionError(late())
            time.sleep(0.01)
        return found


class Thread:
    """One thread. The bot's messages are read one after the other."""

    def __init__(self, chat: Chat, channel: str, root: str) -> None:
        self.chat, self.world, self.channel, self.root = chat, chat.world, channel, root
        self._read: list[str] = []  # ids, as an answer is deleted with its question

    def says(self, name: str, text: str, **how: object) -> str:
        """A reply by a person; returns its id. ``how``: see :meth:`ChatWorld.say`."""
        return self.world.say(self.chat.user(name), self.channel, text, self.root, **how)  # type: ignore[arg-type]

    def calls(self, name: str, text: str, **how: object) -> str:
        """A reply that mentions the bot."""
        return self.says(name, text, calling=True, **how)

    @property
    def bots(self) -> list[Shown]:
        """The bot's messages, as they are now."""
        return [shown for shown in self.world.thread(self.channel, self.root) if shown.user == self.world.bot]

    @property
    def _unread(self) -> list[Shown]:
        return [shown for shown in self.bots if shown.message_id not in self._read]

    def bot_says(self, *parts: str, without: tuple[str, ...] = ()) -> Shown:
        """The bot's next message comes to say all of this."""

        def found() -> Shown | None:
            return next((shown for shown in self._unread[:1] if shown.says(*parts)), None)

        message = self.chat.awaited(found, lambda: f"WikiWhy was to say {parts}; the thread is:\n{self.written()}")
        self._read.append(message.message_id)
        for part in without:
            assert not message.says(part), self.written()
        return message

    def bot_is_silent(self) -> None:
        """The bot says no more than what was read, also when it has nothing to do any more."""
        self.chat.settles()
        assert not self._unread, f"WikiWhy was to be silent; the thread is:\n{self.written()}"

    def now(self, message: Shown) -> Shown:
        """A message as it is now."""
        return next(shown for shown in self.bots if shown.message_id == message.message_id)

    def clicks(self, name: str, label: str, message: Shown | None = None) -> None:
        """A person clicks a button of the bot's last message that was read, or of another one."""
        if message and message.message_id not in self._read:
            self._read.append(message.message_id)
        self.world.click(self.chat.user(name), self.channel, message.message_id if message else self._read[-1], label)

    def written(self) -> str:
        """The thread as a transcript."""
        names = {user: name for name, user in self.chat._people.items()} | {self.world.bot: "WikiWhy"}
        seen = self.world.thread(self.channel, self.root)
        return "\n".join(f"{names.get(shown.user, shown.user)}: {shown.text} {shown.buttons}" for shown in seen)
