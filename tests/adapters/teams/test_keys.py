"""Requests for Microsoft's keys: their number, whatever tokens arrive."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.teams import credentials
from adapters.teams.credentials import AuthenticationError, Credentials, Registration, SigningKeys
from core.errors import ChatUnavailable
from tests.servers.teams.tokens import SigningKey


class Published:
    """A server of keys that counts requests."""

    def __init__(self) -> None:
        self.asked = 0
        self.down = False
        self.keys = [SigningKey("known", "channel").jwk()]
        self.url = ""

    async def metadata(self, request: web.Request) -> web.Response:
        self.asked += 1
        if self.down:
            return web.Response(status=503)
        return web.json_response({"jwks_uri": self.url.replace("/metadata", "/keys")})

    async def all_keys(self, request: web.Request) -> web.Response:
        return web.json_response({"keys": self.keys})


@pytest.fixture
async def published() -> AsyncIterator[Published]:
    there = Published()
    application = web.Application()
    application.add_routes([web.get("/metadata", there.metadata), web.get("/keys", there.all_keys)])
    async with TestServer(application) as server:
        there.url = str(server.make_url("/metadata"))
        yield there


async def asked_for(keys: SigningKeys, *names: str) -> list[str]:
    """Request keys concurrently; return the results' types."""
    found = await asyncio.gather(*(keys.get(name) for name in names), return_exceptions=True)
    return [type(each).__name__ for each in found]


async def test_many_unknown_keys_cause_one_request(published: Published) -> None:
    keys = SigningKeys(published.url)
    assert set(await asked_for(keys, *(f"unknown {number}" for number in range(200)))) == {"AuthenticationError"}
    assert await asked_for(keys, "known") == ["SigningKey"]
    assert set(await asked_for(keys, *(f"unknown {number}" for number in range(200)))) == {"AuthenticationError"}
    assert published.asked == 1


async def test_many_tokens_cause_one_request_while_keys_cannot_be_read(published: Published) -> None:
    published.down = True
    keys = SigningKeys(published.url)
    assert set(await asked_for(keys, *(f"unknown {number}" for number in range(200)))) == {"ChatUnavailable"}
    assert published.asked == 1


async def test_unread_keys_are_requested_again_later(published: Published, monkeypatch: pytest.MonkeyPatch) -> None:
    published.down = True
    keys = SigningKeys(published.url)
    with pytest.raises(ChatUnavailable):
        await keys.get("known")
    published.down = False
    monkeypatch.setattr(credentials, "_FAILED_SECONDS", 0.0)
    assert await asked_for(keys, "known") == ["SigningKey"]


@pytest.mark.parametrize("payload", ["W1tb" * 30_000, "", "\udcff", "e30", "OTk5" * 2000, "bnVsbA"])
async def test_a_malformed_token_is_refused(published: Published, payload: str) -> None:
    proving = Credentials(Registration("app", "secret", "tenant", published.url))
    for header in (f"Bearer a.{payload}.c", f"Bearer {payload}", payload):
        with pytest.raises(AuthenticationError):
            await proving.authenticate(header)
    assert published.asked == 0
