"""Anonymous mode, for the Agents Playground: only requests of this machine are accepted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.embedding.e5 import E5Embedder
from bot.settings import Settings
from tests.servers.running_bot import RunningBot
from tests.servers.sample_data import copy_sample_data

QUESTION = "What is the hotel limit per night in the Netherlands for a trip in 2026?"


@pytest.fixture(scope="module")
def bot(embedder: E5Embedder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBot]:
    data = copy_sample_data(tmp_path_factory.mktemp("bot") / "data")
    given: dict[str, Any] = {"default_spaces": "*", "teams_anonymous": True, "host": "127.0.0.1", "suggestions": "off"}
    with RunningBot(Settings(data_dir=data, **given), embedder) as bot:
        yield bot


class Connector:
    """A server that the answer would be sent to."""

    def __init__(self) -> None:
        self.url = ""
        self.received: list[str] = []

    async def receive(self, request: web.Request) -> web.Response:
        self.received.append(request.path)
        return web.json_response({"id": "1"})


@pytest.fixture
async def connector() -> AsyncIterator[Connector]:
    connector, application = Connector(), web.Application()
    application.router.add_route("*", "/{path:.*}", connector.receive)
    async with TestServer(application) as server:
        connector.url = str(server.make_url("/"))
        yield connector


async def send(bot: RunningBot, service_url: str, **headers: str) -> int:
    activity = {
        "type": "message", "id": "1", "channelId": "msteams", "serviceUrl": service_url, "text": QUESTION,
        "from": {"id": "29:1"}, "recipient": {"id": "28:bot"}, "channelData": {"tenant": {"id": "t"}},
        "conversation": {"id": "a:1", "conversationType": "personal", "tenantId": "t"},
    }  # fmt: skip
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{bot.url}/api/messages", json=activity, headers=headers) as response,
    ):
        return response.status


@pytest.mark.parametrize(
    "headers",
    [
        *({name: "127.0.0.1"} for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP")),  # through a proxy
        {"Origin": "https://example.com", "Content-Type": "text/plain"},  # from a page in a browser on this machine
        {"Sec-Fetch-Site": "cross-site", "Content-Type": "text/plain"},
        # DNS rebinding: the browser regards this machine as the page's own server and sends no Origin.
        *({"Host": name} for name in ("attacker.example", "attacker.example:3978", "", "localhost.attacker.example")),
    ],
    ids=str,
)
async def test_requests_from_proxies_browsers_and_other_hosts_are_refused(
    bot: RunningBot, connector: Connector, headers: dict[str, str]
) -> None:
    assert await send(bot, connector.url, **headers) == 401
    assert not connector.received


@pytest.mark.parametrize("service_url", ["http://169.254.169.254/", "https://example.com/", "file:///etc/passwd"])
async def test_service_urls_of_other_machines_are_refused(bot: RunningBot, service_url: str) -> None:
    assert await send(bot, service_url) == 401
    assert bot.idle


async def test_local_requests_are_answered(bot: RunningBot, connector: Connector) -> None:
    assert await send(bot, connector.url) == 200
    async with asyncio.timeout(60):
        while not (connector.received and bot.idle):  # noqa: ASYNC110 - the bot has a loop of its own
            await asyncio.sleep(0.01)
