"""Sends events and clicks to the bot, signed, and again where it does not acknowledge them.

https://docs.slack.dev/apis/events-api/#retries, https://docs.slack.dev/authentication/verifying-requests-from-slack
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from urllib.parse import urlencode

from tests.servers.chat_server import Deliverer, Delivery, Json
from tests.servers.slack.socket_mode import SocketMode


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
