"""What the bot talks to: the connector behind the serviceUrl."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.servers.faults import Fault, Faults
from tests.servers.teams import limits
from tests.servers.teams.activities import ROUTES, Given, Handler
from tests.servers.teams.context import Context, Refusal
from tests.servers.teams.rates import Rates
from tests.servers.teams.state import Json, Refused

REGION = "/emea"
_LIMITS = {
    "BadSyntax", "MessageSizeTooBig", "BadRequest", "ContentStreamNotAllowed",
    "ContentStreamSequenceOrderPreConditionFailed",
}  # fmt: skip


@dataclass
class Call:
    """One that the bot made. ``at``: monotonic seconds, ``seconds`` until answered. ``status`` 0: connection cut."""

    route: str
    given: Given
    body: Json
    at: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    status: int = 200
    answer: Any = None
    authorization: str = ""

    @property
    def code(self) -> str | None:
        """Teams' name of the error."""
        error = self.answer.get("error") if isinstance(self.answer, dict) else None
        return error.get("code") if isinstance(error, dict) else None


class Connector:
    """The routes. ``faults`` by route: ``post``, ``reply``, ``update``, ``delete``, ``create``, ``member`` …"""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.faults = Faults()
        self.rates = Rates()
        self.calls: list[Call] = []
        self.latency = 0.0

    def routes(self) -> list[web.RouteDef]:
        return [
            web.route(verb, REGION + path, self._answering(name, handler))
            for name, (verb, path, handler) in ROUTES.items()
        ]

    def _answering(self, name: str, handler: Handler) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def answer(request: web.Request) -> web.Response:
            given = {**request.query, **request.match_info}
            raw = await request.read()
            call = Call(name, given, _json(raw), authorization=request.headers.get("Authorization", ""))
            self.calls.append(call)
            fault = self.faults.choose(name, {**given, **call.body})
            await asyncio.sleep(self.latency + (fault.delay if fault else 0.0))
            response = self._answered(call, handler, len(raw), fault)
            call.seconds = time.monotonic() - call.at
            if fault and (fault.drop or fault.drop_after) and request.transport:
                call.status = 0
                request.transport.abort()
            return response

        return answer

    def _answered(self, call: Call, handler: Handler, size: int, fault: Fault | None) -> web.Response:
        if fault and fault.drop:
            return web.Response()
        thread = call.given.get("conversation", "")
        wait = fault.retry_after if fault and fault.status == 429 else self.rates.wait(call.route, thread)
        if wait or (fault and fault.status == 429):
            refused = Refused(429, "TooManyRequests", "API calls quota exceeded")
            return self._refused(call, refused, {} if wait is None else {"Retry-After": f"{wait:g}"})
        if fault and (fault.status or fault.error):
            return self._refused(call, _of_fault(fault))
        try:
            self._authenticate(call)
            limits.too_big(size)
            call.status, call.answer = handler(self.context, call.given, call.body)
        except Refused as refused:
            if refused.code in _LIMITS:
                self.context.refusals.append(Refusal(call.route, refused.code, refused.message, call.body))
            return self._refused(call, refused)
        if call.answer is None:
            return web.Response(status=call.status)
        return web.json_response(call.answer, status=call.status)

    def _refused(self, call: Call, refused: Refused, headers: dict[str, str] | None = None) -> web.Response:
        call.status, call.answer = refused.status, refused.answer()
        if refused.status in (502, 503, 504):
            call.answer = "<html><body>upstream error</body></html>"
            return web.Response(status=call.status, text=call.answer, content_type="text/html")
        return web.json_response(call.answer, status=call.status, headers=headers or {})

    def _authenticate(self, call: Call) -> None:
        scheme, _, token = call.authorization.partition(" ")
        if self.context.authenticates and (scheme != "Bearer" or not self.context.identity.good(token)):
            raise Refused(401, "Unauthorized", "Authorization has been denied for this request.")


_NAMED = {
    400: "BadSyntax", 403: "ForbiddenOperationException", 404: "ConversationNotFound", 412: "PreconditionFailed",
    413: "MessageSizeTooBig", 500: "ServiceError",
}  # fmt: skip
_STATUS = {"BotNotInConversationRoster": 403, "MessageWritesBlocked": 403, "ForbiddenOperationException": 403}


def _of_fault(fault: Fault) -> Refused:
    status = fault.status or _STATUS.get(fault.error or "", 404)
    code = fault.error or _NAMED.get(status, "ServiceError")
    return Refused(status, code, f"Operation returned an invalid status code: {code}")


def _json(raw: bytes) -> Json:
    try:
        given = json.loads(raw) if raw else {}
    except ValueError:
        given = {}
    return given if isinstance(given, dict) else {}
