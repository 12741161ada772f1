"""Socket Mode: the bot connects to Slack, which then sends over the connection and not by HTTP.

https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
import uuid
from typing import Any

from aiohttp import WSMsgType, web

from tests.servers.chat_server import Json
from tests.servers.slack.state import APP


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
