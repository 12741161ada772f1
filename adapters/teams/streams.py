"""Answers that appear while they are written, in personal chats.

https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux. What is sent grows and never changes, takes at
most two minutes, and a person may stop it; a chat has one at a time. What ends one shows nothing new, so that Teams has
no reason to refuse it; the answer is an update after that.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from adapters.teams.cards import text_message
from adapters.teams.connector import Connector
from adapters.teams.json import Json
from core.errors import ChatRefused, ChatUnavailable
from core.ports.chat_store import Reference
from core.timing import Clock

_MOST_SECONDS = 105.0  # Teams ends a stream after 120
_MOST_CHARS = 7_500
_INFORMATIVE = 900  # characters; Teams takes 1,000

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Stream:
    """``shown``: what it shows. ``started``: seconds of the clock."""

    shown: str
    started: float
    sequence: int = 1
    alive: bool = True


@dataclass(slots=True)
class Streams:
    """The streams of this process, by conversation and id. The clock gives seconds, monotonic."""

    connector: Connector
    clock: Clock
    allowed: bool = True
    _open: dict[tuple[str, str], _Stream] = field(default_factory=dict)

    async def start(self, reference: Reference, conversation: str, text: str) -> str | None:
        """A message that can grow, None where there can be none now. Raises ChatUnavailable."""
        if not self.allowed or any(of == conversation for of, _ in self._open):
            return None
        informative = _typing(text[:_INFORMATIVE], {"streamType": "informative", "streamSequence": 1})
        try:
            message_id = await self.connector.send(reference.service_url, conversation, informative)
        except ChatRefused as error:
            logger.info("An answer is shown by updates: %s", error)
            return None
        if not message_id:
            return None
        self._open[conversation, message_id] = _Stream("", self.clock())
        return message_id

    def has(self, conversation: str, message_id: str) -> bool:
        """Whether the message is one of ours that has not ended."""
        return (conversation, message_id) in self._open

    async def grow(self, reference: Reference, conversation: str, message_id: str, text: str) -> bool:
        """Shows more of a text; whether that was possible. What a model begins anew is not."""
        stream = self._open[conversation, message_id]
        shown = str(text_message(text)["text"])
        old = self.clock() - stream.started > _MOST_SECONDS
        if old or not shown.startswith(stream.shown) or len(shown) > _MOST_CHARS:
            return False
        if shown != stream.shown:
            stream.sequence += 1
            about = {"streamId": message_id, "streamType": "streaming", "streamSequence": stream.sequence}
            try:
                await self.connector.send(reference.service_url, conversation, _typing(shown, about))
                stream.shown = shown
            except (ChatRefused, ChatUnavailable) as error:
                logger.info("A stream ended early: %s", error)
                return False
        return True

    async def end(self, reference: Reference, conversation: str, message_id: str) -> str:
        """Ends a stream, so that its message can be updated as any other; returns its id from then on.

        One that has ended already is no problem.
        """
        stream = self._open.pop((conversation, message_id), None)
        final = text_message(stream.shown if stream and stream.shown else "…")
        final["entities"] = [{"type": "streaminfo", "streamId": message_id, "streamType": "final"}]
        try:
            return await self.connector.send(reference.service_url, conversation, final) or message_id
        except (ChatRefused, ChatUnavailable) as error:
            logger.info("A stream had ended already: %s", error)
            return message_id


def _typing(text: str, about: Json) -> Json:
    entity = {"type": "streaminfo", **about}
    return {
        "type": "typing",
        "text": text or "…",
        "textFormat": "plain",
        "entities": [entity],
        "channelData": dict(about),
    }
