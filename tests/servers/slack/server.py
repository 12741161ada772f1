"""Slack's Web API over HTTP, and the websockets of Socket Mode."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from tests.servers.chat_server import UPSTREAM_ERROR, Call, Endpoint, Json, Refusal, World
from tests.servers.faults import Fault
from tests.servers.slack.delivery import SlackDeliverer
from tests.servers.slack.methods import METHODS
from tests.servers.slack.payloads import changed_event, envelope, message_event, message_json
from tests.servers.slack.state import APP, BOT_USER, Message, RequestError, Workspace
from tests.servers.slack.streams import Rates

SCOPES = (
    "app_mentions:read", "assistant:write", "channels:history", "channels:read", "chat:write", "commands",
    "groups:history", "groups:read", "im:history", "im:write", "links:read", "links:write", "mpim:history",
    "mpim:read", "users:read", "users:read.email",
)  # fmt: skip
"""Scopes of the bot's token."""
LIMITS = {
    "invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long", "no_text", "invalid_arguments",
}  # fmt: skip
"""Slack's errors for a message that violates its rules."""


class SlackServer(World[Message]):
    """``echoes``: whether the bot receives events of its own messages, as with ``message.channels``.

    ``scopes``: the scopes of the bot's token, sent with each response but not enforced. ``rates``: of the methods
    that have few calls a minute.
    """

    def __init__(self, signing_secret: str, bot_token: str, app_token: str) -> None:
        self.signing_secret, self.bot_token, self.app_token = signing_secret, bot_token, app_token
        self.sender = SlackDeliverer(signing_secret)
        super().__init__(Endpoint(), self.sender)
        self.workspace = Workspace()
        self.echoes = False
        self.scopes: tuple[str, ...] = SCOPES
        self.rates = Rates()

    def routes(self) -> list[web.RouteDef]:
        return [web.route("*", "/api/{method}", self._receive), web.get("/link", self.sender.sockets.connect)]

    @property
    def api_url(self) -> str:
        """For slack_sdk's ``base_url``; ends with ``/api/``."""
        return f"{self.url}/api/"

    async def _receive(self, request: web.Request) -> web.Response:
        arguments = await _arguments(request)
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        token = token if scheme == "Bearer" else str(arguments.get("token") or "")
        given = {name: value for name, value in arguments.items() if name != "token"}
        call = Call(request.match_info["method"], given, token)

        async def answer(fault: Fault) -> web.Response:
            return self._answer(call, fault)

        return await self.endpoint.answer(request, call, answer)

    def _answer(self, call: Call, fault: Fault) -> web.Response:
        headers = {"X-OAuth-Scopes": ",".join(self.scopes)}  # in every response to a valid token
        if fault == Fault() and (wait := self.rates.find_wait(call.method)):
            fault = Fault(status=429, retry_after=wait)
        if fault.status == 429:
            call.status, call.answer = 429, {"ok": False, "error": "ratelimited"}
            headers = {} if fault.retry_after is None else {"Retry-After": f"{fault.retry_after:g}"}
        elif fault.error:
            call.answer = {"ok": False, "error": fault.error}
        elif fault.status:
            call.status, call.answer = fault.status, UPSTREAM_ERROR
            return web.Response(status=fault.status, text=UPSTREAM_ERROR, content_type="text/html")
        else:
            try:
                self._authenticate(call)
                call.answer = {"ok": True} | self._call(call)
            except RequestError as error:
                call.answer = {"ok": False, "error": error.error}
                call.answer |= {"response_metadata": {"messages": [f"[ERROR] {error.why}"]}} if error.why else {}
                self.note_refusal(call.method, error, call.arguments)
        return web.json_response(call.answer, status=call.status, headers=headers)

    def _authenticate(self, call: Call) -> None:
        if not call.authorization:
            raise RequestError("not_authed")
        if call.authorization not in (self.bot_token, self.app_token):
            raise RequestError("invalid_auth")
        if (call.authorization == self.app_token) != (call.method == "apps.connections.open"):
            raise RequestError("not_allowed_token_type")

    def _call(self, call: Call) -> Json:
        if call.method == "apps.connections.open":
            ticket = self.sender.sockets.ticket()
            return {"url": f"{self.url.replace('http', 'ws', 1)}/link?ticket={ticket}&app_id={APP}"}
        if call.method not in METHODS:
            raise RequestError("unknown_method")
        before = self._own_message(call)
        answer = METHODS[call.method](self.workspace, call.arguments)
        if self.echoes and call.method in ("chat.postMessage", "chat.update"):
            self._echo(answer, before)
        return answer

    def _own_message(self, call: Call) -> Json | None:
        """Return the bot's message that a call is going to change."""
        channel = self.workspace.channels.get(str(call.arguments.get("channel")))
        found = channel.messages.get(str(call.arguments.get("ts"))) if channel else None
        return message_json(self.workspace, channel, found) if channel and found and found.user == BOT_USER else None

    def _echo(self, answer: Json, before: Json | None) -> None:
        channel = self.workspace.channel(answer["channel"])
        message = channel.messages[answer["ts"]]
        if before:
            event = changed_event(self.workspace, channel, message, before)
        else:
            event = message_event(self.workspace, channel, message, "message")
        self.send_event(envelope(event, channel))

    def send_event(self, body: Json, repeats: int = 1) -> None:
        """Send an event. Call it in the server's event loop."""
        event = body["event"]
        self.sender.later(self.sender.event(event.get("subtype") or event["type"], body, repeats=repeats))

    def note_refusal(self, method: str, error: RequestError, arguments: Json) -> None:
        if error.error in LIMITS:
            self.refusals.append(Refusal(method, error.error, error.why, arguments))


async def _arguments(request: web.Request) -> Json:
    """Return the arguments of the query and of the body, which is a form or JSON."""
    arguments: Json = dict(request.query)
    if request.content_type == "application/json":
        try:
            given: Any = json.loads(await request.text() or "{}")
        except ValueError:
            given = {}
        return arguments | (given if isinstance(given, dict) else {})
    return arguments | (dict(await request.post()) if request.can_read_body else {})
