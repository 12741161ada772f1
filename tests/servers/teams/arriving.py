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

from tests.servers.chat_server import Json
from tests.servers.teams.delivery import new_invoke_id
from tests.servers.teams.server import TeamsServer
from tests.servers.teams.state import BOT, Conversation, User


def activity(world: TeamsServer, kind: str, user: User, there: Conversation, root: str = "", **more: Any) -> Json:
    """Return the fields of all activities. ``root``: the first message of the thread, in channels."""
    now = datetime.datetime.now(datetime.UTC)
    who = {"id": user.id, "name": user.name, "aadObjectId": user.object_id}
    conversation: Json = {"conversationType": there.kind, "tenantId": world.tenant}
    conversation["id"] = there.full_id(root)
    if there.kind != "personal":
        conversation |= {"isGroup": True} | ({"name": there.name} if there.name else {})
    return {
        "type": kind, "id": world.directory.new_message_id(), "channelId": "msteams",
        "timestamp": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "localTimestamp": now.isoformat(timespec="milliseconds"), "localTimezone": "Europe/Berlin",
        "serviceUrl": world.service_url, "from": who, "conversation": conversation,
        "recipient": {"id": f"28:{world.app_id}", "name": world.bot_name},
        "channelData": _channel_data(there, user),
    } | more  # fmt: skip


def _channel_data(there: Conversation, user: User) -> Json:
    data: Json = {"tenant": {"id": user.tenant}}
    if there.kind == "channel":
        kind = "shared" if there.shared else "standard"
        team = {"id": there.team, "name": there.name}
        data |= {
            "teamsChannelId": there.id,
            "teamsTeamId": there.team,
            "channel": {"id": there.id, "type": kind},
            "team": team,
        }
    return data


def message(
    world: TeamsServer,
    user: User,
    there: Conversation,
    root: str,
    text: str,
    mentioned: Sequence[User],
    attachments: Sequence[Json],
) -> Json:
    """Return a message. ``mentioned``: people; the bot is mentioned if its tag is in the text."""
    found: Json = {"type": "clientInfo", "locale": user.locale, "country": "GB", "platform": "Web"}
    tags = [(tag, BOT, world.bot_name) for tag in [at(world.bot_name)] if tag in text]
    tags += [(at(one.name), one.id, one.name) for one in mentioned]
    entities: list[Json] = [
        {"type": "mention", "text": tag, "mentioned": {"id": who.replace(BOT, f"28:{world.app_id}"), "name": name}}
        for tag, who, name in tags
    ]
    shown = html.escape(text, quote=False)
    for number, (tag, _, name) in enumerate(tags):
        written = f'<span itemtype="http://schema.skype.com/Mention" itemscope="" itemid="{number}">{name}</span>'
        shown = shown.replace(html.escape(tag, quote=False), written)
    as_html = {"contentType": "text/html", "content": f"<div><div>{shown}</div>\n</div>"}
    return activity(
        world, "message", user, there, root, text=text, textFormat="plain", locale=user.locale,
        entities=[*entities, found], attachments=[*attachments, as_html],
    )  # fmt: skip


def quote_before(message: Json, sender: str, quoted: str) -> Json:
    """Return a message that replies to a quoted one: Teams merges both in the text, not in the HTML."""
    *others, as_html = message["attachments"]
    quote = (
        f'<blockquote itemscope="" itemtype="http://schema.skype.com/Reply" itemid="1700000000000">\n'
        f'<strong itemprop="mri" itemid="28:x">{html.escape(sender)}</strong>'
        f'<span itemprop="time" itemid="1700000000000"></span>\n'
        f'<p itemprop="preview">{html.escape(quoted)}</p>\n</blockquote>\n'
    )
    attached = [*others, {**as_html, "content": quote + as_html["content"]}]
    return {**message, "text": f"{sender}{quoted}{message['text']}", "attachments": attached}


def at(name: str) -> str:
    """Return a mention's tag in a text."""
    return f"<at>{name}</at>"


def invoke(world: TeamsServer, user: User, there: Conversation, root: str, name: str, value: Json) -> Json:
    made = activity(world, "invoke", user, there, root, name=name, value=value, locale=user.locale)
    return made | {"id": new_invoke_id()}


def submitted(world: TeamsServer, user: User, there: Conversation, root: str, reply_to: str, value: Any) -> Json:
    """Return the message of an Action.Submit, which has no text."""
    made = activity(world, "message", user, there, root, value=value, replyToId=reply_to, locale=user.locale)
    made["channelData"] |= {"source": {"name": "message"}, "legacy": {"replyToId": f"1:{uuid.uuid4().hex}"}}
    return made


def execute(action: Json, data: Any) -> Json:
    """Return the value of the invoke ``adaptiveCard/action``.

    https://learn.microsoft.com/adaptive-cards/authoring-cards/universal-action-model
    """
    sent = {name: action[name] for name in ("type", "id", "title", "verb") if name in action}
    return {"action": sent | {"data": data}, "trigger": "manual"}
