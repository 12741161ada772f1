"""What a bot sends to a response URL, or answers a command with.

https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
"""

from __future__ import annotations

from tests.servers.slack.chat import add, as_flag, content
from tests.servers.slack.context import Context
from tests.servers.slack.state import BOT, BOT_USER, Channel, Json, Message, Refused


async def respond(context: Context, name: str, arguments: Json) -> Message | None:
    """One use of the URL with this name."""
    used = context.response_urls.use(name)
    channel = context.workspace.channel(used.channel)
    original = _original(channel, used.ts)
    if as_flag(arguments, "delete_original"):
        if original:
            original.deleted = True
        return None
    if as_flag(arguments, "replace_original") and original:
        text, blocks, markdown, _ = content(arguments)
        original.markdown = markdown
        original.change(text, blocks)
        return original
    thread = str(arguments["thread_ts"]) if arguments.get("thread_ts") else None
    return await answered(context, channel, used.user, arguments, thread)


async def answered(context: Context, channel: Channel, user: str, arguments: Json, thread: str | None) -> Message:
    """A new message: for this user alone unless ``in_channel``."""
    text, blocks, markdown, _ = content(arguments)
    if arguments.get("response_type", "ephemeral") not in ("ephemeral", "in_channel"):
        raise Refused("invalid_arguments")
    if arguments.get("response_type") == "in_channel":
        ts = await context.new_message_ts(channel, text, thread)
        message = Message(channel.id, ts, BOT_USER, text, blocks, thread, BOT, markdown=markdown)
        add(context, channel, message)
        return message
    ts = context.workspace.new_ts()
    message = Message(channel.id, ts, BOT_USER, text, blocks, thread, BOT, ephemeral_to=user, markdown=markdown)
    channel.ephemerals.append(message)
    return message


def _original(channel: Channel, ts: str | None) -> Message | None:
    if ts is None:
        return None
    return channel.messages.get(ts) or next((one for one in channel.ephemerals if one.ts == ts), None)
