"""Modals and the home tab.

https://docs.slack.dev/reference/methods/views.open, .push, .update, .publish
"""

from __future__ import annotations

import secrets
from typing import Any

from tests.servers.slack.chat import as_json
from tests.servers.slack.context import Context, Handler
from tests.servers.slack.events import with_ids
from tests.servers.slack.limits import check_view, length
from tests.servers.slack.state import APP, BOT, TEAM, Json, Refused, View

_STACK = 3
_BYTES = 250_000


def view_json(view: View) -> Json:
    given = view.view
    shown: Json = {
        "id": view.id, "team_id": TEAM, "type": given["type"], "blocks": given["blocks"],
        "private_metadata": given.get("private_metadata", ""), "callback_id": given.get("callback_id", ""),
        "state": {"values": given.get("values", {})}, "hash": view.hash, "title": given.get("title"),
        "clear_on_close": bool(given.get("clear_on_close")), "notify_on_close": bool(given.get("notify_on_close")),
        "close": given.get("close"), "submit": given.get("submit"), "previous_view_id": view.previous,
        "root_view_id": view.root, "app_id": APP, "external_id": given.get("external_id", ""),
        "app_installed_team_id": TEAM, "bot_id": BOT,
    }  # fmt: skip
    return shown


def checked(view: Any) -> Json:
    check_view(view)
    if length(str(view)) > _BYTES:
        raise Refused("view_too_large")
    return {**view, "blocks": with_ids(view["blocks"])}


def opened(context: Context, user: str, given: Any, previous: View | None = None) -> View:
    view = checked(given)
    number = context.workspace.new_id("V")
    made = View(number, user, view, previous.root if previous else number, previous.id if previous else None)
    made.hash = secrets.token_hex(6)
    context.workspace.views[made.id] = made
    return made


async def open_(context: Context, arguments: Json) -> Json:
    view = as_json(arguments, "view", "invalid_arguments")
    check_view(view)
    user = context.triggers.use(arguments.get("trigger_id"))
    return {"view": view_json(opened(context, user, view))}


async def push(context: Context, arguments: Json) -> Json:
    view = as_json(arguments, "view", "invalid_arguments")
    check_view(view)
    user = context.triggers.use(arguments.get("trigger_id"))
    stack = [one for one in context.workspace.views.values() if one.user == user and one.open]
    if len(stack) >= _STACK:
        raise Refused("push_limit_reached")
    return {"view": view_json(opened(context, user, view, stack[-1] if stack else None))}


async def update(context: Context, arguments: Json) -> Json:
    found = _found(context, arguments)
    if arguments.get("hash") and arguments["hash"] != found.hash:
        raise Refused("hash_conflict")
    change(found, checked(as_json(arguments, "view", "invalid_arguments")))
    return {"view": view_json(found)}


def change(view: View, to: Json) -> None:
    view.view, view.hash, view.updates = to, secrets.token_hex(6), view.updates + 1


def _found(context: Context, arguments: Json) -> View:
    wanted = arguments.get("external_id")
    for view in context.workspace.views.values():
        same = view.view.get("external_id") == wanted if wanted else view.id == arguments.get("view_id")
        if same and view.open:
            return view
    raise Refused("not_found")


async def publish(context: Context, arguments: Json) -> Json:
    user = context.workspace.user(arguments.get("user_id"))
    view = checked(as_json(arguments, "view", "invalid_arguments"))
    found = context.workspace.homes.get(user.id)
    if found is None:
        number = context.workspace.new_id("V")
        found = context.workspace.homes[user.id] = View(number, user.id, view, number)
    change(found, view)
    return {"view": view_json(found)}


METHODS: dict[str, Handler] = {
    "views.open": open_,
    "views.push": push,
    "views.update": update,
    "views.publish": publish,
}
