"""Shared parts of the fake chat platforms: calls of the bot, requests to it, and a world for tests."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from operator import attrgetter
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import aiohttp
from aiohttp import web

from tests.servers.faults import Fault, Faults
from tests.servers.threaded import ThreadedApplication

Json = dict[str, Any]
Result = TypeVar("Result")
Value = TypeVar("Value")
Message = TypeVar("Message")

_PAUSE = 0.01
UPSTREAM_ERROR = "<html><body>upstream error</body></html>"


@dataclass
class Call:
    """A call of the bot. ``at``: monotonic seconds; ``seconds``: until the response; ``status`` 0: connection cut."""

    method: str
    arguments: Json
    authorization: str = ""
    at: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    status: int = 200
    answer: Any = None

    @property
    def error(self) -> str | None:
        """The platform's error code."""
        error = self.answer.get("error") if isinstance(self.answer, dict) else None
        return error.get("code") if isinstance(error, dict) else error


@dataclass
class Refusal:
    """A call that violated the platform's limits."""

    method: str
    error: str
    why: str
    arguments: Json


class Endpoint:
    """Receives the bot's calls: records them, delays them, and applies ``faults``."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.calls: list[Call] = []
        self.latency = 0.0

    async def answer(
        self, request: web.Request, call: Call, work: Callable[[Fault], Awaitable[web.Response]]
    ) -> web.Response:
        """Answer a call. ``work`` receives the fault, without one an empty ``Fault``."""
        self.calls.append(call)
        fault = self.faults.choose(call.method, call.arguments) or Fault()
        await asyncio.sleep(self.latency + fault.delay)
        response = web.Response() if fault.drop else await work(fault)
        call.seconds = time.monotonic() - call.at
        if (fault.drop or fault.drop_after) and request.transport:
            call.status = 0
            request.transport.abort()
        return response


@dataclass
class Delivery:
    """A request to the bot. ``status`` None: pending, 0: no response. ``at``: monotonic seconds.

    ``kind``: of the event or activity, or the name of an invoke. ``retry``: 0 for the first.
    """

    kind: str
    body: Json
    retry: int = 0
    reason: str = ""
    at: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    status: int | None = None
    answer: Any = None  # JSON, or the text where it is none
    headers: dict[str, str] = field(default_factory=dict)  # of the answer

    @property
    def acknowledged(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


class Deliverer:
    """Sends requests to the bot at ``url``. ``retry_delays``: seconds before each retry; ``patience``: the timeout.

    ``more_urls``: of other bots, which receive requests in turn, also if one does not answer.
    """

    def __init__(self, patience: float) -> None:
        self.url: str | None = None
        self.more_urls: tuple[str, ...] = ()
        self._turn = itertools.count()
        self.retry_delays: tuple[float, ...] = (0.05, 0.5, 1.0)
        self.patience = patience
        self.deliveries: list[Delivery] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        self._session: aiohttp.ClientSession

    async def open(self) -> None:
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._session.close()

    @property
    def pending(self) -> int:
        """Requests that are neither acknowledged nor given up."""
        return len(self._tasks)

    def later(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start a background task."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def attempt(self, delivery: Delivery, exchange: Callable[[], Awaitable[int]]) -> None:
        """Record one attempt; ``exchange`` sends it and returns the status."""
        self.deliveries.append(delivery)
        delivery.at = time.monotonic()
        status = 0
        try:
            async with asyncio.timeout(self.patience):
                status = await exchange()
        except (TimeoutError, aiohttp.ClientError, ConnectionError) as error:
            delivery.answer = error
        finally:
            delivery.seconds = time.monotonic() - delivery.at
            delivery.status = status

    async def post(self, delivery: Delivery, body: bytes, headers: dict[str, str]) -> int:
        if not self.url:
            return 0
        urls = (self.url, *self.more_urls)
        url = urls[next(self._turn) % len(urls)]
        async with self._session.post(url, data=body, headers=headers, allow_redirects=False) as response:
            text = await response.text()
            try:
                delivery.answer = json.loads(text)
            except ValueError:
                delivery.answer = text
            delivery.headers = dict(response.headers)
            return response.status


class Setting(Generic[Value]):
    """Exposes an attribute of a part of the world, by its path, as an attribute of the world."""

    def __init__(self, path: str) -> None:
        self._owner, _, self._name = path.rpartition(".")

    def __get__(self, world: object, kind: type) -> Value:
        value: Value = getattr(attrgetter(self._owner)(world), self._name)
        return value

    def __set__(self, world: object, value: Value) -> None:
        setattr(attrgetter(self._owner)(world), self._name, value)


class World(Generic[Message]):
    """A platform with the bot in it, served by its own thread for the duration of the ``with`` block.

    Actions of people (``say``, ``click`` …) return immediately. Wait for the bot's reaction with
    :meth:`await_message`, :meth:`wait_until` or, in a coroutine whose loop the bot runs in, :meth:`until`.
    """

    retry_delays = Setting[tuple[float, ...]]("deliverer.retry_delays")
    patience = Setting[float]("deliverer.patience")
    latency = Setting[float]("endpoint.latency")

    def __init__(self, endpoint: Endpoint, deliverer: Deliverer) -> None:
        self.endpoint, self.deliverer = endpoint, deliverer
        self.faults, self.calls, self.deliveries = endpoint.faults, endpoint.calls, deliverer.deliveries
        self.refusals: list[Refusal] = []
        self.url = ""
        self._server = ThreadedApplication()

    def routes(self) -> list[web.RouteDef]:
        raise NotImplementedError

    def answers(self, where: str, thread: str = "") -> list[Message]:
        """Return the bot's messages in a place."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        application = web.Application(client_max_size=2**26)
        application.add_routes(self.routes())
        self._server.start(application)
        self.url = self._server.url
        self.run(self.deliverer.open())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.run(self.deliverer.close())
        self._server.stop()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine in the server's event loop."""
        return self._server.run(work)

    def do(self, work: Callable[..., Result], *given: Any) -> Result:
        """Call a function in the server's event loop."""

        async def call() -> Result:
            return work(*given)

        return self.run(call())

    @property
    def pending(self) -> int:
        """Requests to the bot that are neither acknowledged nor given up."""
        return self.deliverer.pending

    def deliver_to(self, url: str | None, *more: str) -> None:
        """Set the bot's address, or the addresses of several bots."""
        self.deliverer.url, self.deliverer.more_urls = url, more

    def wait_until(self, condition: Callable[[], Result], timeout: float = 30.0, what: str = "") -> Result:
        """Wait for the condition's first true value. Raises TimeoutError. Not for the bot's own loop."""
        end = time.monotonic() + timeout
        while not (found := condition()):
            self._check_time(end, what)
            time.sleep(_PAUSE)
        return found

    async def until(self, condition: Callable[[], Result], timeout: float = 30.0, what: str = "") -> Result:  # noqa: ASYNC109
        """As :meth:`wait_until`, for coroutines."""
        end = time.monotonic() + timeout
        while not (found := condition()):
            self._check_time(end, what)
            await asyncio.sleep(_PAUSE)
        return found

    def await_message(
        self,
        where: str,
        thread: str = "",
        predicate: Callable[[Message], object] = lambda message: True,
        timeout: float = 30.0,
    ) -> Message:
        """Wait for the bot's first message that fulfils the predicate."""
        found: list[Message] = self.wait_until(
            lambda: [one for one in self.answers(where, thread) if predicate(one)], timeout, f"answer in {thread}"
        )
        return found[0]

    def _check_time(self, end: float, what: str) -> None:
        if time.monotonic() > end:
            last = [f"{call.method} {call.error or call.status}" for call in self.calls[-5:]]
            sent = [f"{delivery.kind} {delivery.status}" for delivery in self.deliveries[-5:]]
            raise TimeoutError(f"no {what or 'such state'}; last calls: {last}, last deliveries: {sent}")


@asynccontextmanager
async def receive_deliveries(handle: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    """Serve a handler as a bot on loopback, and yield its address."""
    application = web.Application()
    application.router.add_post("/", handle)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    await runner.cleanup()
