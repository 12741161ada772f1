"""The methods that write messages.

https://docs.slack.dev/reference/methods/chat.postMessage, .update, .delete, .postEphemeral, .getPermalink
"""

from __future__ import annotations

import json
from typing import Any

from tests.servers.slack.context import Context, Handler
from tests.servers.slack.events import message_json, with_ids
from tests.servers.slack.limits import MARKDOWN, TEXT, UPDATED_TEXT, check_blocks, length
from tests.servers.slack.state import BOT, BOT_USER, Channel, Json, Message, Refused


def as_json(arguments: Json, name: str, error: str) -> Any:
    """An argument that may come as JSON within a string."""
    value = arguments.get(name)
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if value else None
    except ValueError:
        raise Refused(error) from None


def as_flag(arguments: Json, name: str, default: bool = False) -> bool:
    value = arguments.get(name, default)
    return value.lower() in ("1", "true") if isinstance(value, str) else bool(value)


def content(arguments: Json) -> tuple[str, list[Json], bool, Json]:
    """Text, blocks, whether the text is Markdown, and the warnings for the answer. Checked."""
    blocks = as_json(arguments, "blocks", "invalid_blocks_format") or []
    markdown = arguments.get("markdown_text")
    text = str(arguments.get("text") or "")
    if markdown is not None:
        if text or blocks:
            raise Refused("markdown_text_conflict")
        if length(str(markdown)) > MARKDOWN:
            raise Refused("msg_too_long")
        return str(markdown), [], True, {}
    if not text and not blocks and not arguments.get("attachments"):
        raise Refused("no_text")
    check_blocks(blocks)
    warning: Json = {}
    if length(text) > TEXT:
        text = text[:TEXT]
        said = "The message text was truncated because it was too long"
        warning = {"warning": "message_truncated", "response_metadata": {"warnings": [said]}}
    return text, with_ids(blocks), False, warning


def writable(context: Context, arguments: Json) -> Channel:
    channel = context.workspace.channel(arguments.get("channel"))
    if channel.archived:
        raise Refused("is_archived")
    if BOT_USER not in channel.members:
        raise Refused("channel_not_found" if channel.private else "not_in_channel")
    return channel


def thread_of(channel: Channel, arguments: Json) -> str | None:
    """The thread's root, which must be there."""
    given = arguments.get("thread_ts")
    if not given:
        return None
    found = channel.messages.get(str(given))
    if found is None or (found.deleted and not any(not reply.deleted for reply in channel.threads[found.root])):
        raise Refused("thread_not_found")
    return found.root


async def post_message(context: Context, arguments: Json) -> Json:
    channel = writable(context, arguments)
    text, blocks, markdown, warning = content(arguments)
    thread = thread_of(channel, arguments)
    ts = await context.new_message_ts(channel, text, thread)
    message = Message(channel.id, ts, BOT_USER, text, blocks, thread, BOT, markdown=markdown)
    message.metadata = as_json(arguments, "metadata", "invalid_metadata_format")
    message.mrkdwn = as_flag(arguments, "mrkdwn", True)
    add(context, channel, message)
    return {"channel": channel.id, "ts": ts, "message": message_json(context.workspace, channel, message)} | warning


def add(context: Context, channel: Channel, message: Message) -> None:
    """Shows it, clears the thread's status, and tells the bot where it listens to itself."""
    channel.add(message)
    context.workspace.statuses.pop((channel.id, message.root), None)
    context.echo(channel, message)


def own(context: Context, channel: Channel, ts: Any, error: str) -> Message:
    message = context.workspace.message(channel, ts)
    if message.user != BOT_USER:
        raise Refused(error)
    return message


async def update(context: Context, arguments: Json) -> Json:
    if arguments.get("channel") in context.workspace.users:  # "this value is the DM ID instead of the User ID"
        raise Refused("channel_not_found")
    channel = writable(context, arguments)
    message = own(context, channel, arguments.get("ts"), "cant_update_message")
    context.age(message)
    if message.stream and message.stream.state == "streaming":
        raise Refused("streaming_state_conflict")
    text, blocks, markdown, _ = content(arguments)
    if not markdown and length(text) > UPDATED_TEXT:
        raise Refused("msg_too_long")
    if "blocks" not in arguments and not markdown:
        blocks = message.blocks  # "If you don't include this field, the message's previous blocks will be retained."
    before = message_json(context.workspace, channel, message)
    message.markdown = markdown
    message.edited_at = context.workspace.new_ts()
    message.change(text, blocks)
    context.echo_change(channel, message, before)
    shown = message_json(context.workspace, channel, message)
    return {"channel": channel.id, "ts": message.ts, "text": text, "message": shown}


async def delete(context: Context, arguments: Json) -> Json:
    channel = writable(context, arguments)
    message = own(context, channel, arguments.get("ts"), "cant_delete_message")
    await context.mirror(channel, "chat.delete", ts=message.ts)
    message.deleted = True
    return {"channel": channel.id, "ts": message.ts}


async def post_ephemeral(context: Context, arguments: Json) -> Json:
    channel = writable(context, arguments)
    user = str(arguments.get("user"))
    if user not in channel.members:
        raise Refused("user_not_in_channel")
    text, blocks, markdown, warning = content(arguments)
    thread = thread_of(channel, arguments)
    ts = context.workspace.new_ts()
    message = Message(channel.id, ts, BOT_USER, text, blocks, thread, BOT, ephemeral_to=user, markdown=markdown)
    channel.ephemerals.append(message)
    return {"message_ts": ts} | warning


async def get_permalink(context: Context, arguments: Json) -> Json:
    channel = context.workspace.channel(arguments.get("channel"))
    message = context.workspace.message(channel, arguments.get("message_ts"))
    link = f"https://hollerbell.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.thread_ts:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


METHODS: dict[str, Handler] = {
    "chat.postMessage": post_message,
    "chat.update": update,
    "chat.delete": delete,
    "chat.postEphemeral": post_ephemeral,
    "chat.getPermalink": get_permalink,
}
