"""A bot that only listens: checks signatures as Slack's own library does, and keeps what came."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs

from aiohttp import web
from slack_sdk.signature import SignatureVerifier

from tests.servers.slack.state import Json
from tests.servers.threaded import ThreadedApplication


@dataclass(frozen=True)
class Received:
    """``body``: an envelope, an interaction's payload or a command's form."""

    headers: dict[str, str]
    body: Json


@dataclass(frozen=True)
class Reaction:
    """What to answer. ``delay``: seconds."""

    status: int = 200
    body: Any = ""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


class Receiver:
    """At ``url`` while the ``with`` block lasts; answers what ``react`` says."""

    def __init__(self, secret: str, react: Callable[[Received], Reaction] = lambda received: Reaction()) -> None:
        self.received: list[Received] = []
        self.react = react
        self._verifier = SignatureVerifier(secret)
        self._server = ThreadedApplication()

    def __enter__(self) -> Receiver:
        application = web.Application()
        application.router.add_post("/slack/events", self._take)
        self._server.start(application)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.stop()

    @property
    def url(self) -> str:
        return f"{self._server.url}/slack/events"

    @property
    def events(self) -> list[Json]:
        """The inner events."""
        return [received.body["event"] for received in self.received if "event" in received.body]

    async def _take(self, request: web.Request) -> web.Response:
        text = await request.text()
        if not self._verifier.is_valid_request(text, dict(request.headers)):
            return web.Response(status=401)
        received = Received(dict(request.headers), _body(request.content_type, text))
        self.received.append(received)
        if received.body.get("type") == "url_verification":
            return web.Response(text=received.body["challenge"])
        reaction = self.react(received)
        await asyncio.sleep(reaction.delay)
        if isinstance(reaction.body, str):
            return web.Response(status=reaction.status, text=reaction.body, headers=reaction.headers)
        return web.json_response(reaction.body, status=reaction.status, headers=reaction.headers)


def _body(content_type: str, text: str) -> Json:
    if content_type == "application/json":
        body: Json = json.loads(text)
        return body
    form = {name: values[0] for name, values in parse_qs(text, keep_blank_values=True).items()}
    payload: Json = json.loads(form["payload"]) if "payload" in form else dict(form)
    return payload
