"""What comes in from a chat, the same for every platform."""

from __future__ import annotations

from dataclasses import dataclass

from core.ports import Place


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message by a person. ``text``: as people read it, without the bot's own mention, others' by their names.

    ``mentioned``: whether it calls the bot. ``to_others``: whether it calls somebody else. ``reply``: whether it stands
    in a thread that began before it.
    """

    place: Place
    message_id: str
    user: str
    text: str
    mentioned: bool = False
    to_others: bool = False
    reply: bool = False
    has_files: bool = False


@dataclass(frozen=True, slots=True)
class Click:
    """A person used a button or a form under one of our messages. ``action_id`` is the same when it comes again."""

    place: Place
    message_id: str
    user: str
    action_id: str
    turn_id: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command such as ``/wiki sync ENG``: its words after the name. ``run_id`` is the same when it comes again.

    ``private``: whether its answer is for the person alone; otherwise everybody at the place reads it.
    """

    place: Place
    user: str
    words: tuple[str, ...]
    run_id: str
    private: bool = False
