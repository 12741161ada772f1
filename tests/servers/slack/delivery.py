"""Sends events and clicks to the bot: signed, and again where it does not acknowledge them; or over Socket Mode.

https://docs.slack.dev/apis/events-api/#retries, https://docs.slack.dev/authentication/verifying-requests-from-slack,
https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import secrets
import time
import uuid
from typing import Any
from urllib.parse import urlencode

from aiohttp import WSMsgType, web

from tests.servers.chat_server import Deliverer, Delivery, Json
from tests.servers.slack.state import APP


class SlackDeliverer(Deliverer):
    """To the request URL, or over Socket Mode while the bot has a connection open. Slack's patience is 3 seconds."""

    def __init__(self, secret: str) -> None:
        super().__init__(patience=3.0)
        self.secret = secret
        self.sockets = SocketMode()

    async def close(self) -> None:
        await super().close()
        await self.sockets.close()

    async def event(self, kind: str, body: Json, *, repeats: int = 1) -> Delivery:
        """Until acknowledged or given up; returns the last attempt. ``repeats``: at least so often."""
        reason = ""
        for retry in range(max(len(self.retry_delays) + 1, repeats)):
            if retry and retry >= repeats:
                await asyncio.sleep(self.retry_delays[retry - 1])
            delivery = Delivery(kind, body, retry, reason if retry else "")
            await self._send(delivery, json.dumps(body).encode(), "application/json", "events_api")
            if retry + 1 >= repeats and delivery.acknowledged:
                break
            reason = "http_error" if delivery.status and not delivery.acknowledged else "http_timeout"
        return delivery

    async def interaction(self, delivery: Delivery) -> None:
        """A click, a submitted modal or a command; Slack tries those once."""
        is_command = delivery.kind == "command"
        form = delivery.body if is_command else {"payload": json.dumps(delivery.body)}
        kind = "slash_commands" if is_command else "interactive"
        await self._send(delivery, urlencode(form).encode(), "application/x-www-form-urlencoded", kind)

    async def _send(self, delivery: Delivery, body: bytes, content_type: str, socket_kind: str) -> None:
        async def exchange() -> int:
            if self.sockets.connected:
                delivery.answer = await self.sockets.send(socket_kind, delivery.body, delivery.retry, delivery.reason)
                return 200
            headers = self.signed(body) | {"Content-Type": content_type}
            if delivery.retry:
                headers |= {"X-Slack-Retry-Num": str(delivery.retry), "X-Slack-Retry-Reason": delivery.reason}
            return await self.post(delivery, body, headers)

        await self.attempt(delivery, exchange)

    def signed(self, body: bytes, at: int | None = None) -> dict[str, str]:
        """The headers of a request with this body. ``at``: unix seconds, default now."""
        timestamp = str(int(time.time()) if at is None else at)
        digest = hmac.new(self.secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
        return {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={digest}"}


class SocketMode:
    """The open connections. Each envelope goes to one of them, in turn."""

    def __init__(self) -> None:
        self._connections: list[web.WebSocketResponse] = []
        self._turn = itertools.count()
        self._tickets: set[str] = set()
        self._waiting: dict[str, asyncio.Future[Any]] = {}

    @property
    def connected(self) -> int:
        return len(self._connections)

    def ticket(self) -> str:
        """For one connection."""
        ticket = secrets.token_hex(8)
        self._tickets.add(ticket)
        return ticket

    async def connect(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            raise web.HTTPUnauthorized
        self._tickets.discard(ticket)
        connection = web.WebSocketResponse()
        await connection.prepare(request)
        debug = {"host": "edge", "started": "", "build_number": 1, "approximate_connection_time": 3600}
        hello = {"type": "hello", "num_connections": self.connected + 1, "debug_info": debug}
        await connection.send_json(hello | {"connection_info": {"app_id": APP}})
        self._connections.append(connection)
        try:
            async for message in connection:
                if message.type == WSMsgType.TEXT:
                    self._acknowledged(message.data)
        finally:
            self._connections.remove(connection)
        return connection

    async def send(self, kind: str, payload: Json, retry: int, reason: str) -> Any:
        """Waits for the acknowledgement and gives its payload."""
        envelope_id = str(uuid.uuid4())
        connection = self._connections[next(self._turn) % len(self._connections)]
        envelope: Json = {"type": kind, "envelope_id": envelope_id, "payload": payload}
        envelope["accepts_response_payload"] = kind != "events_api"
        if kind == "events_api":
            reasons = {"http_timeout": "timeout"}
            envelope |= {"retry_attempt": retry, "retry_reason": reasons.get(reason, reason)}
        waiting = self._waiting[envelope_id] = asyncio.get_running_loop().create_future()
        try:
            await connection.send_json(envelope)
            return await waiting
        finally:
            del self._waiting[envelope_id]

    async def close(self) -> None:
        for connection in list(self._connections):
            await connection.close()

    def _acknowledged(self, text: str) -> None:
        answer = json.loads(text)
        waiting = self._waiting.get(str(answer.get("envelope_id")))
        if waiting and not waiting.done():
            waiting.set_result(answer.get("payload"))
