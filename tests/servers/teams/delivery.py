"""Sends activities to the bot, with the channel's token, and again where it does not answer.

https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid

from tests.servers.chat_server import Deliverer, Delivery
from tests.servers.teams.tokens import Identity

_TOKEN_LIFE = 300.0


class TeamsDeliverer(Deliverer):
    """To the bot's messaging endpoint. Teams' patience is 15 seconds. ``at_once``: copies arrive together."""

    def __init__(self, identity: Identity) -> None:
        super().__init__(patience=15.0)
        self.identity = identity
        self.at_once = False
        self._token = ("", 0.0)

    async def deliver(self, delivery: Delivery, copies: int = 1) -> None:
        """Until answered or given up, each of its copies. A message keeps its id, an invoke gets a new one."""
        work = [self._insist(delivery if not n else _again(delivery, n)) for n in range(copies)]
        if self.at_once:
            await asyncio.gather(*work)
            return
        for each in work:
            await each

    async def _insist(self, delivery: Delivery) -> None:
        """Tries again after no answer or a server's error."""
        await self.send(delivery)
        for pause in self.retry_delays:
            if delivery.status and delivery.status < 500:
                return
            await asyncio.sleep(pause)
            delivery = _again(delivery, delivery.retry + 1)
            await self.send(delivery)

    async def send(self, delivery: Delivery, authorization: str | None = "") -> None:
        """Once. ``authorization``: the header in place of the good one; None: without."""
        headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "Microsoft-SkypeBotApi"}
        header = f"Bearer {self._good()}" if authorization == "" else authorization
        headers |= {} if header is None else {"Authorization": header}
        await self.attempt(delivery, lambda: self.post(delivery, json.dumps(delivery.body).encode(), headers))

    def _good(self) -> str:
        if time.monotonic() - self._token[1] > _TOKEN_LIFE or not self._token[0]:
            self._token = (self.identity.tokens.good(), time.monotonic())
        return self._token[0]


def _again(delivery: Delivery, number: int) -> Delivery:
    new_id = {"id": new_invoke_id()} if delivery.body.get("type") == "invoke" else {}
    return Delivery(delivery.kind, {**delivery.body, **new_id}, number)


def new_invoke_id() -> str:
    return f"f:{uuid.uuid4()}"
