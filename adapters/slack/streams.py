"""Streams: messages that show the beginning of an answer while the rest is made.

https://docs.slack.dev/reference/methods/chat.startStream, …/chat.appendStream, …/chat.stopStream. Slack can
append text to a stream, but not remove any. The blocks that are sent at the end of a stream are shown below all of its
text. Slack ends a stream five minutes after its start.
"""

from __future__ import annotations

import logging
import math
import re
from dataclasses import dataclass, field, replace
from itertools import takewhile

from adapters.slack.blocks import LIMITS, render_rest
from adapters.slack.calls import SlackCalls, SlackRateLimited, SlackRefused
from adapters.slack.mrkdwn import Json
from core.chat.requests import get_message_mark
from core.errors import ChatUnavailable
from core.model.views import AnswerView, View
from core.ports.chat import Place
from core.text import ZERO_WIDTH
from core.timing import Clock, TokenBucket
from core.views.commonmark import render_text
from core.views.document import Chart, Details, Document, Table
from core.views.messages import build_document

# Slack allows 20 starts and 20 ends, and 100 texts a minute. Others of these come from other bots of the installation.
_STARTS, _STARTS_A_MINUTE = 8, 12
_TEXTS, _TEXTS_A_MINUTE = 40, 60
_MOST_OPEN = 15  # at once, since all of them may end in the same minute
_MOST_SECONDS = 240.0
_KNOWN_SECONDS = 900.0
_LIMITED_SECONDS, _REFUSED_SECONDS = 20.0, 600.0  # without a start after a rate limit, and after a refusal
_MOST_CHARS = 11_000  # of a text: Slack's limit is 12,000
_ENDED = frozenset({"message_not_in_streaming_state", "message_not_found", "stopped_by_user"})

_CONTROL = re.compile(r"<(?=!(?:channel|here|everyone|subteam\^|date\^)|@[UW][A-Z0-9]|#C[A-Z0-9])")
"""The beginning of what Slack may execute in code too: mentions of people, groups and channels, and dates."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Stream:
    """``shown``: its text, None if unknown. ``open``: whether Slack accepts more."""

    started: float
    shown: str | None
    open: bool = True


@dataclass(slots=True)
class SlackStreams:
    """The streams that this process started, by the id of their message. The clock returns monotonic seconds."""

    calls: SlackCalls
    clock: Clock
    _known: dict[str, _Stream] = field(default_factory=dict)
    _refused_until: float = -math.inf
    _starts: TokenBucket = field(init=False)
    _texts: TokenBucket = field(init=False)

    def __post_init__(self) -> None:
        self._starts = TokenBucket(_STARTS, _STARTS_A_MINUTE / 60, self.clock)
        self._texts = TokenBucket(_TEXTS, _TEXTS_A_MINUTE / 60, self.clock)

    async def start(self, place: Place, user: str, view: View) -> str:
        """Start a stream with the beginning of an answer; return its id, "" if none can start now.

        Raises ChatUnavailable if it is unknown whether it started.
        """
        self._forget_old()
        text = render_beginning(view)[0]
        is_possible = place.thread and 0 < len(text) <= _MOST_CHARS
        if not is_possible or sum(stream.open for stream in self._known.values()) >= _MOST_OPEN:
            return ""
        if self.clock() < self._refused_until or not self._starts.take():
            return ""
        where = {"channel": place.channel, "thread_ts": place.thread}
        # Both are required in channels, by some workspaces also in direct messages.
        reader = {"recipient_user_id": user, "recipient_team_id": place.team}
        try:
            started = await self.calls.try_once("chat.startStream", **where, **reader, markdown_text=text)
        except SlackRateLimited:
            self._refused_until = self.clock() + _LIMITED_SECONDS
            return ""
        except SlackRefused as error:
            logger.info("A stream could not start, answers are posted as a whole for a while: %s", error)
            self._refused_until = self.clock() + _REFUSED_SECONDS
            return ""
        self._known[str(started["ts"])] = _Stream(self.clock(), text)
        return str(started["ts"])

    async def append(self, place: Place, message_id: str, view: View) -> bool:
        """Append what the stream does not show yet of the beginning of an answer; return whether it shows all of it."""
        stream, text = self._known.get(message_id), render_beginning(view)[0]
        if stream is None or stream.shown is None or not stream.open or not text.startswith(stream.shown):
            return False
        more = text[len(stream.shown) :]
        if not more:
            return True
        if len(text) > _MOST_CHARS or self.clock() - stream.started > _MOST_SECONDS or not self._texts.take():
            return False
        where = {"channel": place.channel, "ts": message_id}
        try:
            await self.calls.try_once("chat.appendStream", **where, markdown_text=_keep_space(more))
        except SlackRateLimited:
            return False
        except SlackRefused as error:
            self._note_end(stream, error)
            return False
        except ChatUnavailable:
            stream.shown = None
            return False
        stream.shown = text
        return True

    async def end(self, place: Place, message_id: str, view: View) -> bool:
        """End a stream with the rest of its message; return False if the message has to be updated instead.

        Anybody in a channel can press Stop, which ends the stream: only Stop's event tells whether that person may stop
        the answer. Until then the message is completed. Raises ChatUnavailable.
        """
        stream = self._known.pop(message_id, None)
        if stream is None or not stream.open or stream.shown is None:
            return False
        text, document = render_beginning(view)
        more = text[len(stream.shown) :]
        if not text.startswith(stream.shown) or len(more) > _MOST_CHARS:
            return False
        content: Json = {"blocks": render_rest(document)}
        if content["blocks"]:  # marked, so that a search for streams without an end does not find it
            content["blocks"][0]["block_id"] = get_message_mark(message_id)
        if more:
            content["markdown_text"] = _keep_space(more)
        try:
            await self.calls.write("chat.stopStream", channel=place.channel, ts=message_id, **content)
        except SlackRefused as error:
            self._note_end(stream, error)
            return False
        return True

    def forget(self, message_id: str) -> None:
        """Forget a stream whose message is deleted."""
        self._known.pop(message_id, None)

    def _note_end(self, stream: _Stream, error: SlackRefused) -> None:
        """Note that Slack refused a text. If a stream did not end by that, it is not known what it shows."""
        logger.info("A stream takes no more text: %s", error)
        stream.open = error.code not in _ENDED
        stream.shown = None

    def _forget_old(self) -> None:
        oldest = self.clock() - _KNOWN_SECONDS
        self._known = {each: stream for each, stream in self._known.items() if stream.started > oldest}


def render_beginning(view: View) -> tuple[str, Document]:
    """Return the text of an answer up to its first table, in Markdown, and a document of the rest.

    The text is "" for other views. The text of a beginning of an answer is a beginning of the answer's text.
    """
    document = build_document(view, LIMITS)
    if not isinstance(view, AnswerView):
        return "", document
    blocks = (*document.before, *document.body)
    text = [*takewhile(lambda block: not isinstance(block, Table | Chart | Details), blocks)]
    shown = _CONTROL.sub(rf"\g<0>{ZERO_WIDTH}", render_text(text, ()))
    return shown, replace(document, before=(), body=blocks[len(text) :])


def _keep_space(text: str) -> str:
    """Return a text to append whose first space is kept: Slack may drop white space at the seam."""
    return ZERO_WIDTH + text if text[:1].isspace() else text
