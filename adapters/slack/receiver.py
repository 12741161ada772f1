"""Receiving from Slack by slack-bolt: signatures, acknowledgements, and what came handed on.

Everything is answered when its listener is done, since the listener commits the start of what it leads to; so each has
to be quick. What fails is answered with 500, and Slack sends it again.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from slack_bolt.async_app import AsyncApp
from slack_bolt.error import BoltUnhandledRequestError
from slack_bolt.response import BoltResponse

from adapters.slack.calls import SlackCalls
from adapters.slack.events import Bot, Json, by_a_person, click, command, edit, is_ours, parse_message, submission
from core.chat.incoming import Click, Command, Incoming
from core.ports import Place

logger = logging.getLogger(__name__)

_ANYTHING = re.compile(".*")

Acknowledge = Callable[..., Awaitable[BoltResponse]]


class Listener(Protocol):
    """What is done with what came. Returns soon: Slack waits 3 seconds."""

    async def message(self, message: Incoming) -> None: ...

    async def handle_edit(self, place: Place, message_id: str, user: str, text: str) -> None: ...

    async def handle_deletion(self, place: Place, message_id: str) -> None: ...

    async def handle_sharing_change(self, channel: str) -> None:
        """A channel was shared with another organisation, or is not any more."""
        ...

    async def handle_click(self, action: str, value: str, click: Click, trigger_id: str) -> None:
        """``action``: the button's action_id, ``value``: its value."""
        ...

    async def handle_submission(self, form: str, click: Click, text: str) -> None:
        """``form``: the modal's callback_id. The click is the one that opened it, with the form's own action_id."""
        ...

    async def handle_command(self, command: Command) -> Mapping[str, Any]:
        """A slash command; returns what to show to the person at once."""
        ...


def bolt_app(calls: SlackCalls, signing_secret: str, bot: Callable[[], Awaitable[Bot]], listener: Listener) -> AsyncApp:
    """The app with all its listeners. ``bot``: who we are, which may have to be asked first."""
    app = AsyncApp(
        client=calls.client,
        signing_secret=signing_secret,
        process_before_response=True,  # acknowledged is only what is committed
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
        if _foreign(body, me):
            return
        changed = edit(body, me)
        if changed and changed.text is None:
            await self.listener.handle_deletion(changed.place, changed.message_id)
        elif changed and changed.text is not None:
            await self.listener.handle_edit(changed.place, changed.message_id, changed.user, changed.text)
        elif by_a_person(body["event"], me):
            await self.listener.message(parse_message(body, me))

    async def on_sharing(self, body: Json) -> None:
        if not _foreign(body, await self.bot()):
            await self.listener.handle_sharing_change(str(body["event"].get("channel") or ""))

    async def on_action(self, ack: Acknowledge, body: Json) -> None:
        me = await self.bot()
        await ack()
        if not _foreign(body, me) and (body.get("container") or {}).get("type") == "message":
            action = body["actions"][0]
            value, trigger = str(action.get("value") or ""), str(body.get("trigger_id") or "")
            await self.listener.handle_click(str(action["action_id"]), value, click(body, me), trigger)

    async def on_submission(self, ack: Acknowledge, body: Json) -> None:
        me = await self.bot()
        await ack()
        if not _foreign(body, me):
            await self.listener.handle_submission(*submission(body, me))

    async def on_command(self, ack: Acknowledge, body: Json) -> None:
        me = await self.bot()
        if _foreign(body, me):
            await ack()
        else:
            await ack(**await self.listener.handle_command(command(body, me)))


async def _on_error(error: Exception, body: Json) -> BoltResponse:
    if isinstance(error, BoltUnhandledRequestError):
        logger.debug("Nothing is done with a %s of Slack.", (body.get("event") or body).get("type"))
        return BoltResponse(status=200, body="")
    logger.error("A request of Slack failed: %s", error, exc_info=error)
    return BoltResponse(status=500, body="")


def _foreign(body: Json, bot: Bot) -> bool:
    if is_ours(body, bot):
        return False
    logger.warning("Something came from a workspace that WikiWhy is not set up for, and was left alone.")
    return True
