"""Requests from Slack: signatures are checked here, slack-bolt dispatches, a listener handles.

A request is acknowledged after its listener has returned, because the listener commits the start of the work;
listeners therefore have to be quick. A failure is answered with 500: Slack sends an event again, and shows an error to
a person who clicked.

bolt and the SDK read a body before they check its signature, and raise for many bodies that Slack never sends. The
signature is therefore checked here, over the raw bytes:
https://docs.slack.dev/authentication/verifying-requests-from-slack/.
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
from adapters.slack.events import (
    Bot,
    Edit,
    Json,
    is_by_person,
    is_own_workspace,
    parse_click,
    parse_command,
    parse_edit,
    parse_message,
    parse_place,
    parse_stop,
    parse_submission,
)
from adapters.slack.windows import INPUT
from core.errors import WikiWhyError
from core.ports.chat import Click, Command, IncomingMessage, Place

Acknowledge = Callable[..., Awaitable[BoltResponse]]

_ANYTHING = re.compile(".*")
_EVENTS = (
    "app_mention", "message", "channel_shared", "channel_unshared", "link_shared", "agent_session_stopped",
    "app_home_opened",
)  # fmt: skip
_COMPOSER_CHANNELS = frozenset({"", "COMPOSER"})
"""Channel values of a link in a message that is not sent yet."""

_CLICK_CONTAINERS = frozenset({"message", "message_attachment"})
"""Containers of clicks: the bot's messages and link previews."""

_TIMESTAMP = re.compile("[0-9]{1,12}")
_SIGNATURE = re.compile("v0=[0-9a-f]{64}")
_CHECK_BYTES = 1000

logger = logging.getLogger(__name__)


class Listener(Protocol):
    """Handles what Slack sends. Slack waits 3 seconds for each method to return."""

    async def handle_message(self, message: IncomingMessage) -> None: ...

    async def handle_edit(self, edit: Edit) -> None: ...

    async def handle_sharing_change(self, channel: str) -> None:
        """A channel was shared with another organisation, or is no longer shared."""
        ...

    async def handle_stop(self, click: Click, streams: Sequence[str]) -> None:
        """A person pressed stop while the bot worked in a thread. ``streams``: ids of messages that Slack ended."""
        ...

    async def handle_links(self, place: Place, message_id: str, user: str, urls: Sequence[str]) -> None:
        """A person posted links to hosts that the manifest names, anywhere in the workspace.

        ``place.direct``: direct messages, possibly those of two people.
        """
        ...

    async def handle_home(self, place: Place, user: str) -> None:
        """A person opened the app's home tab. ``place``: their direct messages."""
        ...

    async def handle_click(self, action: str, value: str, click: Click, trigger_id: str) -> None:
        """``action``: the button's action_id; ``value``: its value."""
        ...

    async def handle_submission(self, form: str, click: Click, text: str) -> str:
        """Handle a form; return what is wrong with its text, so that the form stays open, or "".

        ``form``: the modal's callback_id. ``click``: the click that opened it; its action_id is the form's.
        """
        ...

    async def handle_command(self, command: Command) -> Mapping[str, Any]:
        """Execute a slash command and return the immediate response to the person."""
        ...


def is_signed(secret: str, headers: MultiMapping[str], body: bytes) -> bool:
    """Whether Slack signed the body with this secret less than five minutes ago. Never raises."""
    timestamps, signatures = headers.getall("X-Slack-Request-Timestamp", []), headers.getall("X-Slack-Signature", [])
    if len(timestamps) != 1 or len(signatures) != 1 or not secret:
        return False
    # The verifier raises for other formats, which Slack never sends.
    if not _TIMESTAMP.fullmatch(timestamps[0]) or not _SIGNATURE.fullmatch(signatures[0]):
        return False
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return False
    return SignatureVerifier(secret).is_valid(text, timestamps[0], signatures[0])


def is_certificate_check(body: bytes) -> bool:
    """Whether this is Slack's check of the server's certificate, which is unsigned and needs an empty response.

    https://docs.slack.dev/interactivity/implementing-slash-commands/#best-practices
    """
    if len(body) > _CHECK_BYTES or not body.startswith((b"ssl_check=", b"token=")):
        return False
    return parse_qs(body.decode("latin-1")).get("ssl_check") == ["1"]


def parse_request(query: str, headers: Mapping[str, str], body: bytes) -> AsyncBoltRequest | None:
    """Return a signed request for bolt, or None if bolt cannot parse it."""
    try:
        return AsyncBoltRequest(body=body.decode(), query=query, headers=dict(headers))
    except Exception:  # bolt lets ValueError, RecursionError, TypeError and AttributeError escape
        return None


def make_app(calls: SlackCalls, signing_secret: str, bot: Callable[[], Awaitable[Bot]], listener: Listener) -> AsyncApp:
    """Return the bolt app with all its listeners. ``bot`` returns the bot's ids and may have to request them first."""
    app = AsyncApp(
        client=calls.client,
        signing_secret=signing_secret,
        process_before_response=True,  # acknowledge only after the listener has committed
        raise_error_for_unhandled_request=True,  # otherwise bolt answers 404, and Slack sends the event again
        logger=logging.getLogger("slack_bolt"),
    )
    receiver = _Receiver(bot, listener)
    for kind in _EVENTS:
        app.event(kind)(receiver.on_event)
    app.action(_ANYTHING)(receiver.on_action)
    app.view(_ANYTHING)(receiver.on_submission)
    app.command(_ANYTHING)(receiver.on_command)
    app.error(_on_error)
    return app


@dataclass(frozen=True, slots=True)
class _Receiver:
    bot: Callable[[], Awaitable[Bot]]
    listener: Listener

    async def on_event(self, body: Json) -> None:
        me, event = await self.bot(), body["event"]
        if _is_foreign(body, me):
            return
        channel, thread, user = (str(event.get(name) or "") for name in ("channel", "thread_ts", "user"))
        match event["type"]:
            case "app_mention" | "message":
                await self._handle_message(body, me)
            case "link_shared":
                await self._handle_links(body, me)
            case "channel_shared" | "channel_unshared":
                await self.listener.handle_sharing_change(channel)
            case "agent_session_stopped" if channel and thread and user:
                await self.listener.handle_stop(*parse_stop(body, me))
            case "app_home_opened" if event.get("tab") == "home" and user:  # the messages tab needs nothing
                await self.listener.handle_home(Place("slack", me.team, channel or user, "", direct=True), user)

    async def _handle_message(self, body: Json, me: Bot) -> None:
        edit = parse_edit(body, me)
        if edit:
            await self.listener.handle_edit(edit)
        elif is_by_person(body["event"], me):
            await self.listener.handle_message(parse_message(body, me))

    async def _handle_links(self, body: Json, me: Bot) -> None:
        """Ignore links in a message that is still being written: its readers are not known yet."""
        event = body["event"]
        channel, message_id = str(event.get("channel") or ""), str(event.get("message_ts") or "")
        if event.get("user") in {None, me.user} or channel in _COMPOSER_CHANNELS:
            return
        place = parse_place(body, me, channel, str(event.get("thread_ts") or message_id))
        if place.direct and event.get("is_bot_user_member") is False:  # direct messages of two people
            return
        urls = [str(link["url"]) for link in event.get("links") or () if link.get("url")]
        await self.listener.handle_links(place, message_id, str(event["user"]), urls)

    async def on_action(self, ack: Acknowledge, body: Json) -> None:
        me = await self.bot()
        await ack()
        if not _is_foreign(body, me) and (body.get("container") or {}).get("type") in _CLICK_CONTAINERS:
            action = body["actions"][0]
            value, trigger = str(action.get("value") or ""), str(body.get("trigger_id") or "")
            await self.listener.handle_click(str(action["action_id"]), value, parse_click(body, me), trigger)

    async def on_submission(self, ack: Acknowledge, body: Json) -> None:
        me = await self.bot()
        wrong = "" if _is_foreign(body, me) else await self.listener.handle_submission(*parse_submission(body, me))
        if wrong:
            await ack(response_action="errors", errors={INPUT: wrong})
        else:
            await ack()

    async def on_command(self, ack: Acknowledge, body: Json) -> None:
        me = await self.bot()
        if _is_foreign(body, me):
            await ack()
        else:
            await ack(**await self.listener.handle_command(parse_command(body, me)))


async def _on_error(error: Exception, body: Json) -> BoltResponse:
    if isinstance(error, BoltUnhandledRequestError):
        logger.debug("A Slack event of type %s was ignored.", (body.get("event") or body).get("type"))
        return BoltResponse(status=200, body="")
    unexpected = None if isinstance(error, WikiWhyError) else error  # Slack sends it again, and the log would fill
    logger.error("A request from Slack failed: %s", error, exc_info=unexpected)
    return BoltResponse(status=500, body="")


def _is_foreign(body: Json, bot: Bot) -> bool:
    if is_own_workspace(body, bot):
        return False
    logger.warning("A request from a workspace that WikiWhy is not set up for was ignored.")
    return True
