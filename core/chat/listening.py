"""Whether a message is meant for the bot: when to answer, when to listen, and when to stay out of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from core.chat.incoming import Incoming
from core.ports import ThreadMessage
from core.text import words

Decision = Literal["ask", "help", "listen", "ignore"]
"""ask: it is a question to the bot. help: it calls the bot and asks nothing. listen: people talk in a thread that the
bot takes part in: it stays silent, and knows what was said. ignore: not the bot's business."""

FollowUps = Literal["thread", "mention"]
"""thread: in a thread that the bot has answered in, questions need no mention. mention: they always do."""

_INTERROGATIVES = frozenset(
    """who whom whose what when where why which how is are was were do does did can could should would will may must has
    have wer wen wem wessen was wann wo woher wohin warum wieso weshalb welche welcher welches welchen wie ist sind war
    waren kann können könnte darf dürfen soll sollen muss müssen gibt gilt gelten hat haben wird werden bekomme bekommen
    tell explain show list describe erkläre zeig zeige nenne beschreibe sag""".split()  # noqa: SIM905
)
_CONTINUES = re.compile(r"(?i)^\W*(and|und|or|oder|what about|how about|was ist mit|wie (steht|sieht) es)\b")
_ACKNOWLEDGES = frozenset(
    """thanks thank thx ty cheers ok okay cool great perfect nice good super awesome got it you yes no yep nope right
    exactly agreed understood danke dank vielen besten merci super toll prima passt alles klar gut perfekt ja nein genau
    stimmt verstanden sehr so much very lot a for that das dir euch helps helped noted""".split()  # noqa: SIM905
)


def decision(message: Incoming, known: bool, follow_ups: FollowUps, since: Sequence[ThreadMessage] = ()) -> Decision:
    """What to do with a message.

    ``known``: whether the bot has answered in this thread. ``since``: what people wrote there after its last answer and
    before this message, which shows whom this message speaks to.
    """
    if message.mentioned or message.place.direct:
        return "ask" if is_something(message.text) else "help"
    if not (known and message.reply):
        return "ignore"
    if follow_ups == "mention" or message.to_others or _others_talk(message, since) or not asks(message.text):
        return "listen"
    return "ask"


def is_something(text: str) -> bool:
    """Whether there is anything to ask in a text."""
    return any(character.isalnum() for character in text)


def asks(text: str) -> bool:
    """Whether a text that calls nobody reads like a question, or like the continuation of one."""
    if acknowledges(text):
        return False
    said = words(text)
    return bool(said) and ("?" in text or said[0] in _INTERROGATIVES or bool(_CONTINUES.search(text)))


def acknowledges(text: str) -> bool:
    """Whether a text only takes note: thanks, agreement."""
    return all(word in _ACKNOWLEDGES for word in words(text)) and "?" not in text


def _others_talk(message: Incoming, since: Sequence[ThreadMessage]) -> bool:
    """Whether somebody else has spoken since the bot did, so that this is said to them rather than to the bot."""
    return any(said.user != message.user and not acknowledges(said.text) for said in since)
