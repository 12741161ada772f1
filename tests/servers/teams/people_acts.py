"""What people do in the tenant, and what the bot is told of it. All in the server's event loop."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.servers.teams import arriving, cards
from tests.servers.teams.context import Context
from tests.servers.teams.delivery import Delivery
from tests.servers.teams.state import Conversation, Json, Message


def say(
    context: Context,
    user: str,
    where: str,
    text: str,
    mention: bool,
    to: Sequence[str],
    thread: str,
    attachments: Sequence[Json],
    deliveries: int,
) -> str:
    there, root = _place(context, where, thread)
    body = written(context, user, there, root, text, mention, to, attachments)
    message_id = str(body["id"])
    if there.kind == "channel" and not root:
        body["conversation"]["id"] = there.full_id(message_id)
    there.messages[message_id] = Message(str(body["conversation"]["id"]), message_id, user, body)
    if told(context, there, body):
        later(context, Delivery("message", body), deliveries)
    return message_id


def written(
    context: Context,
    user: str,
    there: Conversation,
    root: str,
    text: str,
    mention: bool,
    to: Sequence[str],
    attachments: Sequence[Json],
) -> Json:
    people = [context.tenant.user(one) for one in to]
    tag = arriving.at(context.bot_name)
    if mention and there.kind != "personal" and tag not in text:
        text = f"{tag} {text}"
    for one in people:
        text = text if arriving.at(one.name) in text else f"{text} {arriving.at(one.name)}"
    return arriving.message(context, context.tenant.user(user), there, root, text, people, attachments)


def told(context: Context, there: Conversation, body: Json) -> bool:
    """Bots hear what people write to them alone, and elsewhere what mentions them.

    All of it with resource-specific consent:
    https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/channel-messages-with-rsc
    """
    mentions = any(entity.get("type") == "mention" and entity["mentioned"]["id"] == f"28:{context.app_id}"
                   for entity in body["entities"])  # fmt: skip
    return there.with_bot and (context.reads_all or there.kind == "personal" or mentions)


def _place(context: Context, where: str, thread: str) -> tuple[Conversation, str]:
    there, root = context.tenant.conversation(where)
    return there, thread or root


def later(context: Context, delivery: Delivery, copies: int = 1) -> Delivery:
    context.deliverer.later(context.deliverer.deliver(delivery, copies=copies))
    return delivery


def edit(context: Context, where: str, message_id: str, text: str) -> None:
    _changed(context, where, message_id, "messageUpdate", "editMessage", text)


def undelete(context: Context, where: str, message_id: str) -> None:
    there, _ = context.tenant.conversation(where)
    there.messages[message_id].deleted = False
    _changed(context, where, message_id, "messageUpdate", "undeleteMessage", there.messages[message_id].text)


def delete(context: Context, where: str, message_id: str) -> None:
    _changed(context, where, message_id, "messageDelete", "softDeleteMessage", "")


def _changed(context: Context, where: str, message_id: str, kind: str, event: str, text: str) -> None:
    there, _ = context.tenant.conversation(where)
    message = context.tenant.message(there, message_id)
    before = message.activity
    body = {**before, "type": kind, "text": text, "channelData": before["channelData"] | {"eventType": event}}
    if kind == "messageDelete":
        message.deleted = True
        body = {name: value for name, value in body.items() if name not in ("text", "attachments", "entities")}
    else:
        message.change({**before, "text": text})
    if told(context, there, before):
        later(context, Delivery(kind, body))


def click(
    context: Context, user: str, where: str, message_id: str, wanted: str, values: Json, fallback: bool, deliveries: int
) -> Delivery:
    """By the title on the button, or its verb; in cards and in suggested actions."""
    there, _ = context.tenant.conversation(where)
    message = context.tenant.message(there, message_id)
    action = cards.find_action(message, user, wanted)
    if fallback and isinstance(action.get("fallback"), dict):
        action = action["fallback"]
    root = message.conversation.partition(";messageid=")[2]
    return pressed(context, user, there, root, message, action, values, deliveries)


def pressed(
    context: Context,
    user: str,
    there: Conversation,
    root: str,
    message: Message,
    action: Json,
    values: Json,
    copies: int,
) -> Delivery:
    person = context.tenant.user(user)
    data = action.get("data") if isinstance(action.get("data"), dict) else {}
    sent = {**(data or {}), **values}
    if action.get("type") == "Action.Execute":
        value = arriving.execute(action, sent)
        body = arriving.invoke(context, person, there, root, "adaptiveCard/action", value) | {"replyToId": message.id}
        delivery = Delivery("adaptiveCard/action", body)
        context.deliverer.later(_executed(context, delivery, message, user, copies))
        return delivery
    said = _said(action, sent)
    if said is not None:
        text, sent_value = said
        body = written(context, user, there, root, text, False, (), ())
        body |= {"replyToId": message.id} | ({"value": sent_value} if sent_value is not None else {})
        shown = Message(str(body["conversation"]["id"]), str(body["id"]), user, body)
        there.messages[shown.id] = shown
        return later(context, Delivery("message", body), copies)
    body = arriving.submitted(
        context, person, there, root, message.id, {k: v for k, v in sent.items() if k != "msteams"}
    )
    return later(context, Delivery("message", body), copies)


def _said(action: Json, sent: Json) -> tuple[str, Any] | None:
    """What imBack and messageBack write in the person's name, with their value; None for other actions."""
    special = sent.get("msteams") if isinstance(sent.get("msteams"), dict) else {}
    assert isinstance(special, dict)
    kind = special.get("type") or action.get("type")
    given = special or action
    if kind == "imBack":
        return str(given.get("value")), None
    if kind == "messageBack":
        rest = {name: value for name, value in sent.items() if name != "msteams"}
        return str(given.get("text") or ""), given.get("value", rest)
    return None


async def _executed(context: Context, delivery: Delivery, message: Message, user: str, copies: int) -> None:
    await context.deliverer.deliver(delivery, copies=copies)
    for one in context.deliverer.deliveries:
        same = one.body.get("replyToId") == message.id and one.body.get("value") == delivery.body["value"]
        if same and one.status == 200 and isinstance(one.answer, dict):
            card = one.answer.get("value")
            if one.answer.get("type") == "application/vnd.microsoft.card.adaptive" and isinstance(card, dict):
                message.seen_by[user] = card


def feedback(
    context: Context,
    user: str,
    where: str,
    message_id: str,
    positive: bool,
    text: str,
    plain: bool,
    with_reply_to: bool,
    deliveries: int,
) -> Delivery:
    there, _ = context.tenant.conversation(where)
    message = context.tenant.message(there, message_id)
    if message.feedback_loop != "default":
        raise KeyError(f"no thumbs under {message.text[:80]!r}")
    root = message.conversation.partition(";messageid=")[2]
    given = text if plain else json.dumps({"feedbackText": text})
    reaction = {"reaction": "like" if positive else "dislike", "feedback": given}
    value = {"actionName": "feedback", "actionValue": reaction}
    body = arriving.invoke(context, context.tenant.user(user), there, root, "message/submitAction", value)
    body |= {"replyToId": message.id} if with_reply_to else {}
    return later(context, Delivery("message/submitAction", body), deliveries)
