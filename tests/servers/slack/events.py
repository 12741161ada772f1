"""Events as Slack sends them, and messages as its API shows them.

https://docs.slack.dev/apis/events-api, https://docs.slack.dev/reference/events/message, /app_mention
"""

from __future__ import annotations

import secrets
import time
from typing import Any

from tests.servers.chat_server import Json
from tests.servers.slack.state import APP, BOT_USER, TEAM, TOKEN, Channel, Message, Workspace


def envelope(event: Json, channel: Channel | None, team: str = TEAM) -> Json:
    """Of one event, with an id of its own."""
    event_id = f"Ev{secrets.token_hex(5).upper()}"
    authorization = {
        "enterprise_id": None, "team_id": team, "user_id": BOT_USER, "is_bot": True, "is_enterprise_install": False,
    }  # fmt: skip
    return {
        "token": TOKEN, "team_id": team, "context_team_id": team, "context_enterprise_id": None, "api_app_id": APP,
        "event": event, "type": "event_callback", "event_id": event_id, "event_time": int(time.time()),
        "authorizations": [authorization], "is_ext_shared_channel": channel.ext_shared if channel else False,
        "event_context": f"4-{event_id}",
    }  # fmt: skip


def message_json(workspace: Workspace, channel: Channel, message: Message) -> Json:
    """A message as the API's answers and the events' ``message`` have it."""
    user = workspace.users[message.user]
    shown: Json = {"user": message.user, "type": "message", "ts": message.ts, "text": message.text, "team": user.team}
    if message.bot_id:
        profile = {"id": message.bot_id, "app_id": APP, "name": user.name, "deleted": False, "team_id": user.team}
        shown |= {"bot_id": message.bot_id, "app_id": APP, "bot_profile": profile}
    if message.blocks:
        shown["blocks"] = message.blocks
    if message.files:
        shown |= {"files": message.files, "upload": False}
    if message.edited_at:
        shown["edited"] = {"user": message.user, "ts": message.edited_at}
    if user.stranger:
        shown |= {"user_team": user.team, "source_team": user.team}
    if message.thread_ts:
        shown["thread_ts"] = message.thread_ts
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


def deleted_event(workspace: Workspace, channel: Channel, message: Message, before: Json) -> Json:
    """With replies under it, the message becomes a tombstone."""
    if any(not one.deleted for one in channel.threads.get(message.ts, [])):
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
