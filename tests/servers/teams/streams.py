"""Messages written piece by piece: typing activities with a ``streaminfo`` entity, ended by a message.

https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux
"""

from __future__ import annotations

import time

from tests.servers.chat_server import Json
from tests.servers.teams.state import Conversation, Refused, Stream

_KINDS = {"typing": ("informative", "streaming"), "message": ("final",)}


def stream_info(activity: Json) -> Json | None:
    entities = activity.get("entities") or []
    return next((one for one in entities if one.get("type") == "streaminfo"), None)


def begin(activity: Json, info: Json) -> Stream:
    """Of the first activity. Raises :class:`Refused`."""
    _check_kind(activity, info)
    if activity["type"] != "typing":
        raise _wrong("The final message needs the streamId")
    if info.get("streamSequence") != 1:
        raise _wrong("Start streaming activity should have streamSequence 1")
    stream = Stream(sequence=1)
    _note(stream, activity, info)
    return stream


def carry_on(there: Conversation, activity: Json, info: Json, life: float, pace: float) -> None:
    """Another activity of a stream. ``life``, ``pace``: seconds. Raises :class:`Refused`."""
    _check_kind(activity, info)
    message = there.messages.get(str(info["streamId"]))
    if message is None or message.stream is None:
        raise _wrong("Unknown streamId")
    stream, sequence = message.stream, info.get("streamSequence")
    if stream.state == "cancelled":
        raise not_allowed("Content stream was canceled by user.")
    if stream.state == "final":
        raise not_allowed("Content stream is not allowed on an already completed streamed message")
    if time.monotonic() - stream.started > life:
        raise not_allowed("Content stream finished due to exceeded streaming time.")
    if info["streamType"] == "final":
        if sequence is not None:
            raise _wrong("The final message has no streamSequence")
        stream.state = "final"
    else:
        _check_piece(stream, activity, info, pace)
        stream.sequence, stream.last = info["streamSequence"], time.monotonic()
        _note(stream, activity, info)
    message.change(activity)


def _check_kind(activity: Json, info: Json) -> None:
    kind = info.get("streamType")
    if kind not in _KINDS.get(str(activity.get("type")), ()):
        raise _wrong(f"An activity of type {activity.get('type')} cannot have the stream type {kind}")
    if not str(activity.get("text") or "").strip() and not activity.get("attachments"):
        raise _wrong("Streaming activities should include text")


def _check_piece(stream: Stream, activity: Json, info: Json, pace: float) -> None:
    sequence = info.get("streamSequence")
    if type(sequence) is not int:
        raise _wrong("streamSequence is missing")
    if sequence <= stream.sequence:
        raise Refused(202, "ContentStreamSequenceOrderPreConditionFailed", "PreCondition failed exception")
    if info["streamType"] == "informative" and stream.pieces:
        raise _wrong("Informative updates come before the text")
    if pace and time.monotonic() - stream.last < pace:
        raise Refused(429, "TooManyRequests", "API calls quota exceeded")
    if stream.pieces and not activity["text"].startswith(stream.pieces[-1]):
        raise _wrong("Request streamed content should contain the previously streamed content")


def _note(stream: Stream, activity: Json, info: Json) -> None:
    (stream.informed if info["streamType"] == "informative" else stream.pieces).append(str(activity.get("text") or ""))


def _wrong(message: str) -> Refused:
    return Refused(400, "BadRequest", message)


def not_allowed(message: str) -> Refused:
    return Refused(403, "ContentStreamNotAllowed", message)
