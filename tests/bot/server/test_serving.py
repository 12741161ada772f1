"""The server's beginning and end, in this process."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import ClientSession, web

from adapters.embedding.e5 import E5Embedder
from bot.server.metrics import Metrics
from bot.server.service import Service
from bot.server.serving import Serving, serve
from bot.settings import load_settings
from bot.threads import Threads
from bot.wiring import Application, open_application
from core.errors import EmbedderUnavailable

pytestmark = pytest.mark.usefixtures("no_settings_from_outside")


@dataclass
class Part:
    """A service that notes what happens to it, in a list that all share."""

    name: str
    events: list[str]
    fails: bool = False
    early: bool = False
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    answer: asyncio.Event = field(default_factory=asyncio.Event)

    def list_routes(self) -> Sequence[web.RouteDef]:
        async def slow(request: web.Request) -> web.Response:
            self.asked.set()
            await self.answer.wait()
            self.events.append(f"{self.name} answered")
            return web.Response(text="done")

        return [web.get(f"/{self.name}", slow)]

    async def start(self) -> None:
        self.events.append(f"{self.name} started")
        if self.fails:
            raise RuntimeError("cannot start")

    async def stop(self) -> None:
        self.events.append(f"{self.name} stopped")

    def find_problem(self) -> str:
        return ""


@dataclass
class Running:
    application: Application
    url: str
    task: asyncio.Task[None]

    async def get(self, path: str) -> tuple[int, str]:
        async with ClientSession() as session, session.get(self.url + path) as response:
            return response.status, await response.text()

    async def ready(self) -> None:
        while (await self.get("/readyz"))[0] != 200:
            assert not self.task.done()
            await asyncio.sleep(0.02)

    async def stop(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(asyncio.shield(self.task), 60)


@asynccontextmanager
async def running(
    data: Path, services: Sequence[Service], embedder: E5Embedder, grace: float = 20
) -> AsyncIterator[Running]:
    with open_application(load_settings(data_dir=data, port=0)) as application:
        application.__dict__["embedder"] = embedder
        listening: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = Serving(Metrics(), Threads(), on_listening=listening.set_result, grace_seconds=grace)
        task = asyncio.create_task(serve(application, services, serving))
        try:
            await asyncio.wait({task, listening}, return_when=asyncio.FIRST_COMPLETED)
            yield Running(application, listening.result(), task)
        finally:
            if not task.done():
                os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.gather(task, return_exceptions=True)


async def test_requests_end_before_services_stop_in_reverse_order(data: Path, embedder: E5Embedder) -> None:
    events: list[str] = []
    one, two = Part("one", events), Part("two", events)
    async with running(data, [one, two], embedder) as server:
        await server.ready()
        asking = asyncio.create_task(server.get("/one"))
        await one.asked.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0.1)
        one.answer.set()
        assert await asking == (200, "done")
        await server.task
    assert events == ["one started", "two started", "one answered", "two stopped", "one stopped"]


async def test_a_request_that_does_not_end_is_not_waited_for_longer(data: Path, embedder: E5Embedder) -> None:
    part = Part("one", [])
    async with running(data, [part], embedder, grace=0.1) as server:
        await server.ready()
        asking = asyncio.create_task(server.get("/one"))
        await part.asked.wait()
        await server.stop()
        with pytest.raises(Exception, match=r".*"):
            await asking
    assert part.events == ["one started", "one stopped"]


async def test_a_service_that_cannot_start_ends_the_server(data: Path, embedder: E5Embedder) -> None:
    events: list[str] = []
    services = [Part("one", events), Part("two", events, fails=True), Part("three", events)]
    async with running(data, services, embedder) as server:
        with pytest.raises(RuntimeError, match="cannot start"):
            await server.task
    assert events == ["one started", "two started", "two stopped", "one stopped"]
    assert not (data / "admin.json").exists()


class Gated:
    """The embedder behind a gate: it loads when a test says so, or cannot."""

    def __init__(self, embedder: E5Embedder) -> None:
        self._embedder = embedder
        self.open = asyncio.Event()
        self.broken = False

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    async def embed_queries(self, texts: Sequence[str]) -> object:
        await self.open.wait()
        if self.broken:
            raise EmbedderUnavailable("It is not there. Start it.")
        return await self._embedder.embed_queries(texts)

    async def embed_passages(self, texts: Sequence[str]) -> object:
        return await self._embedder.embed_passages(texts)


async def test_services_wait_until_the_models_are_loaded(data: Path, embedder: E5Embedder) -> None:
    gated, part = Gated(embedder), Part("one", [])
    async with running(data, [part], gated) as server:  # type: ignore[arg-type]
        assert (await server.get("/healthz"))[0] == 200
        status, body = await server.get("/readyz")
        assert (status, '"models": "starting"' in body) == (503, True)
        assert (await server.get("/one"))[0] == 503
        assert part.events == []
        gated.open.set()
        await server.ready()
        assert part.events == ["one started"]


async def test_a_model_that_cannot_be_loaded_leaves_the_rest_running(
    data: Path, embedder: E5Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.server.service._CHECK_SECONDS", 0.05)
    gated, part = Gated(embedder), Part("one", [])
    gated.broken = True
    gated.open.set()
    async with running(data, [part], gated) as server:  # type: ignore[arg-type]
        while '"models": "not working' not in (await server.get("/readyz"))[1]:  # noqa: ASYNC110 - over HTTP
            await asyncio.sleep(0.02)
        while not part.events:  # noqa: ASYNC110 - over HTTP
            await asyncio.sleep(0.02)
        assert (await server.get("/readyz"))[0] == 503
        gated.broken = False
        await server.ready()
