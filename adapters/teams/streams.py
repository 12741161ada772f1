"""Streams of personal chats: a progress line, then the beginning of an answer, and the message that ends the stream.

https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux. Each text, and the final message, has to begin
with the text before it. A stream lasts at most two minutes, and a person may stop it; a chat has one at a time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from adapters.teams.connector import Json, TeamsRefused
from core.errors import ChatRefused, ChatUnavailable
from core.timing import Clock

_MOST_SECONDS = 105.0  # Teams' limit is 120
_KNOWN_SECONDS = 900.0
_PART_SECONDS = 3.0  # for Teams to accept a part
_MOST_CHARS = 900  # Teams' limit is 1,000

_STOPPED = "ContentStreamNotAllowed"
_TOO_LONG = 413

logger = logging.getLogger(__name__)

Send = Callable[[Json], Awaitable[str]]
"""Function that sends an activity and returns its id. Raises ChatUnavailable and TeamsRefused."""


class StreamEnded(Exception):
    """A stream does not accept its final message. ``has_message``: whether it may have ended with it already."""

    def __init__(self, has_message: bool) -> None:
        super().__init__("The stream does not accept its final message.")
        self.has_message = has_message


@dataclass(slots=True)
class _Stream:
    """``started``: in seconds of the clock. ``ended``: whether its final message was sent.

    ``sequence``: number of the last message. ``shown``: the beginning of the answer. ``refused``: whether Teams has
    refused a text. ``abandoned``: whether its message is posted instead.
    """

    conversation: str
    started: float
    ended: bool = False
    sequence: int = 1
    shown: str = ""
    refused: bool = False
    abandoned: bool = False


@dataclass(slots=True)
class Streams:
    """The streams that this process started. The clock returns monotonic seconds."""

    clock: Clock
    _known: dict[str, _Stream] = field(default_factory=dict)

    async def start(self, conversation: str, text: str, send: Send) -> str:
        """Start a stream that shows a text; return its id, "" if none can start now. Raises ChatUnavailable."""
        self._forget_old()
        if any(stream.conversation == conversation and self._is_open(stream) for stream in self._known.values()):
            return ""
        about = {"streamType": "informative", "streamSequence": 1}
        shown = {"type": "typing", "text": text[:_MOST_CHARS] or "…", "textFormat": "plain"}
        try:
            stream_id = await send({**shown, "entities": [{"type": "streaminfo", **about}], "channelData": about})
        except ChatRefused as error:
            logger.info("Teams refused to start a stream: %s", error)
            return ""
        if stream_id:
            self._known[stream_id] = _Stream(conversation, self.clock())
        return stream_id

    async def show(self, stream_id: str, text: str, send: Send) -> bool:
        """Show the beginning of an answer, in Markdown; return whether people may see it now."""
        stream = self._known.get(stream_id)
        if stream is None or stream.refused or not self._is_open(stream) or not text.startswith(stream.shown):
            return False
        if text == stream.shown:
            return True
        stream.sequence += 1
        about = {"streamType": "streaming", "streamId": stream_id, "streamSequence": stream.sequence}
        piece = {"type": "typing", "text": text, "textFormat": "markdown", "channelData": about}
        try:
            async with asyncio.timeout(_PART_SECONDS):  # a wait for Teams' rate limit would delay the whole answer
                await send({**piece, "entities": [{"type": "streaminfo", **about}]})
        except (ChatUnavailable, TimeoutError) as error:  # it may have been shown; the next text contains it
            logger.info("Teams did not answer to a part of a stream: %r", error)
        except ChatRefused as error:
            logger.info("Teams refused a part of a stream: %s", error)
            stream.refused = True
            return False
        stream.shown = text
        return True

    async def end(self, stream_id: str, message: Json, send: Send) -> str:
        """End a stream with its final message, and return the message's id.

        If a person stopped the stream, nothing is shown. Raises StreamEnded if the message has to be posted or updated
        instead, and ChatUnavailable.
        """
        stream = self._known.get(stream_id)
        if stream and (stream.abandoned or not str(message.get("text", "")).startswith(stream.shown)):
            raise StreamEnded(has_message=False)
        is_within_limit = stream is not None and (stream.ended or self._is_open(stream))
        if stream:
            stream.ended = True
        about = {"type": "streaminfo", "streamId": stream_id, "streamType": "final"}
        try:
            return await send({**message, "entities": [*message.get("entities", ()), about]}) or stream_id
        except TeamsRefused as error:
            # Within the time limit there are two causes: a person stopped the stream, or it already ended with this
            # message and Teams' response was lost.
            if is_within_limit and error.code == _STOPPED:
                logger.info("A stream ended before its final message: %s", error)
                return stream_id
            level = logging.INFO if error.code == _STOPPED else logging.WARNING
            logger.log(level, "Teams refused the final message of a stream: %s", error)
            raise StreamEnded(has_message=stream is None and error.status != _TOO_LONG) from error

    async def close(self, stream_id: str, message: Json, send: Send) -> None:
        """End a stream with no more than it shows, because it can neither be deleted nor end with its message.

        ``message``: is posted instead. What it does not begin with may no longer be shown, and is not repeated.
        Failures are logged only.
        """
        stream = self._known.get(stream_id)
        shown = stream.shown if stream else ""
        text = shown if shown and str(message.get("text", "")).startswith(shown) else "…"
        about = {"type": "streaminfo", "streamId": stream_id, "streamType": "final"}
        try:
            await send({"type": "message", "text": text, "textFormat": "markdown", "entities": [about]})
        except (ChatRefused, ChatUnavailable) as error:
            logger.warning("A stream could not be ended: %s", error)

    def drop(self, stream_id: str) -> None:
        """Send nothing more to a stream whose message is posted instead: it is deleted or ended."""
        if stream := self._known.get(stream_id):
            stream.ended = stream.abandoned = True

    def _is_open(self, stream: _Stream) -> bool:
        return not stream.ended and self.clock() - stream.started <= _MOST_SECONDS

    def _forget_old(self) -> None:
        oldest = self.clock() - _KNOWN_SECONDS
        self._known = {stream_id: stream for stream_id, stream in self._known.items() if stream.started > oldest}
