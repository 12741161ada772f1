"""Receiving from Slack: signatures, events, clicks, forms and commands, parsed and handed on, by slack-bolt.

A request is answered when its listener has returned, since the listener commits the start of what follows; so listeners
have to be quick. A failure is answered with 500, and Slack sends the request again.

bolt and the SDK read a body before they check its signature, and raise on much that is no request of Slack's. So the
signature is checked here, over the raw bytes:
https://docs.slack.dev/authentication/verifying-requests-from-slack/. Events:
https://docs.slack.dev/reference/events/message and …/app_mention; text:
https://docs.slack.dev/messaging/formatting-message-text#retrieving-messages.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import parse_qs

from multidict import MultiMapping
from slack_bolt.async_app import AsyncApp
from slack_bolt.error import BoltUnhandledRequestError
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.signature import SignatureVerifier

from adapters.slack.calls import SlackCalls
from core.ports.chat import Click, Command, Incoming, Place, ThreadMessage
from core.text import unescape_html

Json = Mapping[str, Any]
Acknowledge = Callable[..., Awaitable[BoltResponse]]

_ANYTHING = re.compile(".*")
_TYPING = frozenset({"", "COMPOSER"})
"""In place of a channel: a message that is not sent yet."""

_WITH_BUTTONS = frozenset({"message", "message_attachment"})
"""Containers of clicks: messages of ours, and what we showed below links."""

_TIMESTAMP = re.compile("[0-9]{1,12}")
_SIGNATURE = re.compile("v0=[0-9a-f]{64}")
_CHECK_BYTES = 1000
_BY_PEOPLE = frozenset({None, "file_share", "thread_broadcast"})
"""Subtypes of messages that a person writes."""

_ANGLE = re.compile(r"<([^<>]*)>")
MENTION = re.compile(r"@([UW][A-Z0-9]{7,20})\b")
"""A person in a text that :func:`plain_text` gave: Slack's own messages have no names."""

_OTHER_MENTION = re.compile(r"<(?:@[UW][A-Z0-9]+|!subteam\^|!here|!channel|!everyone)")

logger = logging.getLogger(__name__)


class Listener(Protocol):
    """Handles what Slack sends. Returns soon: Slack waits 3 seconds."""

    async def handle_message(self, message: Incoming) -> None: ...

    async def handle_edit(self, edit: Edit) -> None: ...

    async def handle_sharing_change(self, channel: str) -> None:
        """A channel was shared with another organisation, or is no longer."""
        ...

    async def handle_stop(self, place: Place) -> None:
        """A person pressed stop while there was work under way in a thread."""
        ...

    async def handle_links(self, place: Place, message_id: str, user: str, urls: Sequence[str]) -> None:
        """A person posted links to hosts that the manifest names, wherever in the workspace.

        ``place.direct``: direct messages, which may be those of two people.
        """
        ...

    async def handle_home(self, place: Place, user: str) -> None:
        """A person opened the app's own page. ``place``: their direct messages."""
        ...

    async def handle_click(self, action: str, value: str, click: Click, trigger_id: str) -> None:
        """``action``: the button's action_id, ``value``: its value."""
        ...

    async def handle_submission(self, form: str, click: Click, text: str) -> None:
        """``form``: the modal's callback_id. The click is the one that opened it, with the form's own action_id."""
        ...

    async def handle_command(self, command: Command) -> Mapping[str, Any]:
        """Executes a slash command; returns what to show to the person at once."""
        ...


# ---------------------------------------------------------------------------------------------------------- signatures


def is_signed(secret: str, headers: MultiMapping[str], body: bytes) -> bool:
    """Whether the body is signed with our secret, less than five minutes ago. Never raises."""
    timestamps, signatures = headers.getall("X-Slack-Request-Timestamp", []), headers.getall("X-Slack-Signature", [])
    if len(timestamps) != 1 or len(signatures) != 1 or not secret:
        return False
    # What the verifier cannot take is nothing that Slack sends.
    if not _TIMESTAMP.fullmatch(timestamps[0]) or not _SIGNATURE.fullmatch(signatures[0]):
        return False
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return False
    return SignatureVerifier(secret).is_valid(text, timestamps[0], signatures[0])


def is_certificate_check(body: bytes) -> bool:
    """Whether this is Slack's look at our certificate, which is not signed and is answered with nothing.

    https://docs.slack.dev/interactivity/implementing-slash-commands/#best-practices
    """
    if len(body) > _CHECK_BYTES or not body.startswith((b"ssl_check=", b"token=")):
        return False
    return parse_qs(body.decode("latin-1")).get("ssl_check") == ["1"]


# ------------------------------------------------------------------------------------------------------------- parsing


@dataclass(frozen=True, slots=True)
class Bot:
    """The bot itself in a workspace."""

    team: str
    user: str
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
    message_id, turn_id = str(container["message_ts"]), str(action.get("value") or "").rpartition(":")[2]
    place = _place(body, bot, str(container["channel_id"]), str(container.get("thread_ts") or message_id))
    return Click(place, message_id, str(body["user"]["id"]), str(action["action_ts"]), turn_id)


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a message, or its deletion (``text`` None). ``edition``: when that was."""

    place: Place
    message_id: str
    user: str
    text: str | None
    edition: str


def parse_edit(body: Json, bot: Bot) -> Edit | None:
    """Parses the change or deletion of a person's message, None for any other event."""
    event = body["event"]
    before = event.get("previous_message") or {}
    now = event.get("message") or {}
    # Of the first message of a thread that has replies Slack leaves a tombstone, which it calls a change.
    deleted = event.get("subtype") == "message_deleted" or now.get("subtype") == "tombstone"
    if deleted and before.get("ts"):
        place, user = place_of(body, {**event, **before}, bot), str(before.get("user") or "")
        return Edit(place, str(before["ts"]), user, None, str(event.get("event_ts") or event["ts"]))
    # Slack also calls it a change when it adds the preview of a link: then nobody has edited the text.
    edition = (now.get("edited") or {}).get("ts")
    if event.get("subtype") != "message_changed" or not edition or not is_by_a_person(now, bot):
        return None
    place = place_of(body, {**event, **now}, bot)
    text = plain_text(str(now.get("text") or ""), bot)
    return Edit(place, str(now["ts"]), str(now["user"]), text, str(edition))


def parse_submission(body: Json, bot: Bot) -> tuple[str, Click, str]:
    """Parses a form that was sent: its name, where it was opened, and the text in it.

    Its ``private_metadata`` has channel, thread, message and turn, as :func:`metadata` writes them.
    """
    view = body["view"]
    channel, thread, message_id, turn_id = str(view["private_metadata"]).split(" ")
    place = _place(body, bot, channel, thread)
    entered = [str(field.get("value") or "") for block in view["state"]["values"].values() for field in block.values()]
    click = Click(place, message_id, str(body["user"]["id"]), str(view["id"]), turn_id)
    return str(view["callback_id"]), click, "\n".join(entered)


def metadata(place: Place, message_id: str, turn_id: str) -> str:
    """Under which message a form is opened, for :func:`parse_submission`."""
    return " ".join((place.channel, place.thread, message_id, turn_id))


def parse_command(body: Json, bot: Bot) -> Command:
    """Parses a slash command, which is in no thread. Each use has a new trigger, a repeated delivery the same one."""
    channel = str(body["channel_id"])
    place = Place("slack", bot.team, channel, "", direct=channel.startswith("D"))
    words = tuple(str(body.get("text") or "").split())
    return Command(place, str(body["user_id"]), words, str(body.get("trigger_id") or ""), private=True)


def _place(body: Json, bot: Bot, channel: str, thread: str) -> Place:
    """Where a click was made or a form opened. It says by its flag or by its user that the channel is shared.

    The payload's own team may be ours though the person is of another organisation. People of other workspaces of the
    same Enterprise organisation are no strangers.
    """
    team = (body.get("user") or {}).get("team_id")
    shared = bool(body.get("is_ext_shared_channel")) or not (bot.enterprise or team in {None, "", bot.team})
    return Place("slack", bot.team, channel, thread, direct=channel.startswith("D"), shared=shared)


# ---------------------------------------------------------------------------------------------------------------- bolt


def bolt_request(query: str, headers: Mapping[str, str], body: bytes) -> AsyncBoltRequest | None:
    """What bolt makes of a signed request, None where it can make nothing of it."""
    try:
        return AsyncBoltRequest(body=body.decode(), query=query, headers=dict(headers))
    except Exception:  # it raises whatever comes up: ValueError, RecursionError, TypeError, AttributeError
        return None


def bolt_app(calls: SlackCalls, signing_secret: str, bot: Callable[[], Awaitable[Bot]], listener: Listener) -> AsyncApp:
    """The app with all its listeners. ``bot``: who we are, which may have to be asked first."""
    app = AsyncApp(
        client=calls.client,
        signing_secret=signing_secret,
        process_before_response=True,  # only what is committed is acknowledged
        raise_error_for_unhandled_request=True,  # else bolt answers 404, and Slack sends it again
        logger=logging.getLogger("slack_bolt"),
    )
    receiver = _Receiver(bot, listener)
    app.event("app_mention")(receiver.on_message)
    app.event("message")(receiver.on_message)
    app.event("channel_shared")(receiver.on_sharing)
    app.event("channel_unshared")(receiver.on_sharing)
    app.event("link_shared")(receiver.on_links)
    app.event("agent_session_stopped")(receiver.on_stop)
    app.event("app_home_opened")(receiver.on_home)
    app.action(_ANYTHING)(receiver.on_action)
    app.view(_ANYTHING)(receiver.on_submission)
    app.command(_ANYTHING)(receiver.on_command)
    app.error(_on_error)
    return app


@dataclass(frozen=True, slots=True)
class _Receiver:
    bot: Callable[[], Awaitable[Bot]]
    listener: Listener

    async def on_message(self, body: Json) -> None:
        me = await self.bot()
        if _is_foreign(body, me):
            return
        edit = parse_edit(body, me)
        if edit:
            await self.listener.handle_edit(edit)
        elif is_by_a_person(body["event"], me):
            await self.listener.handle_message(parse_message(body, me))

    async def on_sharing(self, body: Json) -> None:
        if not _is_foreign(body, await self.bot()):
            await self.listener.handle_sharing_change(str(body["event"].get("channel") or ""))

    async def on_stop(self, body: Json) -> None:
        me, event = await self.bot(), body["event"]
        if not _is_foreign(body, me) and event.get("channel") and event.get("thread_ts"):
            channel, thread = str(event["channel"]), str(event["thread_ts"])
            await self.listener.handle_stop(_place(body, me, channel, thread))

    async def on_links(self, body: Json) -> None:
        """Links that are only being typed are left alone: Slack does not say yet who will read them."""
        me, event = await self.bot(), body["event"]
        channel, message_id = str(event.get("channel") or ""), str(event.get("message_ts") or "")
        if _is_foreign(body, me) or event.get("user") in {None, me.user} or channel in _TYPING:
            return
        place = _place(body, me, channel, str(event.get("thread_ts") or message_id))
        if place.direct and event.get("is_bot_user_member") is False:  # those of two people
            return
        urls = [str(link["url"]) for link in event.get("links") or () if link.get("url")]
        await self.listener.handle_links(place, message_id, str(event["user"]), urls)

    async def on_home(self, body: Json) -> None:
        """The tab of messages needs nothing."""
        me, event = await self.bot(), body["event"]
        if not _is_foreign(body, me) and event.get("tab") == "home" and event.get("user"):
            place = Place("slack", me.team, str(event.get("channel") or event["user"]), "", direct=True)
            await self.listener.handle_home(place, str(event["user"]))

    async def on_action(self, ack: Acknowledge, body: Json) -> None:
        me = await self.bot()
        await ack()
        if not _is_foreign(body, me) and (body.get("container") or {}).get("type") in _WITH_BUTTONS:
            action = body["actions"][0]
            value, trigger = str(action.get("value") or ""), str(body.get("trigger_id") or "")
            await self.listener.handle_click(str(action["action_id"]), value, parse_click(body, me), trigger)

    async def on_submission(self, ack: Acknowledge, body: Json) -> None:
        me = await self.bot()
        await ack()
        if not _is_foreign(body, me):
            await self.listener.handle_submission(*parse_submission(body, me))

    async def on_command(self, ack: Acknowledge, body: Json) -> None:
        me = await self.bot()
        if _is_foreign(body, me):
            await ack()
        else:
            await ack(**await self.listener.handle_command(parse_command(body, me)))


async def _on_error(error: Exception, body: Json) -> BoltResponse:
    if isinstance(error, BoltUnhandledRequestError):
        logger.debug("A %s of Slack was ignored.", (body.get("event") or body).get("type"))
        return BoltResponse(status=200, body="")
    logger.error("A request of Slack failed: %s", error, exc_info=error)
    return BoltResponse(status=500, body="")


def _is_foreign(body: Json, bot: Bot) -> bool:
    if is_ours(body, bot):
        return False
    logger.warning("Something from a workspace that WikiWhy is not set up for was ignored.")
    return True
