"""Events as Slack sends them.

https://docs.slack.dev/apis/events-api, https://docs.slack.dev/reference/events/message, /app_mention, /app_home_opened
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import Any

from tests.servers.slack.state import APP, BOT_USER, TEAM, Channel, Json, Message, Workspace
from tests.servers.slack.text import rich_text

TOKEN = "verification-token"
NAME = "WikiWhy"


def envelope(event: Json, channel: Channel | None, team: str = TEAM) -> Json:
    """Of one event, with an id of its own."""
    event_id = f"Ev{secrets.token_hex(5).upper()}"
    return {
        "token": TOKEN,
        "team_id": team,
        "context_team_id": team,
        "context_enterprise_id": None,
        "api_app_id": APP,
        "event": event,
        "type": "event_callback",
        "event_id": event_id,
        "event_time": int(time.time()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": team,
                "user_id": BOT_USER,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": channel.ext_shared if channel else False,
        "event_context": f"4-{event_id}",
    }


def message_json(workspace: Workspace, channel: Channel, message: Message) -> Json:
    """A message as the API's answers and the events' ``message`` have it."""
    user = workspace.users[message.user]
    shown: Json = {"user": message.user, "type": "message", "ts": message.ts, "text": message.text, "team": user.team}
    if message.client_msg_id:
        shown["client_msg_id"] = message.client_msg_id
    if message.bot_id:
        profile = {"id": message.bot_id, "app_id": APP, "name": user.name, "deleted": False, "team_id": user.team}
        shown |= {"bot_id": message.bot_id, "app_id": APP, "bot_profile": profile}
    if message.blocks:
        shown["blocks"] = message.blocks
    if message.files:
        shown |= {"files": message.files, "upload": False, "display_as_bot": False}
    if message.metadata:
        shown["metadata"] = message.metadata
    if message.edited_at:
        shown["edited"] = {"user": message.user, "ts": message.edited_at}
    if user.stranger:
        profile = {"name": user.name, "real_name": user.real_name, "team": user.team, "display_name": user.name}
        shown |= {"user_team": user.team, "source_team": user.team, "user_profile": profile}
    if message.thread_ts:
        root = channel.messages.get(message.thread_ts)
        shown["thread_ts"] = message.thread_ts
        if root and root is not message:
            shown["parent_user_id"] = root.user
    return shown


def message_event(workspace: Workspace, channel: Channel, message: Message, kind: str) -> Json:
    """``app_mention`` or ``message``."""
    event = message_json(workspace, channel, message)
    event |= {"type": kind, "channel": channel.id, "event_ts": message.ts}
    if kind == "message":
        event["channel_type"] = channel.kind
        if message.files:
            event["subtype"] = "file_share"
        elif message.bot_id and message.user != BOT_USER:
            event["subtype"] = "bot_message"
    return event


def changed_event(workspace: Workspace, channel: Channel, message: Message, before: Json) -> Json:
    after = message_json(workspace, channel, message)
    return _hidden(workspace, channel, "message_changed", message=after, previous_message=before)


def deleted_event(workspace: Workspace, channel: Channel, message: Message, before: Json, has_replies: bool) -> Json:
    """With replies under it, the message becomes a tombstone."""
    if has_replies:
        stone = {
            "type": "message", "subtype": "tombstone", "text": "This message was deleted.", "user": "USLACKBOT",
            "hidden": True, "ts": message.ts, "thread_ts": message.ts,
        }  # fmt: skip
        return _hidden(workspace, channel, "message_changed", message=stone, previous_message=before)
    return _hidden(workspace, channel, "message_deleted", deleted_ts=message.ts, previous_message=before)


def _hidden(workspace: Workspace, channel: Channel, subtype: str, **more: Any) -> Json:
    ts = workspace.new_ts()
    named = {"type": "message", "subtype": subtype, "channel": channel.id, "hidden": True, "ts": ts, "event_ts": ts}
    return named | {"channel_type": channel.kind} | more


def typed(workspace: Workspace, channel: Channel, user: str, text: str, ts: str, thread: str | None) -> Message:
    """What a person wrote, with the blocks Slack makes of it."""
    person = workspace.user(user)
    number = workspace.new_id("")
    client_id = f"00000000-0000-4000-8000-00{number}"
    bot_id = f"B{person.id[1:]}" if person.bot else None
    return Message(
        channel.id, ts, user, text, [] if bot_id else rich_text(text, block_id()), thread,
        bot_id, client_msg_id=None if bot_id else client_id,
    )  # fmt: skip


def block_id() -> str:
    return secrets.token_urlsafe(4)[:5]


def with_ids(blocks: Sequence[Json]) -> list[Json]:
    """Copies whose blocks and elements have the ids that Slack gives to those without."""
    return [_with_ids(block) for block in blocks]


def _with_ids(block: Json) -> Json:
    given = {"block_id": block.get("block_id") or block_id()} | {k: v for k, v in block.items() if k != "block_id"}
    for name in ("elements", "accessory", "element"):
        if block["type"] != "rich_text" and name in block:
            inner = block[name]
            given[name] = [_identified(one) for one in inner] if isinstance(inner, list) else _identified(inner)
    return given


def _identified(element: Json) -> Json:
    if element.get("type") in ("image", "mrkdwn", "plain_text"):
        return element
    return {"action_id": element.get("action_id") or block_id()} | {
        k: v for k, v in element.items() if k != "action_id"
    }
