"""Messages that are written piece by piece, and the line that says what the bot is doing.

https://docs.slack.dev/reference/methods/chat.startStream, .appendStream, .stopStream, assistant.threads.setStatus
"""

from __future__ import annotations

import time
from typing import Any

from tests.servers.slack.chat import add, as_json, own, thread_of, writable
from tests.servers.slack.context import Context, Handler
from tests.servers.slack.events import message_json, with_ids
from tests.servers.slack.limits import MARKDOWN, check_blocks, length
from tests.servers.slack.state import BOT, BOT_USER, Json, Message, Refused, Stream

_CHUNKS = {"markdown_text", "task_update", "plan_update", "blocks"}


def _piece(arguments: Json) -> str:
    """The Markdown of this call."""
    text = str(arguments.get("markdown_text") or "")
    for chunk in as_json(arguments, "chunks", "invalid_chunks") or []:
        if not isinstance(chunk, dict) or chunk.get("type") not in _CHUNKS:
            raise Refused("invalid_chunks")
        text += str(chunk.get("text") or "") if chunk["type"] == "markdown_text" else ""
    if length(text) > MARKDOWN:
        raise Refused("msg_too_long")
    return text


def _blocks(text: str) -> list[Json]:
    return [{"type": "markdown", "text": text}] if text else []


async def start(context: Context, arguments: Json) -> Json:
    if not context.streams:
        raise Refused("feature_not_enabled")
    channel = writable(context, arguments)
    if not arguments.get("thread_ts"):
        raise Refused(
            "invalid_arguments", response_metadata={"messages": ["[ERROR] missing required field: thread_ts"]}
        )
    if channel.im_with is None:
        for name in ("recipient_team_id", "recipient_user_id"):
            if not arguments.get(name):
                raise Refused(f"missing_{name}")
        context.workspace.user(arguments["recipient_user_id"])
    text = _piece(arguments)
    thread = thread_of(channel, arguments)
    ts = await context.new_message_ts(channel, text or " ", thread)
    message = Message(channel.id, ts, BOT_USER, text, _blocks(text), thread, BOT, markdown=True)
    message.stream = Stream(time.monotonic())
    add(context, channel, message)
    return {"channel": channel.id, "ts": ts}


def _streaming(context: Context, arguments: Json) -> tuple[Any, Message]:
    channel = writable(context, arguments)
    message = own(context, channel, arguments.get("ts"), "message_not_owned_by_app")
    context.age(message)
    if message.stream is None or message.stream.state != "streaming":
        raise Refused("message_not_in_streaming_state")
    return channel, message


async def append(context: Context, arguments: Json) -> Json:
    channel, message = _streaming(context, arguments)
    piece = _piece(arguments)
    if not piece and not arguments.get("chunks"):
        raise Refused("no_text")
    text = message.text + piece
    if length(text) > context.stream_most:
        raise Refused("msg_too_long")
    message.change(text, _blocks(text))
    return {"channel": channel.id, "ts": message.ts}


async def stop(context: Context, arguments: Json) -> Json:
    channel, message = _streaming(context, arguments)
    blocks = as_json(arguments, "blocks", "invalid_blocks_format") or []
    check_blocks(blocks)
    text = message.text + _piece(arguments)
    if length(text) > context.stream_most:
        raise Refused("msg_too_long")
    assert message.stream
    message.stream.state = "stopped"
    message.metadata = as_json(arguments, "metadata", "invalid_metadata_format")
    message.change(text, with_ids([*_blocks(text), *blocks]))
    return {"channel": channel.id, "ts": message.ts, "message": message_json(context.workspace, channel, message)}


async def set_status(context: Context, arguments: Json) -> Json:
    channel = context.workspace.channel(arguments.get("channel_id"))
    thread = str(arguments.get("thread_ts") or "")
    if thread not in channel.messages:
        raise Refused("invalid_thread_ts")
    if len(as_json(arguments, "loading_messages", "invalid_arguments") or []) > 10:
        raise Refused("invalid_arguments")
    status = str(arguments.get("status") or "")
    key = (channel.id, thread)
    context.workspace.statuses.pop(key, None)
    if status:
        context.workspace.statuses[key] = status
    return {}


async def set_prompts(context: Context, arguments: Json) -> Json:
    channel = context.workspace.channel(arguments.get("channel_id"))
    prompts = as_json(arguments, "prompts", "invalid_arguments")
    right = isinstance(prompts, list) and all({"title", "message"} <= set(prompt) for prompt in prompts)
    if not right or not 1 <= len(prompts) <= 4:
        raise Refused("invalid_arguments")
    context.workspace.prompts[channel.id, str(arguments.get("thread_ts") or "")] = prompts
    return {}


async def set_title(context: Context, arguments: Json) -> Json:
    channel = context.workspace.channel(arguments.get("channel_id"))
    context.workspace.titles[channel.id, str(arguments.get("thread_ts"))] = str(arguments.get("title"))
    return {}


METHODS: dict[str, Handler] = {
    "chat.startStream": start,
    "chat.appendStream": append,
    "chat.stopStream": stop,
    "assistant.threads.setStatus": set_status,
    "assistant.threads.setSuggestedPrompts": set_prompts,
    "assistant.threads.setTitle": set_title,
}
