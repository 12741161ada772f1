"""The methods of Slack's API that the bot calls: https://docs.slack.dev/reference/methods"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.servers.chat_server import Json
from tests.servers.slack import streams
from tests.servers.slack.blocks import (
    TEXT,
    UPDATED_TEXT,
    check_blocks,
    check_home,
    check_modal,
    length,
    with_ids,
)
from tests.servers.slack.payloads import message_json, view_json
from tests.servers.slack.state import APP, BOT, BOT_USER, TEAM, Channel, Message, RequestError, View, Workspace


def _json(arguments: Json, name: str, error: str) -> Any:
    """Return an argument that may be JSON in a string."""
    value = arguments.get(name)
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if value else None
    except ValueError:
        raise RequestError(error) from None


def content(arguments: Json) -> tuple[str, list[Json]]:
    """Return text and blocks, after checking them."""
    blocks = _json(arguments, "blocks", "invalid_blocks_format") or []
    text = str(arguments.get("text") or "")
    if not text and not blocks:
        raise RequestError("no_text")
    check_blocks(blocks)
    return text[:TEXT], with_ids(blocks)


def _find_channel(workspace: Workspace, arguments: Json) -> Channel:
    """Return the channel; the bot has to be a member."""
    channel = workspace.channel(arguments.get("channel"))
    if BOT_USER not in channel.members:
        raise RequestError("channel_not_found" if channel.private else "not_in_channel")
    return channel


def _find_thread(channel: Channel, arguments: Json) -> str | None:
    """Return the ts of the thread's first message, which has to exist."""
    given = arguments.get("thread_ts")
    if not given:
        return None
    found = channel.messages.get(str(given))
    if found is None or all(message.deleted for message in channel.threads[found.root]):
        raise RequestError("thread_not_found")
    return found.root


def _find_own(workspace: Workspace, channel: Channel, ts: Any, error: str) -> Message:
    message = workspace.message(channel, ts)
    if message.user != BOT_USER:
        raise RequestError(error)
    return message


# chat.*


def post_message(workspace: Workspace, arguments: Json) -> Json:
    channel = _find_channel(workspace, arguments)
    text, blocks = content(arguments)
    thread = _find_thread(channel, arguments)
    message = Message(channel.id, workspace.new_ts(), BOT_USER, text, blocks, thread, BOT)
    channel.add(message)
    channel.statuses.pop(message.root, None)
    return {"channel": channel.id, "ts": message.ts, "message": message_json(workspace, channel, message)}


def set_status(workspace: Workspace, arguments: Json) -> Json:
    """https://docs.slack.dev/reference/methods/assistant.threads.setStatus; an empty status clears it."""
    channel = _find_channel(workspace, arguments | {"channel": arguments.get("channel_id")})
    if "status" not in arguments or not arguments.get("thread_ts"):
        raise RequestError("invalid_arguments")
    thread = _find_thread(channel, arguments)
    assert thread
    channel.statuses[thread] = str(arguments["status"])
    if not arguments["status"]:
        del channel.statuses[thread]
    return {}


def update(workspace: Workspace, arguments: Json) -> Json:
    if arguments.get("channel") in workspace.users:  # "this value is the DM ID instead of the User ID"
        raise RequestError("channel_not_found")
    channel = _find_channel(workspace, arguments)
    message = _find_own(workspace, channel, arguments.get("ts"), "cant_update_message")
    if message.streaming:
        raise RequestError("streaming_state_conflict")
    text, blocks = content(arguments)
    if length(text) > UPDATED_TEXT:
        raise RequestError("msg_too_long")
    if "blocks" not in arguments:
        blocks = message.blocks  # "If you don't include this field, the message's previous blocks will be retained."
    message.edited_at = workspace.new_ts()
    message.change(text, blocks)
    shown = message_json(workspace, channel, message)
    return {"channel": channel.id, "ts": message.ts, "text": text, "message": shown}


def delete(workspace: Workspace, arguments: Json) -> Json:
    channel = _find_channel(workspace, arguments)
    message = _find_own(workspace, channel, arguments.get("ts"), "cant_delete_message")
    message.deleted = True
    return {"channel": channel.id, "ts": message.ts}


def post_ephemeral(workspace: Workspace, arguments: Json) -> Json:
    channel = _find_channel(workspace, arguments)
    user = str(arguments.get("user"))
    if user not in channel.members:
        raise RequestError("user_not_in_channel")
    return {"message_ts": show_alone(workspace, channel, user, arguments).ts}


def show_alone(workspace: Workspace, channel: Channel, user: str, arguments: Json) -> Message:
    """Add an ephemeral message; the response to a command is one too."""
    text, blocks = content(arguments)
    thread, ts = _find_thread(channel, arguments), workspace.new_ts()
    message = Message(channel.id, ts, BOT_USER, text, blocks, thread, BOT, ephemeral_to=user)
    channel.ephemerals.append(message)
    return message


def get_permalink(workspace: Workspace, arguments: Json) -> Json:
    channel = workspace.channel(arguments.get("channel"))
    message = workspace.message(channel, arguments.get("message_ts"))
    link = f"https://hollerbell.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}"
    thread = f"?thread_ts={message.thread_ts}&cid={channel.id}" if message.thread_ts else ""
    return {"channel": channel.id, "permalink": link + thread}


def start_stream(workspace: Workspace, arguments: Json) -> Json:
    channel = _find_channel(workspace, arguments)
    return streams.start_stream(workspace, channel, _find_thread(channel, arguments), arguments)


def append_stream(workspace: Workspace, arguments: Json) -> Json:
    channel = _find_channel(workspace, arguments)
    message = _find_own(workspace, channel, arguments.get("ts"), "message_not_owned_by_app")
    return streams.append_stream(workspace, channel, message, arguments)


def stop_stream(workspace: Workspace, arguments: Json) -> Json:
    channel = _find_channel(workspace, arguments)
    message = _find_own(workspace, channel, arguments.get("ts"), "message_not_owned_by_app")
    blocks = _json(arguments, "blocks", "invalid_blocks_format") or []
    streams.stop_stream(workspace, message, blocks, arguments)
    return {"channel": channel.id, "ts": message.ts, "message": message_json(workspace, channel, message)}


# conversations.*


def _page(items: Sequence[Any], arguments: Json, default: int) -> tuple[Sequence[Any], Json]:
    """Return the items of the requested page, and the response's paging fields."""
    try:
        limit = int(arguments.get("limit") or default)
        start = int(base64.b64decode(str(arguments.get("cursor") or "") or b"MA==").decode().removeprefix("offset:"))
    except ValueError:
        raise RequestError("invalid_cursor" if arguments.get("cursor") else "invalid_limit") from None
    if not 1 <= limit <= 1000:
        raise RequestError("invalid_limit")
    more = start + limit < len(items)
    following = base64.b64encode(f"offset:{start + limit}".encode()).decode() if more else ""
    return items[start : start + limit], {"has_more": more, "response_metadata": {"next_cursor": following}}


def replies(workspace: Workspace, arguments: Json) -> Json:
    """Oldest first."""
    channel = _find_channel(workspace, arguments)
    found = channel.messages.get(str(arguments.get("ts")))
    thread = [message for message in channel.threads[found.root] if not message.deleted] if found else []
    if not thread:
        raise RequestError("thread_not_found")
    shown, paging = _page(thread, arguments, default=1000)
    return {"messages": [message_json(workspace, channel, message) for message in shown]} | paging


def history(workspace: Workspace, arguments: Json) -> Json:
    """Newest first, without replies."""
    channel = _find_channel(workspace, arguments)
    roots = [message for message in channel.messages.values() if message.root == message.ts and not message.deleted]
    shown, paging = _page(roots[::-1], arguments, default=100)
    return {"messages": [message_json(workspace, channel, message) for message in shown]} | paging


def channel_info(workspace: Workspace, arguments: Json) -> Json:
    channel = workspace.channel(arguments.get("channel"))
    if channel.private and BOT_USER not in channel.members:
        raise RequestError("channel_not_found")
    return {"channel": _channel_json(channel)}


def _channel_json(channel: Channel) -> Json:
    if channel.im_with:
        return {"id": channel.id, "is_im": True, "is_org_shared": False, "user": channel.im_with}
    return {
        "id": channel.id, "name": channel.name, "is_channel": not channel.private, "is_group": channel.private,
        "is_im": False, "is_mpim": False, "is_private": channel.private, "is_archived": False,
        "is_shared": channel.ext_shared, "is_ext_shared": channel.ext_shared, "is_org_shared": False,
        "is_pending_ext_shared": False, "pending_shared": [], "is_member": BOT_USER in channel.members,
        "context_team_id": TEAM, "num_members": len(channel.members),
    }  # fmt: skip


def open_conversation(workspace: Workspace, arguments: Json) -> Json:
    user = workspace.user(arguments.get("users"))
    if user.bot:
        raise RequestError("cannot_dm_bot")
    return {"channel": {"id": workspace.direct(user.id).id}}


# People, the bot, modals


def user_info(workspace: Workspace, arguments: Json) -> Json:
    user = workspace.user(arguments.get("user"))
    profile: Json = {"real_name": user.real_name, "display_name": user.name, "team": user.team}
    profile |= {"email": user.email} if user.email is not None else {}
    shown: Json = {
        "id": user.id, "team_id": user.team, "name": user.name, "deleted": False, "profile": profile,
        "is_bot": user.bot, "is_app_user": False, "real_name": user.real_name, "tz": "Europe/Berlin",
        "is_admin": False, "is_owner": False, "is_email_confirmed": bool(user.email),
        "is_restricted": user.restricted or user.ultra_restricted, "is_ultra_restricted": user.ultra_restricted,
    }  # fmt: skip
    shown |= {"is_stranger": True} if user.stranger else {}
    return {"user": shown | ({"locale": user.locale} if arguments.get("include_locale") == "true" else {})}


def auth_test(workspace: Workspace, arguments: Json) -> Json:
    me = workspace.users[BOT_USER]
    return {
        "url": "https://hollerbell.slack.com/", "team": "Hollerbell", "user": me.name, "team_id": TEAM,
        "user_id": BOT_USER, "bot_id": BOT, "app_id": APP, "is_enterprise_install": False,
    }  # fmt: skip


def open_view(workspace: Workspace, arguments: Json) -> Json:
    view = _json(arguments, "view", "invalid_arguments")
    check_modal(view)
    user = workspace.use_trigger(arguments.get("trigger_id"))
    name = view.get("external_id")
    if name and any(each.view.get("external_id") == name for each in workspace.views.values()):
        raise RequestError("duplicate_external_id")
    made = View(workspace.new_id("V"), user, view | {"blocks": with_ids(view["blocks"])})
    workspace.views[made.id] = made
    return {"view": view_json(made)}


def update_view(workspace: Workspace, arguments: Json) -> Json:
    """https://docs.slack.dev/reference/methods/views.update: of a modal that is open, by either id."""
    view = _json(arguments, "view", "invalid_arguments")
    check_modal(view)
    found = workspace.views.get(str(arguments.get("view_id")))
    if name := arguments.get("external_id"):
        found = next((each for each in workspace.views.values() if each.view.get("external_id") == name), None)
    if found is None or not found.open:
        raise RequestError("not_found")
    named = {"external_id": found.view["external_id"]} if "external_id" in found.view else {}
    found.view = view | named | {"blocks": with_ids(view["blocks"])}
    return {"view": view_json(found)}


def publish_view(workspace: Workspace, arguments: Json) -> Json:
    """https://docs.slack.dev/reference/methods/views.publish"""
    view = _json(arguments, "view", "invalid_arguments")
    check_home(view)
    user = workspace.user(arguments.get("user_id"))
    workspace.homes[user.id] = View(workspace.new_id("V"), user.id, view | {"blocks": with_ids(view["blocks"])})
    return {"view": view_json(workspace.homes[user.id])}


def unfurl(workspace: Workspace, arguments: Json) -> Json:
    """https://docs.slack.dev/reference/methods/chat.unfurl: of links that the message has."""
    channel = workspace.channel(arguments.get("channel"))
    message = workspace.message(channel, arguments.get("ts"))
    unfurls = _json(arguments, "unfurls", "invalid_unfurls_format")
    if not isinstance(unfurls, dict) or not unfurls:
        raise RequestError("missing_unfurls")
    for url, shown in unfurls.items():
        if url not in message.text:
            raise RequestError("cannot_unfurl_url")
        check_blocks(shown.get("blocks"))
        message.previews[url] = with_ids(shown["blocks"])
    return {}


METHODS: dict[str, Callable[[Workspace, Json], Json]] = {
    "assistant.threads.setStatus": set_status,
    "auth.test": auth_test,
    "chat.appendStream": append_stream,
    "chat.delete": delete,
    "chat.getPermalink": get_permalink,
    "chat.postEphemeral": post_ephemeral,
    "chat.postMessage": post_message,
    "chat.startStream": start_stream,
    "chat.stopStream": stop_stream,
    "chat.unfurl": unfurl,
    "chat.update": update,
    "conversations.history": history,
    "conversations.info": channel_info,
    "conversations.open": open_conversation,
    "conversations.replies": replies,
    "users.info": user_info,
    "views.open": open_view,
    "views.publish": publish_view,
    "views.update": update_view,
}
