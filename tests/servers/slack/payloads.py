"""Payloads of events, clicks, modals and commands as Slack sends them, and messages as its API returns them.

https://docs.slack.dev/apis/events-api, https://docs.slack.dev/reference/events/message, /app_mention;
https://docs.slack.dev/reference/interaction-payloads/block_actions-payload, /view_submission-payload;
https://docs.slack.dev/interactivity/implementing-slash-commands
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from typing import Any

from tests.servers.chat_server import Json
from tests.servers.slack.blocks import texts_in
from tests.servers.slack.state import APP, BOT, BOT_USER, TEAM, TOKEN, Channel, Message, View, Workspace


def envelope(event: Json, channel: Channel | None, team: str = TEAM) -> Json:
    """Return the envelope of an event, with a new event id."""
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
    """Return a message as in API responses and events."""
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
    if message.streaming:
        shown["streaming_state"] = "in_progress"
    return shown


def message_event(workspace: Workspace, channel: Channel, message: Message, kind: str) -> Json:
    """Return an event of type ``app_mention`` or ``message``."""
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
    """Return the event of a deletion; a message with replies becomes a tombstone."""
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


_URL = "https://hooks.slack.invalid/commands/1"
"""A response URL, which the bot does not use."""


def clickable(blocks: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Yield each element that has an action id, with its block."""
    for block in blocks:
        for element in [*block.get("elements", []), block.get("accessory"), block.get("element")]:
            if isinstance(element, dict) and "action_id" in element:
                yield block, element


def find_clickable(blocks: list[Json], wanted: str) -> tuple[Json, Json]:
    """Find an element by action id or else by its text. Raises KeyError with the elements that exist."""
    there = list(clickable(blocks))
    for block, element in there:
        if element["action_id"] == wanted:
            return block, element
    for block, element in there:
        if wanted in texts_in(element.get("text", {})):
            return block, element
    names = [f"{element['action_id']} ({'/'.join(texts_in(element))})" for _, element in there]
    raise KeyError(f"nothing to click by the name of {wanted!r}; there is {names}")


def click_payload(
    workspace: Workspace, user: str, channel: Channel, seen: Message, block: Json, element: Json, thumb: str = ""
) -> Json:
    """Return the payload of a click. ``thumb``: ``positive`` or ``negative`` for feedback buttons."""
    action: Json = {"action_id": element["action_id"], "block_id": block["block_id"], "type": element["type"]}
    chosen = element[f"{thumb}_button"] if thumb else element
    action |= {name: chosen[name] for name in ("text", "value", "style") if name in chosen}
    container: Json = {"type": "message", "message_ts": seen.ts, "channel_id": channel.id}
    container["is_ephemeral"] = seen.ephemeral_to is not None
    if seen.thread_ts:
        container["thread_ts"] = seen.thread_ts
    payload = _base(workspace, "block_actions", user) | {
        "actions": [action | {"action_ts": workspace.new_ts()}], "container": container, "channel": _channel(channel),
        "state": {"values": {}}, "response_url": _URL,
    }  # fmt: skip
    return payload if seen.ephemeral_to else payload | {"message": message_json(workspace, channel, seen)}


def submission_payload(workspace: Workspace, view: View, values: Json) -> Json:
    """Return the payload of a submitted modal. ``values``: texts by action id."""
    state = {
        block["block_id"]: {element["action_id"]: {"type": element["type"], "value": values.get(element["action_id"])}}
        for block, element in clickable(view.view["blocks"])
        if block["type"] == "input"
    }
    return _base(workspace, "view_submission", view.user) | {"view": view_json(view, state), "response_urls": []}


def view_json(view: View, state: Json | None = None) -> Json:
    named = {"id": view.id, "team_id": TEAM, "state": {"values": state or {}}, "root_view_id": view.id, "hash": "1"}
    return {"private_metadata": "", "callback_id": ""} | view.view | named | {"app_id": APP, "bot_id": BOT}


def command_form(workspace: Workspace, user: str, channel: Channel, command: str, text: str) -> Json:
    person = workspace.user(user)
    return {
        "token": TOKEN, "team_id": person.team, "team_domain": "hollerbell", "channel_id": channel.id,
        "channel_name": _channel(channel)["name"], "user_id": user, "user_name": person.name, "command": command,
        "text": text, "api_app_id": APP, "is_enterprise_install": "false", "response_url": _URL,
        "trigger_id": workspace.new_trigger(user),
    }  # fmt: skip


def _base(workspace: Workspace, kind: str, user: str) -> Json:
    person = workspace.user(user)
    return {
        "type": kind, "user": {"id": user, "username": person.name, "name": person.name, "team_id": person.team},
        "api_app_id": APP, "token": TOKEN, "team": {"id": TEAM, "domain": "hollerbell"}, "enterprise": None,
        "is_enterprise_install": False, "trigger_id": workspace.new_trigger(user),
    }  # fmt: skip


def _channel(channel: Channel) -> Json:
    name = "directmessage" if channel.im_with else "privategroup" if channel.private else channel.name
    return {"id": channel.id, "name": name}
