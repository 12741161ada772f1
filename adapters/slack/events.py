"""Slack's events, clicks, forms and commands, parsed into what the chat service takes.

Events: https://docs.slack.dev/reference/events/message and …/app_mention; text:
https://docs.slack.dev/messaging/formatting-message-text#retrieving-messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.ports.chat import Click, Command, Incoming, Place, ThreadMessage
from core.text import unescape_html

Json = Mapping[str, Any]

_BY_PEOPLE = frozenset({None, "file_share", "thread_broadcast"})
"""Subtypes of messages that a person writes."""

_ANGLE = re.compile(r"<([^<>]*)>")
MENTION = re.compile(r"@([UW][A-Z0-9]{7,20})\b")
"""A person in a text that :func:`plain_text` gave: Slack's own messages have no names."""

_OTHER_MENTION = re.compile(r"<(?:@[UW][A-Z0-9]+|!subteam\^|!here|!channel|!everyone)")


@dataclass(frozen=True, slots=True)
class Bot:
    """The bot itself in a workspace."""

    team: str
    user: str
    bot_id: str = ""
    enterprise: str = ""


def is_ours(body: Json, bot: Bot) -> bool:
    """Whether a payload is for our workspace."""
    team = body.get("team_id") or (body.get("team") or {}).get("id") or (body.get("user") or {}).get("team_id")
    enterprise = body.get("enterprise_id") or (body.get("enterprise") or {}).get("id")
    return team == bot.team or bool(bot.enterprise and enterprise == bot.enterprise)


def is_by_a_person(event: Json, bot: Bot) -> bool:
    """Whether a person wrote a message: no bot, not ourselves, not Slack."""
    if event.get("bot_id") or event.get("bot_profile") or not event.get("user") or event["user"] == bot.user:
        return False
    return event.get("subtype") in _BY_PEOPLE and not event.get("hidden")


def place_of(body: Json, event: Json, bot: Bot) -> Place:
    """The thread that a message is in, or begins."""
    return Place(
        platform="slack",
        team=bot.team,
        channel=str(event["channel"]),
        thread=str(event.get("thread_ts") or event["ts"]),
        direct=event.get("channel_type") == "im" or str(event["channel"]).startswith("D"),
        shared=bool(body.get("is_ext_shared_channel")),
    )


def parse_message(body: Json, bot: Bot) -> Incoming:
    """Parses a message from its event, of either kind."""
    event = body["event"]
    text = str(event.get("text") or "")
    without = _without_own_mention(text, bot)
    return Incoming(
        place=place_of(body, event, bot),
        message_id=str(event["ts"]),
        user=str(event["user"]),
        text=plain_text(text, bot),
        mentioned=without != text or event.get("type") == "app_mention",
        to_others=bool(_OTHER_MENTION.search(without)),
        reply=event.get("thread_ts") not in {None, event["ts"]},
        has_files=bool(event.get("files")),
    )


def plain_text(text: str, bot: Bot) -> str:
    """A message as people read it: without our mention, links and others' mentions by their labels."""
    without = _without_own_mention(text, bot)
    return " ".join(unescape_html(_ANGLE.sub(lambda found: _label_of(found[1]), without)).split())


def _without_own_mention(text: str, bot: Bot) -> str:
    return re.sub(rf"<@{re.escape(bot.user)}(?:\|[^<>]*)?>", " ", text)


def _label_of(inside: str) -> str:
    target, bar, label = inside.partition("|")
    if target.startswith("!date"):
        return label
    if target[:1] in {"@", "#", "!"}:
        name = label if bar and label else target[1:].rpartition("^")[2]
        return name if name.startswith(("@", "#")) else f"{'#' if target[0] == '#' else '@'}{name}"
    return label or target.removeprefix("mailto:")


def thread_messages(messages: list[Json], bot: Bot, before: str) -> list[ThreadMessage]:
    """What people wrote, from ``conversations.replies``."""
    return [
        ThreadMessage(str(message["ts"]), str(message["user"]), "", plain_text(str(message.get("text") or ""), bot))
        for message in messages
        if is_by_a_person(message, bot) and float(message["ts"]) < float(before)
    ]


def parse_click(body: Json, bot: Bot) -> Click:
    """Parses a click under one of our messages. Raises LookupError if it is under none."""
    container, action = body["container"], body["actions"][0]
    channel = str(container["channel_id"])
    return Click(
        place=Place(
            platform="slack",
            team=bot.team,
            channel=channel,
            thread=str(container.get("thread_ts") or container["message_ts"]),
            direct=channel.startswith("D"),
            shared=_is_from_elsewhere(body, bot),
        ),
        message_id=str(container["message_ts"]),
        user=str(body["user"]["id"]),
        action_id=f"{action['action_ts']}",
        turn_id=str(action.get("value") or "").rpartition(":")[2],
    )


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a message, or its deletion (``text`` None)."""

    place: Place
    message_id: str
    user: str
    text: str | None


def parse_edit(body: Json, bot: Bot) -> Edit | None:
    """Parses the change or deletion of a person's message, None for any other event."""
    event = body["event"]
    before = event.get("previous_message") or {}
    now = event.get("message") or {}
    # Of the first message of a thread that has replies Slack leaves a tombstone, which it calls a change.
    deleted = event.get("subtype") == "message_deleted" or now.get("subtype") == "tombstone"
    if deleted and before.get("ts"):
        return Edit(place_of(body, {**event, **before}, bot), str(before["ts"]), str(before.get("user") or ""), None)
    if event.get("subtype") != "message_changed" or not is_by_a_person(now, bot):
        return None
    place = place_of(body, {**event, **now}, bot)
    return Edit(place, str(now["ts"]), str(now["user"]), plain_text(str(now.get("text") or ""), bot))


def parse_submission(body: Json, bot: Bot) -> tuple[str, Click, str]:
    """Parses a form that was sent: its name, where it was opened, and the text in it.

    Its ``private_metadata`` has channel, thread, message and turn, as :func:`metadata` writes them.
    """
    view = body["view"]
    channel, thread, message_id, turn_id = str(view["private_metadata"]).split(" ")
    shared = _is_from_elsewhere(body, bot)
    place = Place("slack", bot.team, channel, thread, direct=channel.startswith("D"), shared=shared)
    entered = [str(field.get("value") or "") for block in view["state"]["values"].values() for field in block.values()]
    click = Click(place, message_id, str(body["user"]["id"]), str(view["id"]), turn_id)
    return str(view["callback_id"]), click, "\n".join(entered)


def metadata(click: Click) -> str:
    """Where a form is opened, for :func:`parse_submission`."""
    return " ".join((click.place.channel, click.place.thread, click.message_id, click.turn_id))


def parse_command(body: Json, bot: Bot) -> Command:
    """Parses a slash command, which is in no thread. Each use has a new trigger, a repeated delivery the same one."""
    place = Place("slack", bot.team, str(body["channel_id"]), "", direct=str(body["channel_id"]).startswith("D"))
    words = tuple(str(body.get("text") or "").split())
    return Command(place, str(body["user_id"]), words, str(body.get("trigger_id") or ""), private=True)


def _is_from_elsewhere(body: Json, bot: Bot) -> bool:
    """Whether a click or a form says that its channel is shared: by its flag, or by its user.

    The payload's own team may be ours though the person is of another organisation. People of other workspaces of the
    same Enterprise organisation are no strangers.
    """
    team = (body.get("user") or {}).get("team_id")
    return bool(body.get("is_ext_shared_channel")) or not (bot.enterprise or team in {None, "", bot.team})
