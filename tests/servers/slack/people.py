"""Who there is, and who the bot is.

https://docs.slack.dev/reference/methods/users.info, users.list, auth.test, bots.info, apps.connections.open
"""

from __future__ import annotations

from tests.servers.slack.chat import as_flag
from tests.servers.slack.context import Context, Handler
from tests.servers.slack.conversations import page
from tests.servers.slack.state import APP, BOT, BOT_USER, TEAM, Json, Refused, User


def user_json(user: User, with_locale: bool = False) -> Json:
    profile: Json = {
        "real_name": user.real_name, "display_name": user.name, "real_name_normalized": user.real_name,
        "display_name_normalized": user.name, "team": user.team, "title": "", "phone": "", "status_text": "",
    }  # fmt: skip
    if user.email is not None:
        profile["email"] = user.email
    if user.bot:
        profile |= {"bot_id": BOT if user.id == BOT_USER else f"B{user.id[1:]}", "api_app_id": APP}
    shown: Json = {
        "id": user.id, "team_id": user.team, "name": user.name, "deleted": user.deleted, "profile": profile,
        "is_bot": user.bot, "is_app_user": False, "updated": 0,
    }  # fmt: skip
    if user.stranger:
        shown["is_stranger"] = True
    if not user.deleted:
        shown |= {
            "real_name": user.real_name, "tz": user.tz, "tz_label": user.tz, "tz_offset": 3600, "color": "9f69e7",
            "is_admin": False, "is_owner": False, "is_primary_owner": False, "is_email_confirmed": bool(user.email),
            "is_restricted": user.restricted or user.ultra_restricted, "is_ultra_restricted": user.ultra_restricted,
        }  # fmt: skip
    return shown | ({"locale": user.locale} if with_locale else {})


async def info(context: Context, arguments: Json) -> Json:
    user = context.workspace.user(arguments.get("user"))
    return {"user": user_json(user, as_flag(arguments, "include_locale"))}


async def list_(context: Context, arguments: Json) -> Json:
    shown, paging = page(list(context.workspace.users.values()), arguments, default=1000)
    locale = as_flag(arguments, "include_locale")
    members = [user_json(user, locale) for user in shown]
    return {"members": members, "cache_ts": 0, "response_metadata": paging["response_metadata"]}


async def lookup(context: Context, arguments: Json) -> Json:
    for user in context.workspace.users.values():
        if user.email and user.email == arguments.get("email") and not user.stranger:
            return {"user": user_json(user)}
    raise Refused("users_not_found")


async def test(context: Context, arguments: Json) -> Json:
    me = context.workspace.users[BOT_USER]
    return {
        "url": "https://hollerbell.slack.com/", "team": "Hollerbell", "user": me.name, "team_id": TEAM,
        "user_id": BOT_USER, "bot_id": BOT, "is_enterprise_install": False,
    }  # fmt: skip


async def bot(context: Context, arguments: Json) -> Json:
    for user in context.workspace.users.values():
        bot_id = BOT if user.id == BOT_USER else f"B{user.id[1:]}"
        if user.bot and bot_id == arguments.get("bot", BOT):
            shown = {"id": bot_id, "name": user.name, "deleted": False, "updated": 0, "user_id": user.id}
            return {"bot": shown | ({"app_id": APP} if user.id == BOT_USER else {"app_id": f"A{user.id[1:]}"})}
    raise Refused("bot_not_found")


async def api_test(context: Context, arguments: Json) -> Json:
    shown = {name: value for name, value in arguments.items() if name != "token"}
    if arguments.get("error"):
        raise Refused(str(arguments["error"]), args=shown)
    return {"args": shown}


async def open_connection(context: Context, arguments: Json) -> Json:
    ticket = context.deliverer.sockets.ticket()
    return {"url": f"{context.url.replace('http', 'ws', 1)}/link?ticket={ticket}&app_id={APP}"}


METHODS: dict[str, Handler] = {
    "users.info": info,
    "users.list": list_,
    "users.lookupByEmail": lookup,
    "auth.test": test,
    "bots.info": bot,
    "api.test": api_test,
    "apps.connections.open": open_connection,
}
