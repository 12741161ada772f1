"""Messages written piece by piece: typing activities with a ``streaminfo`` entity, ended by a message.

https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux
"""

from __future__ import annotations

import time

from tests.servers.teams.context import Context
from tests.servers.teams.state import BOT, Conversation, Json, Message, Refused, Stream

KINDS = {"typing": ("informative", "streaming"), "message": ("final",)}


def stream_info(activity: Json) -> Json | None:
    """The entity, or that of channelData, where older clients put it."""
    entities = activity.get("entities") or []
    found = next((one for one in entities if one.get("type") == "streaminfo"), None)
    data = activity.get("channelData") or {}
    return found or ({**data} if "streamType" in data else None)


def write(context: Context, there: Conversation, activity: Json, info: Json) -> tuple[int, Json]:
    """One activity of a stream; the answer's status and body. Raises :class:`Refused`."""
    kind = info.get("streamType")
    if there.kind != "personal" or not context.streams:
        raise _not_allowed("Content stream is not allowed")
    if kind not in KINDS.get(str(activity.get("type")), ()):
        raise _wrong(f"An activity of type {activity.get('type')} cannot have the stream type {kind}")
    if not str(activity.get("text") or "").strip() and not activity.get("attachments"):
        raise _wrong("Streaming activities should include text")
    if not info.get("streamId"):
        return _begun(context, there, activity, info)
    message = there.messages.get(str(info["streamId"]))
    if message is None or message.stream is None:
        raise _wrong("Unknown streamId")
    _still_open(context, message.stream)
    if kind == "final":
        return _ended(message, message.stream, activity, info)
    _continued(context, message, message.stream, activity, info)
    return 202, {}


def _begun(context: Context, there: Conversation, activity: Json, info: Json) -> tuple[int, Json]:
    if activity["type"] != "typing":
        raise _wrong("The final message needs the streamId")
    if info.get("streamSequence") != 1:
        raise _wrong("Start streaming activity should have streamSequence 1")
    message = Message(there.id, context.tenant.new_message_id(), BOT, activity, stream=Stream(sequence=1))
    there.messages[message.id] = message
    assert message.stream
    _noted(message.stream, activity, info)
    return 201, {"id": message.id}


def _continued(context: Context, message: Message, stream: Stream, activity: Json, info: Json) -> None:
    sequence = info.get("streamSequence")
    if type(sequence) is not int:
        raise _wrong("streamSequence is missing")
    if sequence <= stream.sequence:
        raise Refused(202, "ContentStreamSequenceOrderPreConditionFailed", "PreCondition failed exception")
    if info["streamType"] == "informative" and stream.pieces:
        raise _wrong("Informative updates come before the text")
    if context.stream_pace and time.monotonic() - stream.last < context.stream_pace:
        raise Refused(429, "TooManyRequests", "API calls quota exceeded")
    _contains(stream, activity, info)
    stream.sequence, stream.last = sequence, time.monotonic()
    _noted(stream, activity, info)
    message.change(activity)


def _ended(message: Message, stream: Stream, activity: Json, info: Json) -> tuple[int, Json]:
    if "streamSequence" in info:
        raise _wrong("The final message has no streamSequence")
    _contains(stream, activity, info)
    stream.state = "final"
    message.change(activity)
    return 202, {}  # the Playground too names no id here


def _contains(stream: Stream, activity: Json, info: Json) -> None:
    if info["streamType"] == "streaming" and stream.pieces and not activity["text"].startswith(stream.pieces[-1]):
        raise _wrong("Request streamed content should contain the previously streamed content")


def _noted(stream: Stream, activity: Json, info: Json) -> None:
    (stream.informed if info["streamType"] == "informative" else stream.pieces).append(str(activity.get("text") or ""))


def _still_open(context: Context, stream: Stream) -> None:
    if stream.state == "cancelled":
        raise _not_allowed("Content stream was canceled by user.")
    if stream.state == "final":
        raise _not_allowed("Content stream is not allowed on an already completed streamed message")
    if time.monotonic() - stream.started > context.stream_life:
        raise _not_allowed("Content stream finished due to exceeded streaming time.")


def _wrong(message: str) -> Refused:
    return Refused(400, "BadRequest", message)


def _not_allowed(message: str) -> Refused:
    return Refused(403, "ContentStreamNotAllowed", message)
