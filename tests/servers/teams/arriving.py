"""The activities that Teams sends to a bot.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/channel-and-group-conversations
https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/subscribe-to-conversation-events
"""

from __future__ import annotations

import datetime
import html
import uuid
from collections.abc import Sequence
from typing import Any

from tests.servers.teams.context import Context
from tests.servers.teams.delivery import new_invoke_id
from tests.servers.teams.state import BOT, Conversation, Json, User


def activity(context: Context, kind: str, user: User | None, there: Conversation, root: str = "", **more: Any) -> Json:
    """What all of them have. ``root``: of the thread, in channels."""
    now = datetime.datetime.now(datetime.UTC)
    who: Json = {"id": user.id, "name": user.name, "aadObjectId": user.object_id} if user else {"id": BOT}
    conversation: Json = {"conversationType": there.kind, "tenantId": context.identity.tenant}
    conversation["id"] = there.full_id(root)
    if there.kind != "personal":
        conversation |= {"isGroup": True} | ({"name": there.name} if there.name else {})
    return {
        "type": kind, "id": context.tenant.new_message_id(), "channelId": "msteams",
        "timestamp": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "localTimestamp": now.isoformat(timespec="milliseconds"), "localTimezone": "Europe/Berlin",
        "serviceUrl": context.service_url, "from": who, "conversation": conversation,
        "recipient": {"id": f"28:{context.app_id}", "name": context.bot_name},
        "channelData": channel_data(context, there, user),
    } | more  # fmt: skip


def channel_data(context: Context, there: Conversation, user: User | None = None) -> Json:
    data: Json = {"tenant": {"id": user.tenant if user else context.identity.tenant}}
    if there.kind == "channel":
        kind = "shared" if there.shared else "standard"
        team = {"id": there.team, "name": context.tenant.teams.get(there.team, "")}
        data |= {
            "teamsChannelId": there.id,
            "teamsTeamId": there.team,
            "channel": {"id": there.id, "type": kind},
            "team": team,
        }
    return data


def message(
    context: Context,
    user: User,
    there: Conversation,
    root: str,
    text: str,
    mentioned: Sequence[User],
    attachments: Sequence[Json],
) -> Json:
    """``mentioned``: people; the bot is, where its tag stands in the text."""
    found: Json = {"type": "clientInfo", "locale": user.locale, "country": "GB", "platform": "Web"}
    tags = [(tag, BOT, context.bot_name) for tag in [at(context.bot_name)] if tag in text]
    tags += [(at(one.name), one.id, one.name) for one in mentioned]
    entities: list[Json] = [
        {"type": "mention", "text": tag, "mentioned": {"id": who.replace(BOT, f"28:{context.app_id}"), "name": name}}
        for tag, who, name in tags
    ]
    shown = html.escape(text, quote=False)
    for number, (tag, _, name) in enumerate(tags):
        written = f'<span itemtype="http://schema.skype.com/Mention" itemscope="" itemid="{number}">{name}</span>'
        shown = shown.replace(html.escape(tag, quote=False), written)
    as_html = {"contentType": "text/html", "content": f"<div><div>{shown}</div>\n</div>"}
    return activity(
        context, "message", user, there, root, text=text, textFormat="plain", locale=user.locale,
        entities=[*entities, found], attachments=[*attachments, as_html],
    )  # fmt: skip


def at(name: str) -> str:
    """A mention as it stands in the text."""
    return f"<at>{name}</at>"


def invoke(context: Context, user: User, there: Conversation, root: str, name: str, value: Json) -> Json:
    made = activity(context, "invoke", user, there, root, name=name, value=value, locale=user.locale)
    return made | {"id": new_invoke_id()}


def submitted(context: Context, user: User, there: Conversation, root: str, reply_to: str, value: Any) -> Json:
    """Action.Submit: a message without text."""
    made = activity(context, "message", user, there, root, value=value, replyToId=reply_to, locale=user.locale)
    made["channelData"] |= {"source": {"name": "message"}, "legacy": {"replyToId": f"1:{uuid.uuid4().hex}"}}
    return made


def execute(action: Json, data: Any) -> Json:
    """The value of the invoke ``adaptiveCard/action``.

    https://learn.microsoft.com/adaptive-cards/authoring-cards/universal-action-model
    """
    sent = {name: action[name] for name in ("type", "id", "title", "verb") if name in action}
    return {"action": sent | {"data": data}, "trigger": "manual"}
