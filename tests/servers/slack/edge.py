"""What the bot talks to: Slack's API, its response URLs and its websockets.

What the edge has no handler for it hands to the emulator.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.servers.faults import Fault, Faults
from tests.servers.slack import chat, conversations, people, streams, views
from tests.servers.slack.context import Context, Handler
from tests.servers.slack.rates import Rates
from tests.servers.slack.responses import respond
from tests.servers.slack.state import Json, Refusal, Refused

METHODS: dict[str, Handler] = {
    **chat.METHODS, **streams.METHODS, **conversations.METHODS, **people.METHODS, **views.METHODS,
}  # fmt: skip
LIMITS = {
    "invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long", "no_text", "view_too_large",
    "markdown_text_conflict", "invalid_attachments", "invalid_arguments", "invalid_chunks",
}  # fmt: skip
"""Errors by which Slack says that a message is not to its liking."""


@dataclass
class Call:
    """One that the bot made. ``at``: monotonic seconds, ``seconds`` until answered. ``status`` 0: connection cut."""

    method: str
    arguments: Json
    at: float
    seconds: float = 0.0
    status: int = 200
    answer: Any = None

    @property
    def error(self) -> str | None:
        return self.answer.get("error") if isinstance(self.answer, dict) else None


class Edge:
    """The routes."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.faults = Faults()
        self.rates = Rates()
        self.calls: list[Call] = []
        self.latency = 0.0

    def routes(self) -> list[web.RouteDef]:
        return [
            web.route("*", "/api/{method}", self._call),
            web.post("/response/{name}", self._respond),
            web.get("/link", self.context.deliverer.sockets.connect),
        ]

    async def _call(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        arguments = await _arguments(request)
        call = Call(method, {name: value for name, value in arguments.items() if name != "token"}, time.monotonic())
        self.calls.append(call)
        fault = self.faults.choose(method, call.arguments)
        await asyncio.sleep(self.latency + (fault.delay if fault else 0.0))
        response = await self._answered(request, call, arguments, fault)
        call.seconds = time.monotonic() - call.at
        if fault and (fault.drop or fault.drop_after) and request.transport:
            call.status = 0
            request.transport.abort()
        return response

    async def _answered(self, request: web.Request, call: Call, arguments: Json, fault: Fault | None) -> web.Response:
        if fault and fault.drop:
            return web.Response()
        if fault and fault.error:
            call.answer = {"ok": False, "error": fault.error}
            return web.json_response(call.answer)
        wait = fault.retry_after if fault and fault.status == 429 else self.rates.wait(call.method, call.arguments)
        if wait or (fault and fault.status == 429):
            call.status, call.answer = 429, {"ok": False, "error": "ratelimited"}
            headers = {} if wait is None else {"Retry-After": f"{wait:g}"}
            return web.json_response(call.answer, status=429, headers=headers)
        if fault and fault.status:
            call.status, call.answer = fault.status, "<html><body>upstream error</body></html>"
            return web.Response(status=fault.status, text=call.answer, content_type="text/html")
        try:
            self._authenticate(request, call.method, arguments)
            handler = METHODS.get(call.method)
            worked = await handler(self.context, call.arguments) if handler else await self._forwarded(call)
            call.answer = {"ok": True} | worked
        except Refused as refused:
            call.answer = {"ok": False, "error": refused.error} | refused.more
            if refused.error in LIMITS:
                why = refused.more.get("response_metadata", {}).get("messages", [])
                self.context.refusals.append(Refusal(call.method, refused.error, why, call.arguments))
        # Slack names them with every answer to a token that it knows.
        return web.json_response(call.answer, headers={"X-OAuth-Scopes": ",".join(self.context.scopes)})

    def _authenticate(self, request: web.Request, method: str, arguments: Json) -> None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        token = token if scheme == "Bearer" else str(arguments.get("token") or "")
        if method == "api.test":
            return
        if not token:
            raise Refused("not_authed")
        if token not in (self.context.bot_token, self.context.app_token):
            raise Refused("invalid_auth")
        if (token == self.context.app_token) != method.startswith("apps.connections."):
            raise Refused("not_allowed_token_type")

    async def _forwarded(self, call: Call) -> Json:
        emulator, session = self.context.emulator, self.context.deliverer.session
        if emulator is None or session is None:
            raise Refused("unknown_method", req_method=call.method)
        return await emulator.call(session, call.method, call.arguments)

    async def _respond(self, request: web.Request) -> web.Response:
        arguments = await _arguments(request)
        call = Call("response_url", arguments, time.monotonic())
        self.calls.append(call)
        try:
            await respond(self.context, request.match_info["name"], arguments)
            call.answer = "ok"
        except Refused as refused:
            gone = refused.error in ("used_url", "expired_url", "invalid_url")
            call.status, call.answer = 404 if gone else 400, refused.error
            if refused.error in LIMITS:
                why = refused.more.get("response_metadata", {}).get("messages", [])
                self.context.refusals.append(Refusal("response_url", refused.error, why, arguments))
        call.seconds = time.monotonic() - call.at
        return web.Response(text=str(call.answer), status=call.status)


async def _arguments(request: web.Request) -> Json:
    """Of the query and of the body, which is a form or JSON."""
    arguments: Json = dict(request.query)
    if request.content_type == "application/json":
        text = await request.text()
        try:
            given = json.loads(text) if text else {}
        except ValueError:
            given = {}
        arguments |= given if isinstance(given, dict) else {}
    elif request.can_read_body:
        arguments |= dict(await request.post())
    return arguments
