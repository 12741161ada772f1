"""Where the app comes and goes, and who joins: the other things that the bot is told. In the server's event loop.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/subscribe-to-conversation-events
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from tests.servers.teams import arriving
from tests.servers.teams.context import Context
from tests.servers.teams.delivery import Delivery
from tests.servers.teams.people_acts import later
from tests.servers.teams.state import BOT, Conversation, Json, Kind, User


def add_conversation(context: Context, kind: Kind, name: str, members: Iterable[str], team: str, bot: bool) -> str:
    there = Conversation(context.tenant.new_conversation_id(kind), kind, name, {*members}, team, bot)
    context.tenant.conversations[there.id] = there
    return there.id


def add_team(context: Context, name: str) -> str:
    team = f"19:{uuid.uuid4().hex}@thread.tacv2"
    context.tenant.teams[team] = name
    return team


def install(context: Context, user: str, where: str, action: str, deliveries: int) -> list[Delivery]:
    """``add`` or ``remove``: an installationUpdate, and the conversationUpdate that comes with it."""
    there, _ = context.tenant.conversation(where)
    there.with_bot = action == "add"
    person = context.tenant.user(user)
    installed = arriving.activity(context, "installationUpdate", person, there, action=action, locale=person.locale)
    changed = "membersAdded" if action == "add" else "membersRemoved"
    who = [{"id": f"28:{context.app_id}"}]
    told = [
        later(context, Delivery("installationUpdate", installed), deliveries),
        later(context, Delivery("conversationUpdate", _update(context, person, there, changed, who)), deliveries),
    ]
    return told


def join(context: Context, user: str, where: str, joins: bool) -> Delivery | None:
    """A person; the bot is told where it is installed."""
    there, _ = context.tenant.conversation(where)
    person = context.tenant.user(user)
    (there.members.add if joins else there.members.discard)(user)
    changed = "membersAdded" if joins else "membersRemoved"
    who = [{"id": person.id, "aadObjectId": person.object_id}]
    body = _update(context, person, there, changed, who)
    return later(context, Delivery("conversationUpdate", body)) if there.with_bot else None


def rename(context: Context, user: str, where: str, name: str) -> Delivery:
    there, _ = context.tenant.conversation(where)
    there.name = name
    body = _update(context, context.tenant.user(user), there, "topicName", name)
    return later(context, Delivery("conversationUpdate", body))


def react(context: Context, user: str, where: str, message_id: str, kind: str) -> Delivery:
    """An emoji on one of the bot's messages."""
    there, _ = context.tenant.conversation(where)
    message = context.tenant.message(there, message_id)
    if message.user != BOT:
        raise KeyError("Teams tells bots of reactions to their own messages only")
    root = message.conversation.partition(";messageid=")[2]
    body = arriving.activity(context, "messageReaction", context.tenant.user(user), there, root)
    body |= {"reactionsAdded": [{"type": kind}], "replyToId": message.id}
    return later(context, Delivery("messageReaction", body))


def _update(context: Context, person: User, there: Conversation, changed: str, value: Any) -> Json:
    body = arriving.activity(context, "conversationUpdate", person, there, **{changed: value})
    if there.kind == "channel":
        event = {"membersAdded": "teamMemberAdded", "membersRemoved": "teamMemberRemoved"}.get(
            changed, "channelRenamed"
        )
        body["channelData"] = body["channelData"] | {"eventType": event}
    return body
