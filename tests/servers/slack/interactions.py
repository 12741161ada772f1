"""Clicks, submitted modals and commands.

https://docs.slack.dev/reference/interaction-payloads/block_actions-payload, /view_submission-payload;
https://docs.slack.dev/interactivity/implementing-slash-commands
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.servers.slack.context import Context
from tests.servers.slack.delivery import Delivery
from tests.servers.slack.events import TOKEN, message_json
from tests.servers.slack.limits import texts_in
from tests.servers.slack.responses import answered
from tests.servers.slack.state import APP, TEAM, Channel, Json, Message, Refusal, Refused, View
from tests.servers.slack.views import change, checked, opened, view_json

_DOMAIN = "hollerbell"


def clickable(blocks: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Each element that can be clicked or chosen from, with its block."""
    for block in blocks:
        inner = block.get("elements") if block["type"] in ("actions", "context_actions") else []
        for element in [*(inner or []), block.get("accessory"), block.get("element")]:
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


def action(context: Context, block: Json, element: Json, value: str | None = None) -> Json:
    """``value``: which feedback button, or which option, was chosen."""
    shown: Json = {"action_id": element["action_id"], "block_id": block["block_id"], "type": element["type"]}
    shown["action_ts"] = context.workspace.new_ts()
    if element["type"] in ("button", "icon_button"):
        shown |= {name: element[name] for name in ("text", "value", "style") if name in element}
    elif element["type"] == "feedback_buttons":
        button = element[f"{value or 'positive'}_button"]
        shown |= {"value": button["value"], "text": button["text"]}
    else:
        chosen = next(option for option in element["options"] if value in (option["value"], *texts_in(option["text"])))
        shown["selected_option"] = chosen
    return shown


def click_payload(
    context: Context, user: str, channel: Channel | None, seen: Message | View, actions: list[Json]
) -> Json:
    payload = _base(context, "block_actions", user) | {"actions": actions, "enterprise": None}
    payload["trigger_id"] = context.triggers.new(user)
    if isinstance(seen, View) or channel is None:
        assert isinstance(seen, View)
        return payload | {"container": {"type": "view", "view_id": seen.id}, "view": view_json(seen)}
    container: Json = {"type": "message", "message_ts": seen.ts, "channel_id": channel.id}
    container["is_ephemeral"] = seen.ephemeral_to is not None
    if seen.thread_ts:
        container["thread_ts"] = seen.thread_ts
    url = f"{context.url}/response/{context.response_urls.new(channel.id, user, seen.ts)}"
    payload |= {"container": container, "channel": _channel(channel), "state": {"values": {}}, "response_url": url}
    return payload if seen.ephemeral_to else payload | {"message": message_json(context.workspace, channel, seen)}


def submission_payload(context: Context, view: View, values: Json) -> Json:
    view.view["values"] = values
    payload = _base(context, "view_submission", view.user) | {"view": view_json(view), "response_urls": []}
    return payload | {"trigger_id": context.triggers.new(view.user), "enterprise": None}


def command_form(context: Context, user: str, channel: Channel, command: str, text: str) -> Json:
    shown = _channel(channel)
    url = f"{context.url}/response/{context.response_urls.new(channel.id, user, None)}"
    return {
        "token": TOKEN, "team_id": context.workspace.user(user).team, "team_domain": _DOMAIN,
        "channel_id": channel.id, "channel_name": shown["name"], "user_id": user,
        "user_name": context.workspace.user(user).name, "command": command, "text": text, "api_app_id": APP,
        "is_enterprise_install": "false", "response_url": url, "trigger_id": context.triggers.new(user),
    }  # fmt: skip


async def command_answered(context: Context, channel: Channel, delivery: Delivery) -> None:
    """Shows the immediate response."""
    given = delivery.answer
    arguments = {"text": given} if isinstance(given, str) else given
    if delivery.status != 200 or not arguments or not isinstance(arguments, dict) or arguments == {"text": ""}:
        return
    try:
        await answered(context, channel, delivery.body["user_id"], arguments, None)
    except Refused as refused:
        why = refused.more.get("response_metadata", {}).get("messages", [])
        context.refusals.append(Refusal("command", refused.error, why, arguments))


def submission_answered(context: Context, view: View, delivery: Delivery) -> None:
    """Does what the answer says: closes the modal, or changes it."""
    if delivery.status != 200:
        return
    answer: Any = delivery.answer if isinstance(delivery.answer, dict) else {}
    wanted = answer.get("response_action")
    try:
        if wanted == "update":
            change(view, checked(answer.get("view")))
        elif wanted == "push":
            opened(context, view.user, answer.get("view"), view)
        elif wanted == "clear":
            for one in context.workspace.views.values():
                one.open = one.open and one.user != view.user
        elif wanted != "errors":
            view.open = False
    except Refused as refused:
        why = refused.more.get("response_metadata", {}).get("messages", [])
        context.refusals.append(Refusal("view_submission", refused.error, why, answer))


def _base(context: Context, kind: str, user: str) -> Json:
    person = context.workspace.user(user)
    shown = {"id": user, "username": person.name, "name": person.name, "team_id": person.team}
    team = {"id": TEAM, "domain": _DOMAIN}
    return {"type": kind, "user": shown, "api_app_id": APP, "token": TOKEN, "team": team} | {
        "is_enterprise_install": False
    }


def _channel(channel: Channel) -> Json:
    name = "directmessage" if channel.im_with else "privategroup" if channel.private else channel.name
    return {"id": channel.id, "name": name}
