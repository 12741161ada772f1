"""What a bot does in conversations: the connector's routes.

https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference
"""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.servers.teams import limits
from tests.servers.teams.context import Context
from tests.servers.teams.state import BOT, Conversation, Json, Message, Refused, User
from tests.servers.teams.streams import stream_info, write

Answer = tuple[int, Json | list[Json] | None]
Given = dict[str, str]
"""Of the path and the query: ``conversation``, ``activity``, ``member``, ``pageSize``, ``continuationToken``."""


def post(context: Context, given: Given, activity: Json) -> Answer:
    there, root = context.reached(given["conversation"])
    limits.check(activity)
    info = stream_info(activity)
    if info is not None:
        return write(context, there, activity, info)
    if activity.get("type") == "typing":
        there.typing.append((time.monotonic(), there.full_id(root)))
        return 201, {"id": context.tenant.new_message_id()}
    if activity.get("type") != "message":
        raise limits.bad(f"Activity type {activity.get('type')!r} is not supported.")
    message = _added(context, there, root, activity)
    return 201, {"id": message.id}


def reply(context: Context, given: Given, activity: Json) -> Answer:
    """In a channel, where the conversation names no thread, the activity replied to does."""
    conversation = given["conversation"]
    there, root = context.reached(conversation)
    replied = there.messages.get(given["activity"])
    if there.kind == "channel" and not root and replied:
        conversation = replied.conversation
    return post(context, given | {"conversation": conversation}, activity)


def _added(context: Context, there: Conversation, root: str, activity: Json) -> Message:
    message_id = context.tenant.new_message_id()
    message = Message(there.full_id(root or message_id), message_id, BOT, activity)
    there.messages[message_id] = message
    return message


def update(context: Context, given: Given, activity: Json) -> Answer:
    there, _ = context.reached(given["conversation"])
    message = _own(context, there, given["activity"])
    limits.check(activity | {"type": "message"})
    message.change(activity)
    return 200, {"id": message.id}


def delete(context: Context, given: Given, activity: Json) -> Answer:
    there, _ = context.reached(given["conversation"])
    _own(context, there, given["activity"]).deleted = True
    return 200, None


def _own(context: Context, there: Conversation, message_id: str) -> Message:
    message = context.message(there, message_id)
    if message.user != BOT:
        raise Refused(403, "ForbiddenOperationException", "The bot may change its own messages only.")
    return message


def create(context: Context, given: Given, body: Json) -> Answer:
    """A person's chat with the bot, or a new thread in a channel."""
    data = body.get("channelData") or {}
    channel = (data.get("channel") or {}).get("id")
    if channel:
        there, _ = context.reached(str(channel))
        activity = body.get("activity") or {}
        limits.check(activity)
        message = _added(context, there, "", activity)
        return 201, {"id": message.conversation, "activityId": message.id}
    members = body.get("members") or []
    if len(members) != 1 or body.get("isGroup"):
        raise limits.bad("Incorrect conversation creation parameters")
    tenant = body.get("tenantId") or (data.get("tenant") or {}).get("id")
    if tenant != context.identity.tenant:
        raise limits.bad("Bad format of conversation ID: tenantId is needed to create a conversation")
    user = context.tenant.user(str(members[0].get("id")))
    there = context.tenant.personal(user.id)
    if not there.with_bot:
        raise Refused(403, "BotNotInConversationRoster", "The bot is not part of the conversation roster.")
    if body.get("activity"):
        limits.check(body["activity"])
        return 201, {"id": there.id, "activityId": _added(context, there, "", body["activity"]).id}
    return 201, {"id": there.id}


def member(context: Context, given: Given, body: Json) -> Answer:
    there, _ = context.reached(given["conversation"])
    user = context.tenant.user(given["member"])
    if user.id not in there.members:
        raise Refused(404, "MemberNotFoundInConversation", "Member not found in conversation.")
    return 200, member_json(user)


def members(context: Context, given: Given, body: Json) -> Answer:
    there, _ = context.reached(given["conversation"])
    return 200, [member_json(context.tenant.user(one)) for one in sorted(there.members)]


def paged(context: Context, given: Given, body: Json) -> Answer:
    there, _ = context.reached(given["conversation"])
    known = [member_json(context.tenant.user(one)) for one in sorted(there.members)]
    begin = int(given.get("continuationToken") or 0)
    size = min(int(given.get("pageSize") or context.page_size), context.page_size)
    answer: Json = {"members": known[begin : begin + size]}
    return 200, answer | ({"continuationToken": str(begin + size)} if begin + size < len(known) else {})


def member_json(user: User) -> Json:
    first, _, last = user.name.partition(" ")
    shown: Json = {
        "id": user.id, "name": user.name, "objectId": user.object_id, "aadObjectId": user.object_id,
        "givenName": first, "surname": last, "tenantId": user.tenant, "userRole": user.role,
        "userPrincipalName": user.upn or user.email or "",
    }  # fmt: skip
    return shown | ({"email": user.email} if user.email else {})


Handler = Callable[[Context, Given, Json], Answer]
"""A route: what its path and its body say to the answer; raises :class:`Refused`."""

ROUTES: dict[str, tuple[str, str, Handler]] = {
    "create": ("POST", "/v3/conversations", create),
    "post": ("POST", "/v3/conversations/{conversation}/activities", post),
    "reply": ("POST", "/v3/conversations/{conversation}/activities/{activity}", reply),
    "update": ("PUT", "/v3/conversations/{conversation}/activities/{activity}", update),
    "delete": ("DELETE", "/v3/conversations/{conversation}/activities/{activity}", delete),
    "members": ("GET", "/v3/conversations/{conversation}/members", members),
    "member": ("GET", "/v3/conversations/{conversation}/members/{member}", member),
    "pagedmembers": ("GET", "/v3/conversations/{conversation}/pagedmembers", paged),
}
