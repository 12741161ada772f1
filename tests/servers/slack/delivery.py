"""Sends events and clicks to the bot, signed, and again where it does not acknowledge them.

https://docs.slack.dev/apis/events-api/#retries, https://docs.slack.dev/authentication/verifying-requests-from-slack
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import aiohttp

from tests.servers.slack.socket_mode import SocketMode
from tests.servers.slack.state import Json

PATIENCE = 3.0
"""Seconds until Slack takes an unanswered request for failed."""


@dataclass
class Delivery:
    """One request to the bot. ``status`` None: still under way, 0: no answer. ``at``: monotonic seconds.

    ``seconds`` is its acknowledgement time. ``retry``: 0 for the first, then Slack's ``X-Slack-Retry-Num``.
    """

    kind: str
    body: Json
    retry: int = 0
    reason: str | None = None
    at: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    status: int | None = None
    answer: Any = None  # JSON, or the text where it is none
    no_retry: bool = False

    @property
    def acknowledged(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def event_id(self) -> str | None:
        return self.body.get("event_id")


class Deliverer:
    """To the request URL, or over Socket Mode while the bot has a connection open."""

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self.url: str | None = None
        self.retry_delays: tuple[float, ...] = (0.05, 0.5, 1.0)
        """Seconds before each retry; Slack's own are (about 1, 60, 300)."""
        self.patience = PATIENCE
        self.deliveries: list[Delivery] = []
        self.sockets = SocketMode()
        self.session: aiohttp.ClientSession | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    async def open(self) -> None:
        self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.sockets.close()
        if self.session:
            await self.session.close()

    @property
    def pending(self) -> int:
        """Events and clicks that are neither acknowledged nor given up."""
        return len(self._tasks)

    def later(self, work: Coroutine[Any, Any, Any]) -> None:
        """Does this without anybody waiting for it."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def event(self, kind: str, body: Json, *, repeats: int = 1) -> None:
        """Until acknowledged or given up. ``repeats``: sends it so many times though it was acknowledged."""
        reason: str | None = None
        for retry in range(max(len(self.retry_delays) + 1, repeats)):
            if retry and retry >= repeats:
                await asyncio.sleep(self.retry_delays[retry - 1])
            delivery = Delivery(kind, body, retry, reason if retry else None)
            await self.send(delivery, json.dumps(body).encode(), "application/json", "events_api")
            if retry + 1 < repeats:
                reason = "http_timeout"
            elif delivery.acknowledged or delivery.no_retry:
                return
            else:
                reason = _reason(delivery)

    async def interaction(self, delivery: Delivery) -> None:
        """A click, a submitted modal or a command; Slack tries those once."""
        command = delivery.kind == "command"
        form = delivery.body if command else {"payload": json.dumps(delivery.body)}
        kind = "slash_commands" if command else "interactive"
        await self.send(delivery, urlencode(form).encode(), "application/x-www-form-urlencoded", kind)

    async def send(self, delivery: Delivery, body: bytes, content_type: str, socket_kind: str) -> None:
        self.deliveries.append(delivery)
        delivery.at = time.monotonic()
        status = 0
        try:
            async with asyncio.timeout(self.patience):
                if self.sockets.connected:
                    delivery.answer = await self.sockets.send(
                        socket_kind, delivery.body, delivery.retry, delivery.reason
                    )
                    status = 200
                elif self.url:
                    status = await self._post(delivery, body, content_type)
        except (TimeoutError, aiohttp.ClientError, ConnectionError) as error:
            delivery.answer = error
        finally:
            delivery.seconds = time.monotonic() - delivery.at
            delivery.status = status

    async def _post(self, delivery: Delivery, body: bytes, content_type: str) -> int:
        assert self.session
        assert self.url
        headers = self.signed(body) | {"Content-Type": content_type}
        headers["User-Agent"] = "Slackbot 1.0 (+https://api.slack.com/robots)"
        if delivery.retry:
            headers |= {"X-Slack-Retry-Num": str(delivery.retry), "X-Slack-Retry-Reason": delivery.reason or ""}
        async with self.session.post(self.url, data=body, headers=headers, allow_redirects=False) as response:
            text = await response.text()
            try:
                delivery.answer = json.loads(text)
            except ValueError:
                delivery.answer = text
            delivery.no_retry = response.headers.get("X-Slack-No-Retry") == "1" and not 200 <= response.status < 300
            return response.status

    def signed(self, body: bytes, at: int | None = None) -> dict[str, str]:
        """The headers of a request with this body. ``at``: unix seconds, default now."""
        timestamp = str(int(time.time()) if at is None else at)
        digest = hmac.new(self.secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
        return {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={digest}"}


def _reason(delivery: Delivery) -> str:
    if isinstance(delivery.answer, TimeoutError):
        return "http_timeout"
    return "http_error" if delivery.status else "connection_failed"
