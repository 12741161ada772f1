"""Webhooks over HTTP: who may send hints, what becomes of them, and of everything else."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import ClientResponse, ClientSession, web
from aiohttp.test_utils import TestClient, TestServer

from bot.server.webhooks import DATA_CENTER_PATH, RELAY_PATH, make_webhook_routes
from core.indexing.page_refresh import Hint
from tests.servers.confluence.contents import many_pages
from tests.servers.confluence.site import Site
from tests.servers.confluence.v1 import webhook

SECRET = "a-secret-of-thirty-two-characters"
JSON = {"Content-Type": "application/json"}
RELAYED = {**JSON, "X-WikiWhy-Secret": SECRET}


@dataclass
class Heard:
    hints: list[Hint] = field(default_factory=list)

    async def note_hint(self, hint: Hint) -> None:
        self.hints.append(hint)


@dataclass
class Hooks:
    """A running server, what it heard, and its clock."""

    client: TestClient[web.Request, web.Application]
    listener: Heard
    clock: Callable[[], float]

    async def post(self, path: str, body: bytes | str | Any, headers: dict[str, str]) -> ClientResponse:
        sent = body if isinstance(body, bytes | str) else json.dumps(body)
        response = await self.client.post(path, data=sent, headers=headers)
        assert SECRET not in await response.text()
        return response

    async def deliver(self, body: Any, **headers: str) -> ClientResponse:
        """From Data Center, with the right signature if ``headers`` say nothing else."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.post(DATA_CENTER_PATH, sent, {**JSON, "X-Hub-Signature": signed(sent), **headers})


def signed(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


@pytest.fixture
def site() -> Site:
    return many_pages(2, "ENG")


@pytest.fixture
async def hooks(site: Site) -> AsyncIterator[Hooks]:
    listener = Heard()

    def clock() -> float:
        return site.clock().timestamp()

    application = web.Application()
    application.add_routes(make_webhook_routes(SECRET, listener, clock))
    async with TestClient(TestServer(application)) as client:
        yield Hooks(client, listener, clock)


async def test_what_data_center_sends_is_a_hint_at_that_page(hooks: Hooks, site: Site) -> None:
    page_id = next(iter(site.pages))
    for event in ("page_updated", "page_trashed", "page_moved"):
        body, headers = webhook(site, event, page_id, SECRET)
        assert (await hooks.post(DATA_CENTER_PATH, body, headers)).status == 202
    assert hooks.listener.hints == [Hint("ENG", page_id)] * 3


async def test_a_delivery_sent_again_leads_to_nothing_and_an_old_one_is_refused(hooks: Hooks, site: Site) -> None:
    page_id = next(iter(site.pages))
    body, headers = webhook(site, "page_updated", page_id, SECRET)
    assert [(await hooks.post(DATA_CENTER_PATH, body, headers)).status for _ in range(3)] == [202, 204, 204]
    assert len(hooks.listener.hints) == 1
    event = json.loads(body)
    for away, status in ((-301, 401), (301, 401), (-299, 202), (10**400, 401)):
        moved = {**event, "timestamp": event["timestamp"] + away * 1000}
        assert (await hooks.deliver(moved)).status == status
    assert (await hooks.deliver({name: value for name, value in event.items() if name != "timestamp"})).status == 400
    assert (await hooks.deliver({**event, "timestamp": "now"})).status == 400
    assert len(hooks.listener.hints) == 2


async def test_remembered_deliveries_are_forgotten_once_they_would_be_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    listener, at = Heard(), [1_000_000.0]
    monkeypatch.setattr("bot.server.webhooks._MOST_DELIVERIES", 3)
    application = web.Application()
    application.add_routes(make_webhook_routes(SECRET, listener, lambda: at[0]))

    async with TestClient(TestServer(application)) as client:
        hooks = Hooks(client, listener, lambda: at[0])

        def event(number: int) -> dict[str, Any]:
            return {"timestamp": int(at[0] * 1000), "page": {"id": number}}

        first = event(1)
        assert (await hooks.deliver(first)).status == 202
        assert [(await hooks.deliver(event(number))).status for number in (2, 3)] == [202, 202]
        assert (await hooks.deliver(first)).status == 204
        at[0] += 10_000
        assert (await hooks.deliver(first)).status == 401
        assert [(await hooks.deliver(event(number))).status for number in (2, 3, 4, 5)] == [202] * 4


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "sha256=",
        signed(b"another body"),
        signed(b'{"page": {"id": 7}, "timestamp": 1}', "another secret"),
        signed(b'{"page": {"id": 7}, "timestamp": 1}').removeprefix("sha256="),
        "sha1=" + hmac.new(SECRET.encode(), b'{"page": {"id": 7}, "timestamp": 1}', hashlib.sha1).hexdigest(),
        "sha256=\u00e4\u00f6",
        SECRET,
    ],
)
async def test_without_the_signature_of_its_body_no_delivery_is_taken(hooks: Hooks, signature: str) -> None:
    headers = {"X-Hub-Signature": signature} if signature else {}
    for body in (b'{"page": {"id": 7}, "timestamp": 1}', b"garbage"):
        assert (await hooks.post(DATA_CENTER_PATH, body, {**JSON, **headers})).status == 401
    assert hooks.listener.hints == []


@pytest.mark.parametrize("secret", ["", "wrong", SECRET[:-1], SECRET + "x", "\u00e4", signed(b"{}")])
async def test_without_the_secret_no_relay_is_taken(hooks: Hooks, secret: str) -> None:
    headers = {"X-WikiWhy-Secret": secret} if secret else {}
    for body in ({"page_id": 7, "space": "ENG"}, "garbage"):
        assert (await hooks.post(RELAY_PATH, body, {**JSON, **headers})).status == 401
    assert hooks.listener.hints == []


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ({"page_id": "7", "space": "ENG"}, Hint("ENG", "7")),
        ({"page_id": 7, "space": "~5f:a"}, Hint("~5f:a", "7")),
        ({"page_id": 7, "space": "E\nG"}, Hint("", "7")),
        ({"page_id": 7}, Hint("", "7")),
        ({"page_id": 7, "space": ["ENG"]}, Hint("", "7")),
        ({"page": {"id": "7", "space": {"key": "ENG"}}}, Hint("ENG", "7")),
        ({"eventType": "avi:confluence:updated:page", "content": {"id": "7", "space": {"key": "E"}}}, Hint("E", "7")),
        ({"test": True}, None),
        ({"blog": {"id": 7, "spaceKey": "ENG"}, "event": "blog_updated"}, None),
        ({}, None),
    ],
)
async def test_a_relay_names_the_page_as_it_likes(hooks: Hooks, body: Any, hint: Hint | None) -> None:
    response = await hooks.post(RELAY_PATH, body, {**RELAYED, "Content-Type": "application/json; charset=utf-8"})
    assert response.status == (202 if hint else 204)
    assert hooks.listener.hints == ([hint] if hint else [])


GARBAGE: list[Any] = [
    b"", b"{", b"\xff\xfe", b"[1]", b"null", b'"page"', b"[" * 60_000, b'{"page_id": ' + b"9" * 5_000 + b"}",
    {"page_id": "7/../8"}, {"page_id": "seven"}, {"page_id": -7}, {"page_id": 1.5}, {"page_id": True}, {"page_id": []},
    {"page_id": "7" * 20}, {"page": {"id": {"$gt": 0}}}, {"page_id": "\u0667"}, {"page_id": "7\n"},
]  # fmt: skip


@pytest.mark.parametrize("body", GARBAGE)
async def test_what_cannot_be_understood_is_refused(hooks: Hooks, body: Any) -> None:
    assert (await hooks.post(RELAY_PATH, body, RELAYED)).status == 400
    stamped = {**body, "timestamp": int(hooks.clock() * 1000)} if isinstance(body, dict) else body
    assert (await hooks.deliver(stamped)).status == 400
    assert hooks.listener.hints == []


async def test_only_json_is_read(hooks: Hooks) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        assert (await hooks.post(RELAY_PATH, '{"page_id": 7}', {**RELAYED, "Content-Type": kind})).status == 400
    assert (await hooks.client.get(RELAY_PATH, headers=RELAYED)).status == 405
    assert hooks.listener.hints == []


async def test_a_long_body_is_not_read_to_its_end(hooks: Hooks) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b" " * 10_000

    for headers, path in ((RELAYED, RELAY_PATH), ({**JSON, "X-Hub-Signature": "sha256=0"}, DATA_CENTER_PATH)):
        assert (await hooks.post(path, b" " * 70_000, headers)).status == 413
        url = hooks.client.make_url(path)
        async with ClientSession() as session:
            try:
                async with session.post(url, data=endless(), headers=headers) as response:
                    assert response.status == 413
            except ConnectionError:
                pass  # hung up on while sending, which ends it as well
    assert hooks.listener.hints == []


async def test_a_body_that_never_ends_is_given_up(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.server.webhooks._MOST_SECONDS", 0.2)
    port = hooks.client.port
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST {RELAY_PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-WikiWhy-Secret: {SECRET}\r\n"
    writer.write((head + "Content-Length: 100\r\n\r\n{").encode())
    assert (await asyncio.wait_for(reader.readline(), 10)).startswith(b"HTTP/1.1 408")
    writer.close()
    assert hooks.listener.hints == []


async def test_refusals_are_logged_without_what_the_sender_wrote(
    hooks: Hooks, caplog: pytest.LogCaptureFixture
) -> None:
    await hooks.post(RELAY_PATH, {"page_id": 7}, {**JSON, "X-WikiWhy-Secret": "guessed-by-mallory"})
    await hooks.post(RELAY_PATH, {"page_id": "mallory"}, RELAYED)
    assert "X-WikiWhy-Secret is missing or wrong" in caplog.text
    assert "mallory" not in caplog.text
    assert SECRET not in caplog.text


def test_without_a_secret_there_are_no_routes() -> None:
    assert make_webhook_routes("", Heard()) == []
