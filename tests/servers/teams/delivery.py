"""Sends activities to the bot, with the channel's token, and again where it does not answer.

https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from tests.servers.teams.identity import Identity
from tests.servers.teams.state import Json

PATIENCE = 15.0
"""Seconds until Teams takes an unanswered request for failed."""
_TOKEN_LIFE = 300.0


@dataclass
class Delivery:
    """One request to the bot. ``status`` None: still under way, 0: no answer. ``at``: monotonic seconds.

    ``kind``: the activity's type, or the invoke's name. ``seconds`` until the answer. ``retry``: 0 for the first.
    """

    kind: str
    body: Json
    retry: int = 0
    at: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    status: int | None = None
    answer: Any = None  # JSON, or the text where it is none

    @property
    def acknowledged(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def failed(self) -> bool:
        """Whether Teams would send it again: no answer, or a server's error."""
        return self.status is not None and (self.status == 0 or self.status >= 500)


class Deliverer:
    """To the bot's messaging endpoint."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.url: str | None = None
        self.retry_delays: tuple[float, ...] = (0.05, 0.5, 1.0)
        """Seconds before each retry."""
        self.patience = PATIENCE
        self.at_once = False
        """Whether the copies of one activity arrive together, not one after the other."""
        self.deliveries: list[Delivery] = []
        self.session: aiohttp.ClientSession | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._token = ("", 0.0)

    async def open(self) -> None:
        self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.session:
            await self.session.close()

    @property
    def pending(self) -> int:
        """Activities that are neither answered nor given up."""
        return len(self._tasks)

    def later(self, work: Coroutine[Any, Any, Any]) -> None:
        """Does this without anybody waiting for it."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def deliver(self, delivery: Delivery, *, copies: int = 1) -> None:
        """Until answered or given up, each of its copies.

        A message keeps its id when it comes again, an invoke gets a new one.
        """
        all_of_them = [delivery, *(self._again(delivery, number) for number in range(1, copies))]
        if self.at_once:
            await asyncio.gather(*(self._insisting(one) for one in all_of_them))
            return
        for one in all_of_them:
            await self._insisting(one)

    async def _insisting(self, delivery: Delivery) -> None:
        await self.send(delivery)
        for pause in self.retry_delays:
            if not delivery.failed:
                return
            await asyncio.sleep(pause)
            delivery = self._again(delivery, delivery.retry + 1)
            await self.send(delivery)

    def _again(self, delivery: Delivery, number: int) -> Delivery:
        body = {**delivery.body}
        if body.get("type") == "invoke":
            body["id"] = new_invoke_id()
        return Delivery(delivery.kind, body, number)

    async def send(self, delivery: Delivery, authorization: str | None = "") -> None:
        """Once. ``authorization``: the header in place of the good one; None: without."""
        self.deliveries.append(delivery)
        delivery.at = time.monotonic()
        status = 0
        header = f"Bearer {self._good()}" if authorization == "" else authorization
        try:
            async with asyncio.timeout(self.patience):
                status = await self._post(delivery, header) if self.url else 0
        except (TimeoutError, aiohttp.ClientError, ConnectionError) as error:
            delivery.answer = error
        finally:
            delivery.seconds = time.monotonic() - delivery.at
            delivery.status = status

    async def _post(self, delivery: Delivery, authorization: str | None) -> int:
        assert self.session
        assert self.url
        headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "Microsoft-SkypeBotApi"}
        headers |= {} if authorization is None else {"Authorization": authorization}
        body = json.dumps(delivery.body).encode()
        async with self.session.post(self.url, data=body, headers=headers, allow_redirects=False) as response:
            text = await response.text()
            try:
                delivery.answer = json.loads(text)
            except ValueError:
                delivery.answer = text
            return response.status

    def _good(self) -> str:
        token, made = self._token
        if not token or time.monotonic() - made > _TOKEN_LIFE:
            token = self.identity.tokens.good()
            self._token = (token, time.monotonic())
        return token


def new_invoke_id() -> str:
    return f"f:{uuid.uuid4()}"
