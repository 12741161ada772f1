"""The methods that read channels and threads.

https://docs.slack.dev/reference/methods/conversations.replies, .history, .info, .open, .members, .list
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from tests.servers.slack.chat import as_flag
from tests.servers.slack.context import Context, Handler
from tests.servers.slack.events import message_json
from tests.servers.slack.state import BOT_USER, TEAM, Channel, Json, Message, Refused


def readable(context: Context, arguments: Json) -> Channel:
    channel = context.workspace.channel(arguments.get("channel"))
    if BOT_USER not in channel.members:
        raise Refused("channel_not_found" if channel.private else "not_in_channel")
    return channel


def page(items: Sequence[Any], arguments: Json, *, default: int, most: int = 1000) -> tuple[Sequence[Any], Json]:
    """The items of this page, and the answer's paging fields."""
    try:
        limit = int(arguments.get("limit") or default)
        start = int(base64.b64decode(str(arguments.get("cursor") or "") or b"MA==").decode().removeprefix("offset:"))
    except ValueError:
        raise Refused("invalid_cursor" if arguments.get("cursor") else "invalid_limit") from None
    if limit < 1 or limit > most:
        raise Refused("invalid_limit")
    more = start + limit < len(items)
    following = base64.b64encode(f"offset:{start + limit}".encode()).decode() if more else ""
    return items[start : start + limit], {"has_more": more, "response_metadata": {"next_cursor": following}}


def between(messages: Sequence[Message], arguments: Json) -> list[Message]:
    oldest, latest = str(arguments.get("oldest") or "0"), str(arguments.get("latest") or "9999999999")
    inclusive = as_flag(arguments, "inclusive")

    def fits(message: Message) -> bool:
        return _number(oldest) < _number(message.ts) < _number(latest) or (inclusive and message.ts in (oldest, latest))

    return [message for message in messages if fits(message)]


def _number(ts: str) -> tuple[int, int]:
    second, _, rest = ts.partition(".")
    try:
        return int(second), int(rest or 0)
    except ValueError:
        raise Refused("invalid_ts_oldest") from None


def in_order(messages: Sequence[Message]) -> list[Message]:
    return sorted((message for message in messages if not message.deleted), key=lambda message: _number(message.ts))


def rooted(context: Context, channel: Channel, message: Message) -> Json:
    """With what its thread has, where it is one's root."""
    shown = message_json(context.workspace, channel, message)
    replies = [reply for reply in in_order(channel.threads.get(message.ts, [])) if reply is not message]
    if not replies:
        return shown
    users = list(dict.fromkeys(reply.user for reply in replies))
    return shown | {
        "thread_ts": message.ts, "reply_count": len(replies), "reply_users_count": len(users), "reply_users": users,
        "latest_reply": replies[-1].ts, "is_locked": False, "subscribed": BOT_USER in users,
    }  # fmt: skip


async def replies(context: Context, arguments: Json) -> Json:
    """The root is on the first page whatever the bounds are."""
    channel = readable(context, arguments)
    found = channel.messages.get(str(arguments.get("ts")))
    if found is None:
        raise Refused("thread_not_found")
    thread = in_order(channel.threads[found.root])
    if not thread:
        raise Refused("thread_not_found")
    root = [message for message in thread if message.ts == found.root]
    rest = between([message for message in thread if message.ts != found.root], arguments)
    shown, paging = page([*root, *rest], arguments, default=1000)
    return {"messages": [rooted(context, channel, message) for message in shown]} | paging


async def history(context: Context, arguments: Json) -> Json:
    """Newest first, without replies."""
    channel = readable(context, arguments)
    roots = [message for message in channel.messages.values() if message.root == message.ts]
    shown, paging = page(between(in_order(roots), arguments)[::-1], arguments, default=100, most=999)
    return {"messages": [rooted(context, channel, message) for message in shown], "pin_count": 0} | paging


def channel_json(channel: Channel) -> Json:
    if channel.im_with:
        shown: Json = {"id": channel.id, "created": channel.created, "is_im": True, "is_org_shared": False}
        return shown | {"user": channel.im_with, "context_team_id": TEAM, "is_user_deleted": False, "priority": 0}
    return {
        "id": channel.id, "name": channel.name, "name_normalized": channel.name, "created": channel.created,
        "is_channel": not channel.private, "is_group": channel.private, "is_im": False, "is_mpim": False,
        "is_private": channel.private, "is_archived": channel.archived, "is_general": False,
        "is_shared": channel.ext_shared, "is_ext_shared": channel.ext_shared, "is_org_shared": False,
        "is_pending_ext_shared": channel.invited, "pending_shared": ["E0PARTNER01"] if channel.invited else [],
        "is_member": BOT_USER in channel.members, "context_team_id": TEAM, "num_members": len(channel.members),
        "topic": {"value": "", "creator": "", "last_set": 0}, "purpose": {"value": "", "creator": "", "last_set": 0},
    }  # fmt: skip


async def info(context: Context, arguments: Json) -> Json:
    channel = context.workspace.channel(arguments.get("channel"))
    if channel.private and BOT_USER not in channel.members:
        raise Refused("channel_not_found")
    return {"channel": channel_json(channel)}


async def open_(context: Context, arguments: Json) -> Json:
    if arguments.get("channel"):
        return {"channel": {"id": context.workspace.channel(arguments["channel"]).id}}
    users = str(arguments.get("users") or "").split(",")
    if len(users) != 1:
        raise Refused("method_not_supported_for_channel_type")
    user = context.workspace.user(users[0])
    if user.id == BOT_USER or user.bot:
        raise Refused("cannot_dm_bot")
    known = any(channel.im_with == user.id for channel in context.workspace.channels.values())
    channel = context.workspace.direct(user.id)
    shown = channel_json(channel) if as_flag(arguments, "return_im") else {"id": channel.id}
    return {"channel": shown} | ({"no_op": True, "already_open": True} if known else {})


async def members(context: Context, arguments: Json) -> Json:
    channel = context.workspace.channel(arguments.get("channel"))
    shown, paging = page(sorted(channel.members), arguments, default=100)
    return {"members": shown, "response_metadata": paging["response_metadata"]}


async def list_(context: Context, arguments: Json) -> Json:
    kinds = str(arguments.get("types") or "public_channel").split(",")
    names = {"channel": "public_channel", "group": "private_channel", "im": "im"}
    seen = [
        channel
        for channel in context.workspace.channels.values()
        if names[channel.kind] in kinds and (not channel.private or BOT_USER in channel.members)
    ]
    shown, paging = page(seen, arguments, default=100)
    return {"channels": [channel_json(one) for one in shown], "response_metadata": paging["response_metadata"]}


METHODS: dict[str, Handler] = {
    "conversations.replies": replies,
    "conversations.history": history,
    "conversations.info": info,
    "conversations.open": open_,
    "conversations.members": members,
    "conversations.list": list_,
}
