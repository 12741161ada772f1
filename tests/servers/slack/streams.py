"""Streams of text: https://docs.slack.dev/reference/methods/chat.startStream, …/chat.appendStream, …/chat.stopStream

A stream takes texts until it is stopped, a person presses the stop button, or five minutes have passed. The blocks of
its end stand below its text. Rates: start and stop are of tier 2, appending of tier 4
(https://docs.slack.dev/apis/web-api/rate-limits).
"""

from __future__ import annotations

import re
import time
from collections import deque
from dataclasses import dataclass, field

from tests.servers.chat_server import Json
from tests.servers.slack.blocks import check_blocks, length, with_ids
from tests.servers.slack.state import BOT, BOT_USER, Channel, Message, RequestError, Workspace

MARKDOWN = 12_000
"""Characters of one ``markdown_text``."""
RATES = {"chat.startStream": 20, "chat.stopStream": 20, "chat.appendStream": 100}
"""Calls a minute."""
_LINK = re.compile(r"(?<!\\)\[((?:\\.|[^\]\\])*)\]\(([^()\s]+)\)")
_MARKUP = re.compile(r"\\(?=[^\w\s])|\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|\u200b")


@dataclass
class Rates:
    """Counts calls. ``limits``: by method, calls a minute."""

    limits: dict[str, int] = field(default_factory=lambda: dict(RATES))
    _calls: dict[str, deque[float]] = field(default_factory=dict)

    def clear(self) -> None:
        self._calls.clear()

    def find_wait(self, method: str) -> float:
        """Count a call; return the seconds to wait if there were too many."""
        limit, now = self.limits.get(method), time.monotonic()
        if limit is None:
            return 0.0
        calls = self._calls.setdefault(method, deque())
        while calls and calls[0] < now - 60:
            calls.popleft()
        if len(calls) >= limit:
            return max(calls[0] + 60 - now, 1.0)
        calls.append(now)
        return 0.0


def start_stream(workspace: Workspace, channel: Channel, thread: str | None, arguments: Json) -> Json:
    if thread is None:
        raise RequestError("invalid_arguments", "missing required field: thread_ts")
    for name in () if channel.im_with else ("recipient_user_id", "recipient_team_id"):
        if not arguments.get(name):
            raise RequestError(f"missing_{name}")
    if arguments.get("recipient_user_id"):
        workspace.user(arguments["recipient_user_id"])
    text = _markdown(arguments)
    message = Message(channel.id, workspace.new_ts(), BOT_USER, "", [], thread, BOT, streaming=True)
    channel.add(message)
    channel.statuses.pop(message.root, None)
    _append(message, text)
    return {"channel": channel.id, "ts": message.ts}


def append_stream(workspace: Workspace, channel: Channel, message: Message, arguments: Json) -> Json:
    _check_open(workspace, message)
    text = _markdown(arguments)
    if not text:
        raise RequestError("no_text")
    _append(message, text)
    return {"channel": channel.id, "ts": message.ts}


def stop_stream(workspace: Workspace, message: Message, blocks: list[Json], arguments: Json) -> None:
    _check_open(workspace, message)
    text = _markdown(arguments)
    check_blocks(blocks)
    message.streaming = False
    _append(message, text)
    message.blocks = [*message.blocks, *with_ids(blocks)]


def _check_open(workspace: Workspace, message: Message) -> None:
    if message.stopped_by:
        raise RequestError("stopped_by_user")
    if time.monotonic() - message.at > workspace.stream_life:
        message.streaming = False
    if not message.streaming:
        raise RequestError("message_not_in_streaming_state")


def _markdown(arguments: Json) -> str:
    text = str(arguments.get("markdown_text") or "")
    if length(text) > MARKDOWN:
        raise RequestError("msg_too_long")
    return text


def _append(message: Message, text: str) -> None:
    message.markdown += text
    if message.markdown:
        block = message.blocks[0] if message.blocks else with_ids([{"type": "markdown", "text": ""}])[0]
        message.blocks = [block | {"text": message.markdown}]
        message.text = read_markdown(message.markdown, "{label}")


def read_markdown(text: str, link: str) -> str:
    """Return Markdown as people see it. ``link``: how a link is written, with ``{url}`` and ``{label}``."""
    return _MARKUP.sub("", _LINK.sub(lambda found: link.format(label=found[1], url=found[2]), text))
