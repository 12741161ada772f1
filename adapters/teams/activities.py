"""Parsing of Teams' activities: messages, buttons, feedback and commands.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/conversation-messages. No function here
relies on a field being present or having the right type.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

from adapters.teams.elements import FORM, QUESTION, REASON, Delivery
from adapters.teams.quotes import remove_quotes
from core.languages import Language
from core.ports.chat import Click, Command, IncomingMessage, Place
from core.ports.chat_stores import Reaction
from core.text import unescape_html

Json = Mapping[str, Any]

_AT = re.compile(r"<at(?:\s[^<>]*+)?>((?:[^<]|<(?!/?at[\s>]))*+)</at>")
_MOST_MENTIONS = 20  # of the bot in one message
_FIELDS = {"correct": QUESTION, "correction": QUESTION, "reason": REASON}
"""The field with the text by the name of the button. Earlier versions submitted corrections by ``correct``."""
_KEY = re.compile(r"[A-Za-z0-9_~.-]{1,255}")


def parse_place(activity: Json) -> Place:
    """Return the place of an activity. A chat has no threads, so its ``thread`` is ""."""
    conversation, data = _read_object(activity, "conversation"), _read_object(activity, "channelData")
    channel = _read_text(conversation, "id")
    return Place(
        platform="teams",
        team=parse_tenant(activity),
        channel=channel,
        thread=channel.partition(";messageid=")[2],
        direct=_read_text(conversation, "conversationType") == "personal",
        shared=_read_text(_read_object(data, "channel"), "type").lower() == "shared",
    )


def parse_tenant(activity: Json) -> str:
    """Return the tenant that hosts the conversation, even if people of others take part; in a personal chat the
    person's tenant.
    """
    conversation = _read_object(activity, "conversation")
    there = _read_text(conversation, "tenantId")
    own = _read_text(_read_object(_read_object(activity, "channelData"), "tenant"), "id")
    return (own or there) if _read_text(conversation, "conversationType") == "personal" else (there or own)


def parse_user(activity: Json) -> str:
    """Return the person's Entra object id, or if Teams sends none, the id that the person has for this bot."""
    sender = _read_object(activity, "from")
    return _read_text(sender, "aadObjectId") or _read_text(sender, "id")


def parse_account(activity: Json) -> str:
    """Return the person's id for Teams' connector."""
    return _read_text(_read_object(activity, "from"), "id")


def is_by_person(activity: Json) -> bool:
    """Whether the sender is a person, and not an app or the bot itself."""
    sender = _read_object(activity, "from")
    account = _read_text(sender, "id")
    return (
        bool(account)
        and account != parse_bot(activity)
        and _read_text(sender, "role") != "bot"
        and account[:3] != "28:"
    )


def parse_bot(activity: Json) -> str:
    return _read_text(_read_object(activity, "recipient"), "id")


def parse_message_id(activity: Json) -> str:
    """Return the id of a message. Teams' ids are milliseconds; any other id becomes a number that rises with time."""
    own = _read_text(activity, "id")
    if own.isdecimal():
        return own
    digits = int(hashlib.sha256(own.encode(errors="replace")).hexdigest()[:10], 16) % 10_000
    return f"{_parse_milliseconds(_read_text(activity, 'timestamp')):.0f}.{digits:04}"


def parse_time(activity: Json) -> str:
    """Return when an activity was sent, in milliseconds with fractions."""
    return f"{_parse_milliseconds(_read_text(activity, 'timestamp')):.3f}"


def parse_message(activity: Json) -> IncomingMessage:
    """Parse a message of a person."""
    place = parse_place(activity)
    ours, others = _read_mentions(activity)
    return IncomingMessage(
        place=place,
        message_id=parse_message_id(activity),
        user=parse_user(activity),
        text=parse_text(activity),
        mentioned=bool(ours),
        to_others=bool(others),
        reply=parse_message_id(activity) != place.thread,
        language=parse_client_language(activity),
    )


def parse_text(activity: Json) -> str:
    """Return a message's text without the message that it quotes, and without the spans of mentions of the bot.

    Other mentions become names.
    """
    attached = _read_objects(activity, "attachments")
    contents = [_read_text(each, "content") for each in attached if _read_text(each, "contentType") == "text/html"]
    text = remove_quotes(_read_text(activity, "text").replace("\x00", ""), contents)
    for mention in _read_mentions(activity)[0][:_MOST_MENTIONS]:
        text = text.replace(mention, " ", 1) if mention else text
    text = _AT.sub(lambda found: f"@{found[1]}", text)
    return " ".join(unescape_html(text).split())


def _read_mentions(activity: Json) -> tuple[list[str], list[str]]:
    """Return the texts of mentions of the bot, and of mentions of others."""
    bot = parse_bot(activity)
    ours: list[str] = []
    others: list[str] = []
    for entity in _read_objects(activity, "entities"):
        if _read_text(entity, "type") == "mention":
            mentioned = _read_text(_read_object(entity, "mentioned"), "id")
            (ours if bot and mentioned == bot else others).append(_read_text(entity, "text"))
    return ours, others


@dataclass(frozen=True, slots=True)
class Action:
    """A click on a button. ``index``: number of the suggestion or part, otherwise -1. ``text``: what the person typed.

    ``delivery``: how the button's message was delivered. ``activity_id``: see :func:`parse_activity_id`.
    """

    name: str
    click: Click
    activity_id: str
    text: str = ""
    index: int = -1
    language: str = ""
    delivery: Delivery = "post"


def parse_action(activity: Json) -> Action | None:
    """Parse a click: an invoke ``adaptiveCard/action``, or a message with a value from clients without such invokes.

    A repeated delivery may have a new activity id, so ``action_id`` is a hash of the content. The same text in another
    form is another content.
    """
    value = _read_object(activity, "value")
    data = _read_object(_read_object(value, "action"), "data") if "action" in value else value
    name, turn = _read_text(data, "wikiwhy"), _read_text(data, "turn")
    if not name or not turn:
        return None
    text = _read_text(data, _FIELDS.get(name, "")).strip()
    index, form_id = data.get("index"), _read_text(data, FORM)
    place, user, message_id = parse_place(activity), parse_user(activity), _read_text(activity, "replyToId")
    content = [name, turn, user, text, index, place.channel, *([form_id] if form_id else [])]
    click = Click(place, message_id, user, make_action_id(content), turn)
    number = index if isinstance(index, int) and not isinstance(index, bool) else -1
    delivery: Delivery | None = next((each for each in get_args(Delivery) if each == data.get("way")), None)
    return Action(
        name, click, parse_activity_id(activity), text, number, _read_text(data, "language"), delivery or "post"
    )


def make_action_id(content: Sequence[object]) -> str:
    """Return the id of a click by its content, the same for repeated deliveries."""
    text = json.dumps(content, default=str)
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:24]


def parse_activity_id(activity: Json) -> str:
    """Return the activity's own id, shortened. It is also the id of the form that a click opens.

    Microsoft documents that it "uniquely identifies the activity on the channel"
    (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference#activity-object).
    Teams delivers a click that gets no response again with the same id, and half a minute later with a new one
    (https://github.com/microsoft/botbuilder-dotnet/issues/5005). Then the person sees the later form only.
    """
    return hashlib.sha256(_read_text(activity, "id").encode(errors="replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class ThumbFeedback:
    """A rating of a message of the bot by Teams' own thumbs. ``message_id``: "" if Teams does not say which message."""

    place: Place
    message_id: str
    user: str
    reaction: Reaction
    reason: str


def parse_thumb_feedback(activity: Json) -> ThumbFeedback | None:
    """Parse an invoke ``message/submitAction``. Its reason is a JSON string, an object or plain text."""
    value = _read_object(activity, "value")
    given = _read_object(value, "actionValue")
    if _read_text(value, "actionName") != "feedback" or given.get("reaction") not in ("like", "dislike"):
        return None
    reaction: Reaction = "good" if given["reaction"] == "like" else "bad"
    reason = _read_reason(given.get("feedback"))
    return ThumbFeedback(
        parse_place(activity), _read_text(activity, "replyToId"), parse_user(activity), reaction, reason
    )


def _read_reason(feedback: object) -> str:
    if isinstance(feedback, str):
        try:
            parsed = json.loads(feedback)
        except (ValueError, RecursionError):
            return feedback.strip()
        feedback = parsed if isinstance(parsed, dict) else feedback
    if isinstance(feedback, Mapping):
        return _read_text(feedback, "feedbackText").strip()
    return str(feedback or "").strip()


_WITHOUT_KEY, _WITH_KEY = frozenset({"help", "hilfe", "spaces"}), frozenset({"sync", "forget"})
"""The German word for ``help`` is the only command in another language."""


def parse_command(message: IncomingMessage) -> Command | None:
    """Parse a message that consists of a command only; return None for any other.

    Commands: ``help`` (``hilfe``), ``spaces``, ``sync KEY``, ``forget KEY``, and ``forget KEY KEY`` to confirm.
    """
    words = message.text.removeprefix("/").split()
    name = words[0].lower() if words else ""
    if not (message.mentioned or message.place.direct):
        return None
    if (
        (len(words) == 1 and name in _WITHOUT_KEY | _WITH_KEY)
        or (len(words) == 2 and name in _WITH_KEY and _KEY.fullmatch(words[1]))
        or (len(words) == 3 and name == "forget" and _KEY.fullmatch(words[1]) and words[1] == words[2])
    ):
        return Command(message.place, message.user, (name, *words[1:]), message.message_id, language=message.language)
    return None


def is_adding_bot(activity: Json) -> bool:
    """Whether an activity reports that the bot was added to a conversation."""
    if activity.get("type") == "installationUpdate":
        return _read_text(activity, "action") in {"add", "add-upgrade"}
    added = _read_objects(activity, "membersAdded")
    return bool(parse_bot(activity)) and any(_read_text(member, "id") == parse_bot(activity) for member in added)


def parse_client_language(activity: Json) -> Language:
    """Return the language of the person's client: the activity's, or that of the entity ``clientInfo``."""
    return "de" if _find_locale(activity).lower().startswith("de") else "en"


def has_client_language(activity: Json) -> bool:
    """Whether an activity tells the language of the person's client. A ``conversationUpdate`` does not."""
    return bool(_find_locale(activity))


def _find_locale(activity: Json) -> str:
    clients = (each for each in _read_objects(activity, "entities") if _read_text(each, "type") == "clientInfo")
    return next(filter(None, (_read_text(each, "locale") for each in (activity, *clients))), "")


def _parse_milliseconds(timestamp: str) -> float:
    try:
        return datetime.fromisoformat(timestamp).timestamp() * 1000
    except (ValueError, OverflowError, OSError):
        return 0


def _read_object(item: Json, name: str) -> Json:
    value = item.get(name)
    return value if isinstance(value, Mapping) else {}


def _read_objects(item: Json, name: str) -> list[Json]:
    value = item.get(name)
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _read_text(item: Json, name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""
