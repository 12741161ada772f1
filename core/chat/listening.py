"""Whether a message is meant for the bot: when to answer, when to listen, and when to stay out of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from core.chat.incoming import Incoming
from core.chat.questions import acknowledges, asks
from core.ports import ThreadMessage

Decision = Literal["ask", "help", "listen", "ignore"]
"""ask: it is a question to the bot. help: it calls the bot and asks nothing. listen: people talk in a thread that the
bot takes part in: it stays silent, and knows what was said. ignore: not the bot's business."""

FollowUps = Literal["thread", "mention"]
"""thread: in a thread that the bot has answered in, questions need no mention. mention: they always do."""


def decision(message: Incoming, known: bool, follow_ups: FollowUps, since: Sequence[ThreadMessage] = ()) -> Decision:
    """What to do with a message.

    ``known``: whether the bot has answered in this thread. ``since``: what people wrote there after its last answer and
    before this message, which shows whom this message speaks to.
    """
    if message.mentioned or message.place.direct:
        if is_something(message.text) and acknowledges(message.text):  # thanks need no answer from a wiki
            return "listen" if known else "help"
        return "ask" if is_something(message.text) else "help"
    if not (known and message.reply):
        return "ignore"
    if follow_ups == "mention" or message.to_others or _others_talk(message, since) or not asks(message.text):
        return "listen"
    return "ask"


def is_something(text: str) -> bool:
    """Whether there is anything to ask in a text."""
    return any(character.isalnum() for character in text)


def _others_talk(message: Incoming, since: Sequence[ThreadMessage]) -> bool:
    """Whether somebody else has spoken since the bot did, so that this is said to them rather than to the bot."""
    return any(said.user != message.user and not acknowledges(said.text) for said in since)
