"""What people do in the workspace, and what the bot is told of it. All in the server's event loop."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from tests.servers.slack import interactions
from tests.servers.slack.context import Context
from tests.servers.slack.delivery import Delivery
from tests.servers.slack.emulator import Emulator
from tests.servers.slack.events import (
    TOKEN,
    changed_event,
    deleted_event,
    envelope,
    message_event,
    message_json,
    typed,
)
from tests.servers.slack.state import BOT_USER, TEAM, Channel, Json, Message, View
from tests.servers.slack.text import rich_text
from tests.servers.slack.views import view_json


async def add_channel(
    context: Context, name: str, members: set[str], private: bool, ext_shared: bool, with_bot: bool
) -> str:
    channel_id = context.workspace.new_id("G" if private else "C")
    if context.emulator:
        channel_id = await _created(context, context.emulator, name, private)
    there = members | ({BOT_USER} if with_bot else set())
    context.workspace.channels[channel_id] = Channel(channel_id, name, there, private, ext_shared)
    return channel_id


async def _created(context: Context, emulator: Emulator, name: str, private: bool) -> str:
    """The id of the emulator's new channel, or of one that it has from its start (general, random)."""
    session = context.deliverer.session
    assert session
    there = await emulator.call(session, "conversations.list", {"limit": 1000})
    for channel in there["channels"]:
        if channel["name"] == name and channel["id"] not in context.workspace.channels:
            return str(channel["id"])
    made = await emulator.call(session, "conversations.create", {"name": name, "is_private": private})
    return str(made["channel"]["id"])


async def share(context: Context, channel_id: str, shared: bool) -> None:
    """Another organisation accepts an invitation, or leaves; the bot is told."""
    channel = context.workspace.channel(channel_id)
    channel.ext_shared = shared
    kind = "channel_shared" if shared else "channel_unshared"
    who = "connected_team_id" if shared else "previously_connected_team_id"
    event = {"type": kind, who: "E0PARTNER01", "channel": channel_id, "event_ts": f"{time.time():.6f}"}
    context.deliverer.later(context.deliverer.event(kind, envelope(event, channel)))


async def say(
    context: Context,
    user: str,
    channel_id: str,
    text: str,
    thread: str | None,
    files: Sequence[Json],
    as_kinds: Sequence[str] | None,
    deliveries: int,
) -> str:
    channel = context.workspace.channel(channel_id)
    ts = await context.new_message_ts(channel, text, thread)
    message = typed(context.workspace, channel, user, text, ts, thread)
    message.files = list(files)
    channel.add(message)
    if as_kinds is None:
        mentioned = f"<@{BOT_USER}" in text and not channel.im_with and not message.bot_id
        as_kinds = ("app_mention", "message") if mentioned else ("message",)
    for kind in as_kinds:
        event = envelope(message_event(context.workspace, channel, message, kind), channel)
        context.deliverer.later(context.deliverer.event(kind, event, repeats=deliveries))
    return ts


async def edit(context: Context, channel_id: str, ts: str, text: str) -> None:
    channel = context.workspace.channel(channel_id)
    message = context.workspace.message(channel, ts)
    before = message_json(context.workspace, channel, message)
    message.edited_at = context.workspace.new_ts()
    message.change(text, rich_text(text, "edited"))
    event = changed_event(context.workspace, channel, message, before)
    context.deliverer.later(context.deliverer.event("message_changed", envelope(event, channel)))


async def delete(context: Context, channel_id: str, ts: str) -> None:
    channel = context.workspace.channel(channel_id)
    message = context.workspace.message(channel, ts)
    before = message_json(context.workspace, channel, message)
    await context.mirror(channel, "chat.delete", ts=ts)
    message.deleted = True
    has_replies = any(not one.deleted for one in channel.threads.get(ts, []))
    event = deleted_event(context.workspace, channel, message, before, has_replies)
    context.deliverer.later(context.deliverer.event("message_deleted", envelope(event, channel)))


def _seen(context: Context, channel_id: str, ts: str) -> tuple[Channel, Message]:
    channel = context.workspace.channel(channel_id)
    alone = next((message for message in channel.ephemerals if message.ts == ts and not message.deleted), None)
    return channel, alone or context.workspace.message(channel, ts)


async def click(
    context: Context, user: str, channel_id: str, ts: str, wanted: str, value: str | None = None
) -> Delivery:
    channel, message = _seen(context, channel_id, ts)
    block, element = interactions.find_clickable(message.blocks, wanted)
    actions = [interactions.action(context, block, element, value)]
    return _sent(context, "block_actions", interactions.click_payload(context, user, channel, message, actions))


async def feedback(context: Context, user: str, channel_id: str, ts: str, chosen: str) -> Delivery:
    channel, message = _seen(context, channel_id, ts)
    thumbs = [pair for pair in interactions.clickable(message.blocks) if pair[1]["type"] == "feedback_buttons"]
    if not thumbs:
        raise KeyError(f"no feedback buttons in {message.text[:80]!r}")
    actions = [interactions.action(context, *thumbs[-1], chosen)]
    return _sent(context, "block_actions", interactions.click_payload(context, user, channel, message, actions))


async def click_in_view(context: Context, view: View, wanted: str, value: str | None) -> Delivery:
    block, element = interactions.find_clickable(view.view["blocks"], wanted)
    actions = [interactions.action(context, block, element, value)]
    return _sent(context, "block_actions", interactions.click_payload(context, view.user, None, view, actions))


def _sent(context: Context, kind: str, body: Json) -> Delivery:
    delivery = Delivery(kind, body)
    context.deliverer.later(context.deliverer.interaction(delivery))
    return delivery


async def submit(context: Context, view: View, values: Json) -> Delivery:
    state: Json = {}
    for block, element in interactions.clickable(view.view["blocks"]):
        if block["type"] == "input":
            chosen = _state(element, values.get(element["action_id"]))
            state.setdefault(block["block_id"], {})[element["action_id"]] = chosen
    delivery = Delivery("view_submission", interactions.submission_payload(context, view, state))

    async def send() -> None:
        await context.deliverer.interaction(delivery)
        interactions.submission_answered(context, view, delivery)

    context.deliverer.later(send())
    return delivery


def _state(element: Json, value: Any) -> Json:
    if "options" in element:
        chosen = [one for one in element["options"] if value is not None and one["value"] in [value, *list(value)]]
        many = element["type"] == "checkboxes" or element["type"].startswith("multi_")
        named = {"selected_options": chosen} if many else {"selected_option": chosen[0] if chosen else None}
        return {"type": element["type"]} | named
    return {"type": element["type"], "value": value}


async def command(context: Context, user: str, channel_id: str, name: str, text: str) -> Delivery:
    channel = context.workspace.channel(channel_id)
    delivery = Delivery("command", interactions.command_form(context, user, channel, name, text))

    async def send() -> None:
        await context.deliverer.interaction(delivery)
        await interactions.command_answered(context, channel, delivery)

    context.deliverer.later(send())
    return delivery


async def open_home(context: Context, user: str, tab: str) -> None:
    home = context.workspace.homes.get(user)
    event: Json = {
        "type": "app_home_opened", "user": user, "channel": context.workspace.direct(user).id, "tab": tab,
        "event_ts": f"{time.time():.6f}",
    }  # fmt: skip
    event |= {"view": view_json(home)} if home and tab == "home" else {}
    await send_event(context, event, None, 1, TEAM)


async def send_event(context: Context, event: Json, channel_id: str | None, deliveries: int, team: str) -> None:
    channel = context.workspace.channel(channel_id) if channel_id else None
    body = envelope(event, channel, team)
    context.deliverer.later(context.deliverer.event(str(event["type"]), body, repeats=deliveries))


async def verify_url(context: Context, challenge: str) -> Delivery:
    body = {"token": TOKEN, "challenge": challenge, "type": "url_verification"}
    await context.deliverer.event("url_verification", body)
    return next(one for one in reversed(context.deliverer.deliveries) if one.kind == "url_verification")
