"""Streams of personal chats: a line that says what is being done, whose place the message takes.

https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux. Text that a stream has shown has to begin the
message, and cannot be taken back, so nothing of an answer is shown before it is checked. A stream takes at most two
minutes, and a person may stop it; a chat has one at a time.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from adapters.teams.connector import TeamsRefused
from adapters.teams.json import Json
from core.errors import ChatRefused
from core.timing import Clock

_MOST_SECONDS = 105.0  # Teams ends a stream after 120
_KNOWN_SECONDS = 900.0
_MOST_CHARS = 900  # Teams takes 1,000

_STOPPED = "ContentStreamNotAllowed"
_ENDED = frozenset({400, 403, 404, 405})
"""Teams' answers to what comes after a stream's end."""

logger = logging.getLogger(__name__)

Send = Callable[[Json], Awaitable[str]]
"""Sends an activity to the conversation and returns its id. Raises ChatUnavailable and TeamsRefused."""


class StreamEnded(Exception):
    """A stream takes no message any more. ``known``: whether this process began it."""

    def __init__(self, known: bool) -> None:
        super().__init__("The stream has ended.")
        self.known = known


@dataclass(slots=True)
class _Stream:
    """``started``: seconds of the clock. ``ended``: whether its message was sent."""

    conversation: str
    started: float
    ended: bool = False


@dataclass(slots=True)
class Streams:
    """The streams of this process, by their ids. The clock gives seconds, monotonic."""

    clock: Clock
    _known: dict[str, _Stream] = field(default_factory=dict)

    async def start(self, conversation: str, text: str, send: Send) -> str:
        """The id of a new stream that shows this text, "" where there can be none now. Raises ChatUnavailable."""
        self._forget_old()
        if any(stream.conversation == conversation and self._is_open(stream) for stream in self._known.values()):
            return ""
        about = {"streamType": "informative", "streamSequence": 1}
        shown = {"type": "typing", "text": text[:_MOST_CHARS] or "…", "textFormat": "plain"}
        try:
            stream_id = await send({**shown, "entities": [{"type": "streaminfo", **about}], "channelData": about})
        except ChatRefused as error:
            logger.info("An answer has no stream: %s", error)
            return ""
        if stream_id:
            self._known[stream_id] = _Stream(conversation, self.clock())
        return stream_id

    async def end(self, stream_id: str, message: Json, send: Send) -> str:
        """Ends a stream with a message, and returns the id that it has then.

        Where a person stopped the stream, nothing is shown. Raises StreamEnded where the message has to be shown in
        another way, and what ``send`` raises.
        """
        stream = self._known.get(stream_id)
        may_go_on = stream is not None and (stream.ended or self._is_open(stream))
        if stream:
            stream.ended = True
        about = {"type": "streaminfo", "streamId": stream_id, "streamType": "final"}
        try:
            return await send({**message, "entities": [*message.get("entities", ()), about]}) or stream_id
        except TeamsRefused as error:
            # In time Teams has no reason of its own: a person stopped it, or it ended with this message already, and
            # the answer to that was lost.
            if may_go_on and error.code == _STOPPED:
                logger.info("A stream had ended before its message: %s", error)
                return stream_id
            if error.status not in _ENDED:
                raise
            raise StreamEnded(known=stream is not None) from error

    def _is_open(self, stream: _Stream) -> bool:
        return not stream.ended and self.clock() - stream.started <= _MOST_SECONDS

    def _forget_old(self) -> None:
        oldest = self.clock() - _KNOWN_SECONDS
        self._known = {stream_id: stream for stream_id, stream in self._known.items() if stream.started > oldest}
