"""Receiving from Slack: signatures, acknowledgements, and handing on what comes, by slack-bolt.

A request is answered when its listener has returned, since the listener commits the start of what follows; so listeners
have to be quick. A failure is answered with 500, and Slack sends the request again.

bolt and the SDK read a body before they check its signature, and raise on much that is no request of Slack's. So the
signature is checked here, over the raw bytes:
https://docs.slack.dev/authentication/verifying-requests-from-slack/
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Mapping
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
    Json,
    is_by_a_person,
    is_ours,
    parse_click,
    parse_command,
    parse_edit,
    parse_message,
    parse_submission,
)
from core.ports.chat import Click, Command, Incoming, Place

logger = logging.getLogger(__name__)

_ANYTHING = re.compile(".*")
_TIMESTAMP = re.compile("[0-9]{1,12}")
_SIGNATURE = re.compile("v0=[0-9a-f]{64}")
_CHECK_BYTES = 1000

Acknowledge = Callable[..., Awaitable[BoltResponse]]


class Listener(Protocol):
    """Handles what Slack sends. Returns soon: Slack waits 3 seconds."""

    async def handle_message(self, message: Incoming) -> None: ...

    async def handle_edit(self, place: Place, message_id: str, user: str, text: str) -> None: ...

    async def handle_deletion(self, place: Place, message_id: str) -> None: ...

    async def handle_sharing_change(self, channel: str) -> None:
        """A channel was shared with another organisation, or is no longer."""
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
        if edit and edit.text is None:
            await self.listener.handle_deletion(edit.place, edit.message_id)
        elif edit and edit.text is not None:
            await self.listener.handle_edit(edit.place, edit.message_id, edit.user, edit.text)
        elif is_by_a_person(body["event"], me):
            await self.listener.handle_message(parse_message(body, me))

    async def on_sharing(self, body: Json) -> None:
        if not _is_foreign(body, await self.bot()):
            await self.listener.handle_sharing_change(str(body["event"].get("channel") or ""))

    async def on_action(self, ack: Acknowledge, body: Json) -> None:
        me = await self.bot()
        await ack()
        if not _is_foreign(body, me) and (body.get("container") or {}).get("type") == "message":
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
