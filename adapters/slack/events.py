"""Parsing of Slack's payloads: messages, edits, clicks, forms and commands, people and channels.

Events: https://docs.slack.dev/reference/events/message and …/app_mention. Text:
https://docs.slack.dev/messaging/formatting-message-text#retrieving-messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.languages import Language
from core.ports.chat import Audience, Click, Command, IncomingMessage, Member, Place, ThreadMessage
from core.text import unescape_html

Json = Mapping[str, Any]

_PERSON_SUBTYPES = frozenset({None, "file_share", "thread_broadcast"})
_ANGLE = re.compile(r"<([^<>]*)>")
MENTION = re.compile(r"(?<!\w)@([UW](?=[A-Z]{0,19}[0-9])[A-Z0-9]{7,20})\b")  # not a name in capitals, "root@WEB01"
"""A user id in a text returned by :func:`parse_text`. Messages of Slack mention people by id, not by name."""

_OTHER_MENTION = re.compile(r"<(?:@[UW][A-Z0-9]+|!subteam\^|!here|!channel|!everyone)")


@dataclass(frozen=True, slots=True)
class Bot:
    """The bot's own ids in a workspace."""

    team: str
    user: str
    enterprise: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """An edited message, or a deleted one (``text`` None). ``changed_at``: the timestamp of the change."""

    place: Place
    message_id: str
    user: str
    text: str | None
    changed_at: str


def is_own_workspace(body: Json, bot: Bot) -> bool:
    """Whether a payload comes from the bot's workspace or Enterprise organisation."""
    team = body.get("team_id") or (body.get("team") or {}).get("id") or (body.get("user") or {}).get("team_id")
    enterprise = body.get("enterprise_id") or (body.get("enterprise") or {}).get("id")
    return team == bot.team or bool(bot.enterprise and enterprise == bot.enterprise)


def is_by_person(event: Json, bot: Bot) -> bool:
    """Whether a person wrote a message, and not a bot or Slack itself."""
    if event.get("bot_id") or event.get("bot_profile") or not event.get("user") or event["user"] == bot.user:
        return False
    return event.get("subtype") in _PERSON_SUBTYPES and not event.get("hidden")


def parse_message(body: Json, bot: Bot) -> IncomingMessage:
    """Parse a ``message`` or ``app_mention`` event."""
    event = body["event"]
    text = str(event.get("text") or "")
    without = _remove_own_mention(text, bot)
    return IncomingMessage(
        place=_parse_message_place(body, event, bot),
        message_id=str(event["ts"]),
        user=str(event["user"]),
        text=parse_text(text, bot),
        mentioned=without != text or event.get("type") == "app_mention",
        to_others=bool(_OTHER_MENTION.search(without)),
        reply=event.get("thread_ts") not in {None, event["ts"]},
    )


def parse_edit(body: Json, bot: Bot) -> Edit | None:
    """Parse the edit or deletion of a person's message; return None for any other event."""
    event = body["event"]
    before = event.get("previous_message") or {}
    now = event.get("message") or {}
    # When the first message of a thread with replies is deleted, Slack sends a change to a tombstone instead.
    deleted = event.get("subtype") == "message_deleted" or now.get("subtype") == "tombstone"
    if deleted and before.get("ts"):
        place, user = _parse_message_place(body, {**event, **before}, bot), str(before.get("user") or "")
        return Edit(place, str(before["ts"]), user, None, str(event.get("event_ts") or event["ts"]))
    # Slack also sends message_changed when it adds a link preview; then `edited` is missing.
    changed_at = (now.get("edited") or {}).get("ts")
    if event.get("subtype") != "message_changed" or not changed_at or not is_by_person(now, bot):
        return None
    place = _parse_message_place(body, {**event, **now}, bot)
    text = parse_text(str(now.get("text") or ""), bot)
    return Edit(place, str(now["ts"]), str(now["user"]), text, str(changed_at))


def _parse_message_place(body: Json, event: Json, bot: Bot) -> Place:
    """Return the thread that a message is in, or starts."""
    place = parse_place(body, bot, str(event["channel"]), str(event.get("thread_ts") or event["ts"]))
    return replace(place, direct=place.direct or event.get("channel_type") == "im")


def parse_text(text: str, bot: Bot) -> str:
    """Return a message's text without the bot's mention; links and other mentions become their labels."""
    without = _remove_own_mention(text, bot)
    return " ".join(unescape_html(_ANGLE.sub(lambda found: _parse_label(found[1]), without)).split())


def _remove_own_mention(text: str, bot: Bot) -> str:
    return re.sub(rf"<@{re.escape(bot.user)}(?:\|[^<>]*)?>", " ", text)


def _parse_label(inside: str) -> str:
    """Return what a reader sees of the content of a pair of angle brackets."""
    target, bar, label = inside.partition("|")
    if target.startswith("!date"):
        return label
    if target[:1] in {"@", "#", "!"}:
        name = label if bar and label else target[1:].rpartition("^")[2]
        return name if name.startswith(("@", "#")) else f"{'#' if target[0] == '#' else '@'}{name}"
    return label or target.removeprefix("mailto:")


def parse_thread(messages: list[Json], bot: Bot, before: str) -> list[ThreadMessage]:
    """Return people's messages older than ``before`` from the result of ``conversations.replies``."""
    return [
        ThreadMessage(str(message["ts"]), str(message["user"]), "", parse_text(str(message.get("text") or ""), bot))
        for message in messages
        if is_by_person(message, bot) and float(message["ts"]) < float(before)
    ]


def parse_click(body: Json, bot: Bot) -> Click:
    """Parse a click under a message. Raises LookupError if the payload names no message."""
    container, action = body["container"], body["actions"][0]
    message_id, value = str(container["message_ts"]), str(action.get("value") or "")
    place = parse_place(body, bot, str(container["channel_id"]), str(container.get("thread_ts") or message_id))
    user, action_id, name = str(body["user"]["id"]), str(action["action_ts"]), str(action.get("action_id") or "")
    return _make_click(place, message_id, user, action_id, name.partition(":")[0], value)


def parse_stop(body: Json, bot: Bot) -> tuple[Click, list[str]]:
    """Parse an ``agent_session_stopped`` event: return the click, and the ids of the streams that Slack ended by it.

    https://docs.slack.dev/reference/events/agent_session_stopped
    """
    event = body["event"]
    place = parse_place(body, bot, str(event["channel"]), str(event["thread_ts"]))
    click = Click(place, "", str(event["user"]), str(event.get("event_ts") or ""))
    return click, [str(each) for each in event.get("streaming_message_ts") or ()]


def _make_click(place: Place, message_id: str, user: str, action_id: str, name: str, value: str) -> Click:
    """Return the click on a button or form with this name. ``value``: a page id, or a turn id after a reaction."""
    if name == "page":
        return Click(place, message_id, user, action_id, page_id=value)
    return Click(place, message_id, user, action_id, value.rpartition(":")[2])


def parse_submission(body: Json, bot: Bot) -> tuple[str, Click, str]:
    """Parse a submitted form: return its name, the click that opened it, and the entered text.

    The form's ``private_metadata`` is in the format of :func:`format_metadata`.
    """
    view = body["view"]
    channel, thread, message_id, value = str(view["private_metadata"]).split(" ")
    place = parse_place(body, bot, channel, thread)
    entered = [str(field.get("value") or "") for block in view["state"]["values"].values() for field in block.values()]
    form = str(view["callback_id"])
    click = _make_click(place, message_id, str(body["user"]["id"]), str(view["id"]), form, value)
    return form, click, "\n".join(entered)


def format_metadata(place: Place, message_id: str, value: str) -> str:
    """Return the metadata of a form: the message, and the turn or page, that it belongs to, for
    :func:`parse_submission`.
    """
    return " ".join((place.channel, place.thread, message_id, value))


def parse_command(body: Json, bot: Bot) -> Command:
    """Parse a slash command, which belongs to no thread. A repeated delivery has the same trigger id."""
    channel = str(body["channel_id"])
    place = Place("slack", bot.team, channel, "", direct=channel.startswith("D"))
    words = tuple(str(body.get("text") or "").split())
    return Command(place, str(body["user_id"]), words, str(body.get("trigger_id") or ""), private=True)


def parse_place(body: Json, bot: Bot, channel: str, thread: str) -> Place:
    """Return the place of a click, form or event.

    The channel is shared if the payload's flag says so, or if the person's team is another one: the payload's own team
    may be the bot's even if the person belongs to another organisation. Other workspaces of the same Enterprise
    organisation do not count as another organisation.
    """
    team = (body.get("user") or {}).get("team_id")
    shared = bool(body.get("is_ext_shared_channel")) or not (bot.enterprise or team in {None, "", bot.team})
    return Place("slack", bot.team, channel, thread, direct=channel.startswith("D"), shared=shared)


def parse_member(user: Mapping[str, Any], team: str, user_id: str, enterprise: str = "") -> Member:
    """Parse Slack's user object. The e-mail address is used only if this workspace vouches for it."""
    profile = user.get("profile") or {}
    name = next(filter(None, (profile.get("display_name"), profile.get("real_name"), user.get("name"))), user_id)
    grid = user.get("enterprise_user") or {}
    # Other organisations have enterprise users too; only the own organisation's belong to this team or enterprise.
    ours = team in (grid.get("teams") or ()) or bool(enterprise and grid.get("enterprise_id") == enterprise)
    elsewhere = user.get("team_id") not in {team, None, ""} and not ours
    foreign = bool(elsewhere or user.get("is_stranger"))
    guest = foreign or any(user.get(flag) for flag in ("is_restricted", "is_ultra_restricted", "is_bot", "deleted"))
    confirmed = user.get("is_email_confirmed", True) and not guest
    email = (profile.get("email") or None) if confirmed else None
    language: Language = "de" if str(user.get("locale") or "").startswith("de") else "en"
    return Member(user_id, str(name), email, guest, foreign, language)


def parse_audience(channel: Any) -> Audience:
    """Parse a conversation object. Other workspaces of the same Enterprise organisation are not foreign."""
    if not isinstance(channel, Mapping):
        return "unknown"
    if channel.get("is_im"):
        return "own"
    if not isinstance(channel.get("is_ext_shared"), bool):
        return "mixed" if channel.get("is_ext_shared") else "unknown"
    # A pending invitation of another organisation may be accepted at any moment.
    shared = channel["is_ext_shared"] or channel.get("is_pending_ext_shared") or channel.get("pending_shared")
    with_somebody = channel.get("is_shared") and not channel.get("is_org_shared")
    return "mixed" if shared or with_somebody else "own"
