"""A bot without any SDK: keeps what it is told, answers what the test says, and calls the connector with plain JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import quote

import aiohttp
from aiohttp import web

from tests.servers.teams.identity import SCOPE
from tests.servers.teams.state import APP_ID, SECRET, Json

Answer = tuple[int, Any]
"""Status and JSON."""


class Receiver:
    """``received``: activities in order. ``on_invoke``: what it answers to invokes; else 200 with nothing.

    ``on_message``: done for each message after it was answered. ``statuses``: of its next answers, before all else.
    """

    def __init__(self, token_url: str = "") -> None:
        """``token_url``: where it gets the token for its calls; without, it calls without."""
        self.received: list[Json] = []
        self.statuses: list[int] = []
        self.delay = 0.0
        self.on_invoke: Callable[[Json], Answer] = lambda activity: (200, {})
        self.on_message: Callable[[Json], Awaitable[None]] | None = None
        self.url = ""
        self._token_url, self._token = token_url, ""
        self._tasks: set[asyncio.Task[None]] = set()
        self._session: aiohttp.ClientSession
        self._runner: web.AppRunner

    async def __aenter__(self) -> Receiver:
        application = web.Application()
        application.router.add_post("/api/messages", self._receive)
        self._runner = web.AppRunner(application, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/api/messages"
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10))
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._session.close()
        await self._runner.cleanup()

    def of(self, kind: str) -> list[Json]:
        """Activities of this type, or invokes of this name."""
        return [one for one in self.received if kind in (one["type"], one.get("name"))]

    async def _receive(self, request: web.Request) -> web.Response:
        activity = await request.json()
        self.received.append(activity)
        await asyncio.sleep(self.delay)
        if self.statuses:
            return web.Response(status=self.statuses.pop(0))
        if activity["type"] == "invoke":
            status, body = self.on_invoke(activity)
            return web.json_response(body, status=status)
        if activity["type"] == "message" and self.on_message:
            task = asyncio.ensure_future(self.on_message(activity))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return web.Response(status=202)

    async def send(self, to: Json, activity: Json, *, reply: bool = False) -> Answer:
        """Into the conversation of ``to``, an activity that was received. ``reply``: names it."""
        path = f"v3/conversations/{quote(to['conversation']['id'], safe='')}/activities"
        path += f"/{to['id']}" if reply else ""
        return await self.call("POST", to["serviceUrl"], path, {"type": "message"} | activity)

    async def update(self, to: Json, message_id: str, activity: Json) -> Answer:
        path = f"v3/conversations/{quote(to['conversation']['id'], safe='')}/activities/{message_id}"
        return await self.call("PUT", to["serviceUrl"], path, {"type": "message", "id": message_id} | activity)

    async def delete(self, to: Json, message_id: str) -> Answer:
        path = f"v3/conversations/{quote(to['conversation']['id'], safe='')}/activities/{message_id}"
        return await self.call("DELETE", to["serviceUrl"], path)

    async def call(self, verb: str, service_url: str, path: str, body: Json | None = None) -> Answer:
        """Raises aiohttp's errors where the connection breaks."""
        headers = {"Authorization": f"Bearer {await self._own_token()}"} if self._token_url else {}
        url = f"{service_url.rstrip('/')}/{path}"
        async with self._session.request(verb, url, json=body, headers=headers) as response:
            self.headers = dict(response.headers)
            answer = await response.json() if response.content_type == "application/json" else await response.text()
            return response.status, answer

    async def _own_token(self) -> str:
        if not self._token:
            form = {"grant_type": "client_credentials", "client_id": APP_ID, "client_secret": SECRET, "scope": SCOPE}
            async with self._session.post(self._token_url, data=form) as response:
                self._token = (await response.json())["access_token"]
        return self._token


class Writing:
    """A stream into the conversation of ``heard``: called with the text and the stream type of each piece."""

    def __init__(self, bot: Receiver, heard: Json) -> None:
        self.bot, self.heard, self.id = bot, heard, ""

    async def __call__(self, text: str, kind: str, sequence: int | None = None) -> Answer:
        info: Json = {"type": "streaminfo", "streamType": kind}
        info |= {"streamSequence": sequence} if sequence else {}
        info |= {"streamId": self.id} if self.id else {}
        activity = {"type": "message" if kind == "final" else "typing", "text": text, "entities": [info]}
        status, answer = await self.bot.send(self.heard, activity)
        self.id = self.id or (answer.get("id", "") if isinstance(answer, dict) else "")
        return status, answer
