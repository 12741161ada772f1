"""Teams' activities, parsed into what the chat service takes.

Activities: https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/conversation-messages. Nothing
here relies on a field being present, or being of its type.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from adapters.teams.cards import Way
from core.languages import Language
from core.ports.chat import Click, Command, Incoming, Place
from core.ports.chat_store import Reaction
from core.text import unescape_html

Json = Mapping[str, Any]

_WAYS: tuple[Way, ...] = ("post", "stream", "update")
_AT = re.compile(r"<at(?:\s[^<>]*+)?>((?:[^<]|<(?!/?at[\s>]))*+)</at>")
_MOST_MENTIONS = 20  # of us in one message
_KEY = re.compile(r"[A-Za-z0-9_~.-]{1,255}")


def place_of(activity: Json) -> Place:
    """The conversation of an activity. A chat has no threads: it is one itself."""
    conversation, data = _object(activity, "conversation"), _object(activity, "channelData")
    channel = _text(conversation, "id")
    return Place(
        platform="teams",
        team=tenant_of(activity),
        channel=channel,
        thread=channel.partition(";messageid=")[2],
        direct=_text(conversation, "conversationType") == "personal",
        shared=_text(_object(data, "channel"), "type").lower() == "shared",
    )


def tenant_of(activity: Json) -> str:
    """The organisation that a conversation belongs to, also where people of others take part; in a chat with one person
    theirs.
    """
    conversation = _object(activity, "conversation")
    there = _text(conversation, "tenantId")
    own = _text(_object(_object(activity, "channelData"), "tenant"), "id")
    return (own or there) if _text(conversation, "conversationType") == "personal" else (there or own)


def user_of(activity: Json) -> str:
    """The person's Entra object id; where Teams gives none, the id that they have for this bot."""
    sender = _object(activity, "from")
    return _text(sender, "aadObjectId") or _text(sender, "id")


def account_of(activity: Json) -> str:
    """The person's id for Teams' connector."""
    return _text(_object(activity, "from"), "id")


def is_by_a_person(activity: Json) -> bool:
    """Whether a person did it: no app, and not we ourselves."""
    sender = _object(activity, "from")
    account = _text(sender, "id")
    return bool(account) and account != bot_of(activity) and _text(sender, "role") != "bot" and account[:3] != "28:"


def bot_of(activity: Json) -> str:
    return _text(_object(activity, "recipient"), "id")


def message_id_of(activity: Json) -> str:
    """The id of a message. Teams' ids are milliseconds; any other becomes a number that rises with time as they do."""
    own = _text(activity, "id")
    if own.isdecimal():
        return own
    digits = int(hashlib.sha256(own.encode(errors="replace")).hexdigest()[:10], 16) % 10_000
    return f"{_milliseconds(_text(activity, 'timestamp')):.0f}.{digits:04}"


def time_of(activity: Json) -> str:
    """When an activity was sent, in milliseconds and their fractions."""
    return f"{_milliseconds(_text(activity, 'timestamp')):.3f}"


def parse_message(activity: Json) -> Incoming:
    """Parses a message by a person."""
    place = place_of(activity)
    ours, others = _mentions(activity)
    return Incoming(
        place=place,
        message_id=message_id_of(activity),
        user=user_of(activity),
        text=plain_text(activity),
        mentioned=bool(ours),
        to_others=bool(others),
        reply=message_id_of(activity) != place.thread,
    )


def plain_text(activity: Json) -> str:
    """A message as people read it: without mentions of us, of each only its own span; with others by their names."""
    text = _text(activity, "text").replace("\x00", "")
    for mention in _mentions(activity)[0][:_MOST_MENTIONS]:
        text = text.replace(mention, " ", 1) if mention else text
    text = _AT.sub(lambda found: f"@{found[1]}", text)
    return " ".join(unescape_html(text).split())


def _mentions(activity: Json) -> tuple[list[str], list[str]]:
    """The spans of mentions of us, and of others."""
    bot = bot_of(activity)
    ours: list[str] = []
    others: list[str] = []
    for entity in _objects(activity, "entities"):
        if _text(entity, "type") == "mention":
            mentioned = _text(_object(entity, "mentioned"), "id")
            (ours if bot and mentioned == bot else others).append(_text(entity, "text"))
    return ours, others


@dataclass(frozen=True, slots=True)
class Action:
    """The use of a button. ``index``: of a suggestion, else -1. ``text``: what was typed for it.

    ``way``: how the button's message came.
    """

    name: str
    click: Click
    text: str = ""
    index: int = -1
    language: str = ""
    way: Way = "post"


def parse_action(activity: Json) -> Action | None:
    """Parses a button by ``adaptiveCard/action``, or by a message with a value on clients that do not have that.

    A repeated delivery may have a new id: what has the same content has the same ``action_id``.
    """
    value = _object(activity, "value")
    data = _object(_object(value, "action"), "data") if "action" in value else value
    name, turn = _text(data, "wikiwhy"), _text(data, "turn")
    if not name or not turn:
        return None
    text = _text(data, {"correct": "question", "reason": "reason"}.get(name, "")).strip()
    index = data.get("index")
    place, user, message_id = place_of(activity), user_of(activity), _text(activity, "replyToId")
    content = json.dumps([name, turn, user, text, index, place.channel], default=str)
    action_id = hashlib.sha256(content.encode(errors="replace")).hexdigest()[:24]
    click = Click(place, message_id, user, action_id, turn)
    number = index if isinstance(index, int) and not isinstance(index, bool) else -1
    way: Way | None = next((way for way in _WAYS if way == data.get("way")), None)
    return Action(name, click, text, number, _text(data, "language"), way or "post")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What somebody thinks of a message of ours. ``message_id``: "" where Teams does not say which."""

    place: Place
    message_id: str
    user: str
    reaction: Reaction
    reason: str


def parse_judgement(activity: Json) -> Judgement | None:
    """Parses feedback by ``message/submitAction``. Its reason comes as JSON in a string, or plain."""
    value = _object(activity, "value")
    given = _object(value, "actionValue")
    if _text(value, "actionName") != "feedback" or given.get("reaction") not in ("like", "dislike"):
        return None
    reaction: Reaction = "good" if given["reaction"] == "like" else "bad"
    reason = _reason(given.get("feedback"))
    return Judgement(place_of(activity), _text(activity, "replyToId"), user_of(activity), reaction, reason)


def _reason(feedback: object) -> str:
    if isinstance(feedback, str):
        try:
            parsed = json.loads(feedback)
        except (ValueError, RecursionError):
            return feedback.strip()
        feedback = parsed if isinstance(parsed, dict) else feedback
    if isinstance(feedback, Mapping):
        return _text(feedback, "feedbackText").strip()
    return str(feedback or "").strip()


_WITHOUT_KEY, _WITH_KEY = frozenset({"help", "spaces"}), frozenset({"sync", "forget"})
_HELP = "hilfe"
"""The one command that somebody who knows none would give in German."""


def parse_command(message: Incoming) -> Command | None:
    """Parses a message that may be a command and nothing else.

    ``help``, ``spaces``, ``sync KEY``, ``forget KEY``, or ``forget KEY KEY``, which confirms it.
    """
    words = message.text.removeprefix("/").split()
    name = words[0].lower() if words else ""
    name = "help" if name == _HELP else name
    if not (message.mentioned or message.place.direct):
        return None
    if (
        (len(words) == 1 and name in _WITHOUT_KEY | _WITH_KEY)
        or (len(words) == 2 and name in _WITH_KEY and _KEY.fullmatch(words[1]))
        or (len(words) == 3 and name == "forget" and _KEY.fullmatch(words[1]) and words[1] == words[2])
    ):
        return Command(message.place, message.user, (name, *words[1:]), message.message_id)
    return None


def adds_us(activity: Json) -> bool:
    """Whether an activity says that we were added to a conversation."""
    if activity.get("type") == "installationUpdate":
        return _text(activity, "action") in {"add", "add-upgrade"}
    added = _objects(activity, "membersAdded")
    return bool(bot_of(activity)) and any(_text(member, "id") == bot_of(activity) for member in added)


def language_of_client(activity: Json) -> Language:
    """The language of the client that an activity comes from."""
    return "de" if _text(activity, "locale").lower().startswith("de") else "en"


def _milliseconds(timestamp: str) -> float:
    try:
        return datetime.fromisoformat(timestamp).timestamp() * 1000
    except (ValueError, OverflowError, OSError):
        return 0


def _object(item: Json, name: str) -> Json:
    value = item.get(name)
    return value if isinstance(value, Mapping) else {}


def _objects(item: Json, name: str) -> list[Json]:
    value = item.get(name)
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _text(item: Json, name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""
