"""Teams' rules for messages of bots.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bot-messages-ai-generated-content
https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages
Where nothing is documented, the strictest rule applies, or that of the Agents Playground.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from tests.servers.chat_server import Json
from tests.servers.teams.state import ADAPTIVE, Conversation, RequestError, Stream

MOST_BYTES = 80 * 1024
"""Limit of a request body in UTF-16. Teams' limit is about 100 KB, and it advises to stay well below."""
ROOT = "https://schema.org/Message"


def _max_length(validator: object, most: int, text: object, schema: object) -> Iterator[ValidationError]:
    """Count characters in UTF-16 code units, as Teams does."""
    if isinstance(text, str) and len(text.encode("utf-16-le")) // 2 > most:
        yield ValidationError(f"has more than {most} characters")


_Validator = extend(Draft202012Validator, {"maxLength": _max_length})
_APPEARANCE: Json = {
    "properties": {
        "@type": {"const": "DigitalDocument"}, "name": {"type": "string", "minLength": 1, "maxLength": 80},
        "abstract": {"type": "string", "minLength": 1, "maxLength": 160}, "url": {"pattern": "^https?://"},
        "keywords": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 28}},
    },
    "required": ["@type", "name", "abstract"],
}  # fmt: skip
_CLAIM: Json = {
    "properties": {"@type": {"const": "Claim"}, "position": {"type": "integer"}, "appearance": _APPEARANCE},
    "required": ["@type", "position", "appearance"],
}
_ROOT: Json = {
    "properties": {
        "@type": {"const": "Message"}, "@context": {"pattern": "schema.org"},
        "additionalType": {"type": "array", "items": {"const": "AIGeneratedContent"}},
        "citation": {"type": "array", "maxItems": 20, "items": _CLAIM},
    },
    "required": ["@type", "@context"],
}  # fmt: skip
_CARD: Json = {
    "properties": {
        "type": {"const": "AdaptiveCard"}, "version": {"type": "string"},
        "actions": {"type": "array", "maxItems": 6, "items": {"properties": {"verb": {"type": "string"}}}},
    },
    "required": ["type", "version"],
}  # fmt: skip
_ACTIVITY: Json = {
    "properties": {
        "textFormat": {"enum": ["plain", "markdown", "xml"]},
        "entities": {
            "items": {"required": ["type"], "if": {"properties": {"type": {"const": ROOT}}}, "then": _ROOT},
            "contains": {"properties": {"type": {"const": ROOT}}}, "minContains": 0, "maxContains": 1,
        },
        "attachments": {
            "items": {
                "required": ["contentType"],
                "if": {"properties": {"contentType": {"const": ADAPTIVE}}},
                "then": {"properties": {"content": _CARD}},
            },
        },
    },
}  # fmt: skip


def bad(message: str) -> RequestError:
    return RequestError(400, "BadSyntax", message)


def check_size(body: bytes) -> None:
    if len(body.decode("utf-8", "replace").encode("utf-16-le", "replace")) > MOST_BYTES:
        raise RequestError(413, "MessageSizeTooBig", "Message size too large.")


def check(activity: Json) -> None:
    """Raise :class:`RequestError` for the first violation of Teams' rules."""
    for error in _Validator(_ACTIVITY).iter_errors(activity):
        raise bad(f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
    text = str(activity.get("text") or "")
    if text.strip() and activity.get("attachments") and not stream_info(activity):
        raise bad("Activity resulted into multiple skype activities")
    if activity.get("type") == "message" and not text.strip() and not activity.get("attachments"):
        raise bad("Activity must include non empty 'text' field or at least 1 attachment.")
    for entity in activity.get("entities") or []:
        positions = [claim["position"] for claim in entity.get("citation") or []]
        if len({*positions}) != len(positions):
            raise bad("Two citations have one position.")
        mentioned = entity.get("mentioned") or {}
        if entity["type"] == "mention" and not (mentioned.get("id") and entity.get("text") and entity["text"] in text):
            raise bad("The text of a mention must stand in the message's text.")


def stream_info(activity: Json) -> Json | None:
    entities = activity.get("entities") or []
    return next((one for one in entities if one.get("type") == "streaminfo"), None)


def begin_stream(activity: Json, info: Json) -> Stream:
    """Return the stream that an informative line starts. Raises :class:`RequestError`."""
    _check_text(activity)
    if (activity["type"], info.get("streamType"), info.get("streamSequence")) != ("typing", "informative", 1):
        raise _wrong("The first activity has to be informative, with the streamSequence 1")
    return Stream(informed=activity["text"])


def continue_stream(there: Conversation, activity: Json, info: Json, life: float) -> None:
    """Show a text in a stream. ``life``: seconds. Raises :class:`RequestError`."""
    stream = _find_open_stream(there, activity, info, life)
    if info.get("streamType") != "streaming" or activity["type"] != "typing":
        raise _wrong("A text of a stream has to be of the type typing, with the streamType streaming")
    if info.get("streamSequence") != stream.sequence + 1:
        raise RequestError(412, "ContentStreamSequenceOrderPreConditionFailed", "PreCondition failed exception.")
    stream.sequence += 1
    stream.texts.append(activity["text"])
    there.messages[str(info["streamId"])].activity = activity


def end_stream(there: Conversation, activity: Json, info: Json, life: float) -> None:
    """End a stream with its final message. ``life``: seconds. Raises :class:`RequestError`."""
    if (activity["type"], info.get("streamType"), info.get("streamSequence")) != ("message", "final", None):
        raise _wrong("The last activity has to be final, without streamSequence")
    _find_open_stream(there, activity, info, life).state = "final"
    there.messages[str(info["streamId"])].change(activity)


def _find_open_stream(there: Conversation, activity: Json, info: Json, life: float) -> Stream:
    """Return the stream of an activity whose text repeats the one before it."""
    _check_text(activity)
    message = there.messages.get(str(info["streamId"]))
    if message is None or message.stream is None:
        raise _wrong("Unknown streamId")
    if message.stream.state == "cancelled":
        raise not_allowed("Content stream was canceled by user.")
    if message.stream.state == "final":
        raise not_allowed("Content stream is not allowed on an already completed streamed message")
    if time.monotonic() - message.stream.started > life:
        raise not_allowed("Content stream finished due to exceeded streaming time.")
    if not activity["text"].startswith("".join(message.stream.texts[-1:])):
        raise _wrong("The text of a stream has to begin with the text before it")
    return message.stream


def _check_text(activity: Json) -> None:
    if not str(activity.get("text") or "").strip():
        raise _wrong("Streaming activities should include text")


def _wrong(message: str) -> RequestError:
    return RequestError(400, "BadRequest", message)


def not_allowed(message: str) -> RequestError:
    return RequestError(403, "ContentStreamNotAllowed", message)
