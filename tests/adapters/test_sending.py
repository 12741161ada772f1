"""A bot does not send while another bot may have taken over its work."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.slack.calls import SlackCalls
from adapters.teams.connector import Connector
from adapters.teams.credentials import Credentials, Registration
from core.errors import ChatUnavailable
from tests.servers.chat_server import receive_deliveries
from tests.servers.slack import SlackWorld


async def test_nothing_is_sent_and_reading_goes_on() -> None:
    allowed = [True]

    def check() -> None:
        if not allowed[0]:
            raise ChatUnavailable("not now")

    with SlackWorld() as world:
        ada = world.add_user("ada")
        channel = world.add_channel("eng", members=[ada])
        calls = SlackCalls(world.bot_token, world.api_url, check)
        await calls.open()
        try:
            allowed[0] = False
            with pytest.raises(ChatUnavailable, match="not now"):
                await calls.write("chat.postMessage", channel=channel, text="So?")
            assert (await calls.read("conversations.info", channel=channel))["ok"]
            assert [call.method for call in world.calls] == ["conversations.info"]
            allowed[0] = True
            await calls.write("chat.postMessage", channel=channel, text="So?")
        finally:
            await calls.close()


@asynccontextmanager
async def serve(handler: Callable[[web.Request], Awaitable[web.Response]]) -> AsyncIterator[str]:
    """Serve all methods and paths; yield the address."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handler)
    async with TestServer(application) as server:
        yield str(server.make_url("/"))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    """It would send the answer to another server."""
    asked, strayed = [], []

    async def stray(request: web.Request) -> web.Response:
        strayed.append(request.path)
        return web.json_response({"ok": True})

    async def redirect(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=status, headers={"Location": elsewhere})

    async with serve(stray) as elsewhere, serve(redirect) as url:
        calls, connector = SlackCalls("xoxb-1", url), Connector(Credentials(Registration()))
        await calls.open()
        await connector.open()
        try:
            with pytest.raises(ChatUnavailable):
                await calls.write("chat.postMessage", text="So?")
            with pytest.raises(ChatUnavailable):
                await calls.try_once("chat.startStream", markdown_text="So?")
            with pytest.raises(ChatUnavailable):
                await connector.send(url, "c", {"text": "So?"})
        finally:
            await calls.close()
            await connector.close()
    assert len(asked) == 3
    assert strayed == []


async def test_what_a_platform_delays_is_checked_again_before_it_is_tried_again() -> None:
    asked: list[str] = []

    def check() -> None:
        if asked:
            raise ChatUnavailable("not any more")

    async def refuse(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers={"Retry-After": "0"})

    async with receive_deliveries(refuse) as url:
        calls = SlackCalls("xoxb-1", url, check)
        await calls.open()
        try:
            with pytest.raises(ChatUnavailable):
                await calls.write("", text="So?")
        finally:
            await calls.close()
    assert len(asked) == 1


async def test_what_takes_long_to_connect_is_checked_again_before_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed, posted = [True], []
    connect = aiohttp.TCPConnector._create_connection

    async def connect_late(connector: aiohttp.TCPConnector, *rest: Any) -> Any:
        made = await connect(connector, *rest)
        allowed[0] = False
        return made

    def check() -> None:
        if not allowed[0]:
            raise ChatUnavailable("not any more")

    async def note(request: web.Request) -> web.Response:
        posted.append(request.path)
        return web.json_response({"ok": True})

    monkeypatch.setattr(aiohttp.TCPConnector, "_create_connection", connect_late)
    async with receive_deliveries(note) as url:
        calls = SlackCalls("xoxb-1", url, check)
        await calls.open()
        try:
            with pytest.raises(ChatUnavailable, match="not any more"):
                await calls.write("", text="So?")
        finally:
            await calls.close()
    assert posted == []
