"""Clicks, submitted modals and commands, as Slack sends them.

https://docs.slack.dev/reference/interaction-payloads/block_actions-payload, /view_submission-payload;
https://docs.slack.dev/interactivity/implementing-slash-commands
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.servers.chat_server import Json
from tests.servers.slack.blocks import texts_in
from tests.servers.slack.events import message_json
from tests.servers.slack.state import APP, BOT, TEAM, TOKEN, Channel, Message, View, Workspace

_URL = "https://hooks.slack.invalid/commands/1"
"""A response URL, which the bot does not use."""


def clickable(blocks: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Each element with an action id, with its block."""
    for block in blocks:
        for element in [*block.get("elements", []), block.get("accessory"), block.get("element")]:
            if isinstance(element, dict) and "action_id" in element:
                yield block, element


def find_clickable(blocks: list[Json], wanted: str) -> tuple[Json, Json]:
    """By action id, else by the visible text; raises KeyError naming what there is."""
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
    """``thumb``: ``positive`` or ``negative``, of feedback buttons."""
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
    """``values``: texts by action id."""
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
