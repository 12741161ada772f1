"""Answers that appear while they are written, by Slack's streaming messages.

https://docs.slack.dev/reference/methods/chat.startStream. A stream only grows, dies after some minutes, and a person
may stop it: then, and where Slack allows none, the message is updated as a whole instead.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from adapters.slack.calls import OF_THE_CHANNEL, SlackCalls, SlackRefused
from core.errors import ChatRefused, ChatUnavailable
from core.ports.chat import Place
from core.views.document import units

_MOST_CHARS = 12_000  # of one call
_MOST_IN_ALL = 38_000  # of a message's text, whose limit is 40,000

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Stream:
    """``written``: what it shows so far, without how it began."""

    written: str = ""
    alive: bool = True


@dataclass(slots=True)
class Streams:
    """The streaming messages of this process, by channel and id. ``allowed``: until Slack says that it is not."""

    calls: SlackCalls
    allowed: bool = True
    _open: dict[tuple[str, str], _Stream] = field(default_factory=dict)

    async def start(self, place: Place, text: str, user: str) -> str | None:
        """A message that can grow, None where Slack does not allow it here. Raises ChatUnavailable."""
        if not self.allowed:
            return None
        recipient = {} if place.direct else {"recipient_user_id": user, "recipient_team_id": place.team}
        try:
            answer = await self.calls.write(
                "chat.startStream", channel=place.channel, thread_ts=place.thread, markdown_text=text, **recipient
            )
        except SlackRefused as error:
            if error.code not in OF_THE_CHANNEL:
                logger.info("Answers are shown by updates from now on: %s", error)
                self.allowed = False
            return None
        message_id = str(answer["ts"])
        self._open[place.channel, message_id] = _Stream()
        return message_id

    def has(self, place: Place, message_id: str) -> bool:
        """Whether the message is one of ours that can still grow."""
        stream = self._open.get((place.channel, message_id))
        return stream is not None and stream.alive

    async def grow(self, place: Place, message_id: str, text: str) -> bool:
        """Shows more of a text; whether that was possible. What a model begins anew is not."""
        stream = self._open[place.channel, message_id]
        shown = _harmless(text)
        more = shown[len(stream.written) :]
        fits = units(more) <= _MOST_CHARS and units(shown) <= _MOST_IN_ALL
        if not shown.startswith(stream.written) or not fits:
            stream.alive = False
        elif more:
            try:
                await self.calls.write("chat.appendStream", channel=place.channel, ts=message_id, markdown_text=more)
                stream.written = shown
            except (ChatRefused, ChatUnavailable) as error:
                logger.info("A stream ended early: %s", error)
                stream.alive = False
        if not stream.alive:
            await self.end(place, message_id)
        return stream.alive

    async def end(self, place: Place, message_id: str) -> None:
        """Ends a stream, so that the message can be updated as any other. One that has ended already is no problem."""
        self._open.pop((place.channel, message_id), None)
        try:
            await self.calls.set("chat.stopStream", channel=place.channel, ts=message_id)
        except ChatRefused as error:
            logger.debug("A stream had ended already: %s", error)


def _harmless(text: str) -> str:
    """Without what Slack takes for mentions, commands and links: what a model writes is checked only at its end.

    Of a text that has grown, what this gives has grown too, wherever the pieces were cut.
    """
    for unwanted in ("](", "]:", "//", "mailto:"):
        text = text.replace(unwanted, f"{unwanted[:-1]}\u200b{unwanted[-1]}")
    return text.replace("<", "<\u200b")
