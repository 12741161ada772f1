"""Requests from Slack over HTTP, with signatures."""

from __future__ import annotations

import hashlib
import hmac
import logging
import time
from collections.abc import AsyncIterator, Iterator

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request

from adapters.slack.calls import SlackCalls
from adapters.slack.platform import SlackPlatform
from adapters.slack.receiver import is_certificate_check, is_signed, make_app, parse_request
from core.errors import DatabaseUnavailable
from tests.adapters.slack.listener import RecordingListener
from tests.servers.slack import SlackWorld

SECRET = "a-signing-secret"
BODY = '{"type": "event_callback", "text": "Größe"}'.encode()


@pytest.fixture
def world() -> Iterator[SlackWorld]:
    with SlackWorld() as world:
        world.retry_delays = (0.01, 0.01, 0.01)
        yield world


@pytest.fixture
async def listener(world: SlackWorld) -> AsyncIterator[RecordingListener]:
    calls = SlackCalls(world.bot_token, world.api_url)
    await calls.open()
    platform = SlackPlatform(calls, lambda: 0.0)
    listener = RecordingListener()
    app = make_app(calls, world.signing_secret, platform.find_bot, listener)

    async def received(request: web.Request) -> web.Response:
        return await to_aiohttp_response(await app.async_dispatch(await to_bolt_request(request)))

    application = web.Application()
    application.router.add_post("/slack/events", received)
    server = TestServer(application)
    await server.start_server()
    world.deliver_to(str(server.make_url("/slack/events")))
    yield listener
    await server.close()
    await calls.close()


@pytest.fixture
def ada(world: SlackWorld) -> str:
    return world.add_user("ada")


@pytest.fixture
def channel(world: SlackWorld, ada: str) -> str:
    return world.add_channel("eng", members=[ada])


async def check_statuses(world: SlackWorld, *statuses: int) -> None:
    """Wait until all deliveries have a status, and compare them."""
    await world.until(lambda: not world.pending and all(each.status is not None for each in world.deliveries))
    assert [each.status for each in world.deliveries] == list(statuses)


async def test_messages_edits_and_deletions_are_handled(
    world: SlackWorld, listener: RecordingListener, ada: str, channel: str
) -> None:
    ts = world.say(ada, channel, "Hello &amp; welcome")
    await world.until(lambda: len(listener.handled) == 1)
    world.edit(channel, ts, "Changed")
    await world.until(lambda: len(listener.handled) == 2)
    world.delete(channel, ts)
    await world.until(lambda: len(listener.handled) == 3)
    assert listener.handled == [("message", "Hello & welcome"), ("edited", ts, "Changed"), ("deleted", ts, None)]


async def test_a_mention_is_handled_as_both_kinds_of_event(
    world: SlackWorld, listener: RecordingListener, ada: str, channel: str
) -> None:
    world.say(ada, channel, f"<@{world.bot}> Hello")
    await check_statuses(world, 200, 200)
    assert listener.handled == [("message", "Hello")] * 2


async def test_messages_of_bots_and_unknown_events_are_acknowledged_and_ignored(
    world: SlackWorld, listener: RecordingListener, channel: str
) -> None:
    world.say(world.add_user("robot", bot=True), channel, "Beep")
    world.event({"type": "channel_rename", "channel": {"id": channel}})
    world.event({"type": "message", "subtype": "channel_join", "channel": channel, "ts": "1.0", "user": "U1"})
    await check_statuses(world, 200, 200, 200)
    assert listener.handled == []


async def test_failures_are_not_acknowledged_so_that_slack_retries(
    world: SlackWorld, listener: RecordingListener, ada: str, channel: str, caplog: pytest.LogCaptureFixture
) -> None:
    listener.fails = 1
    with caplog.at_level(logging.INFO):
        world.say(ada, channel, "nightingaleword")
        await check_statuses(world, 500, 200)
    assert listener.handled == [("message", "nightingaleword")]
    assert "a mistake of ours" in caplog.text
    assert "nightingaleword" not in caplog.text


async def test_an_outage_is_logged_in_one_line(
    world: SlackWorld, listener: RecordingListener, ada: str, channel: str, caplog: pytest.LogCaptureFixture
) -> None:
    listener.fails, listener.error = 1, DatabaseUnavailable("The database is away.")
    world.say(ada, channel, "Hello")
    await check_statuses(world, 500, 200)
    (record,) = (each for each in caplog.records if "The database is away." in each.getMessage())
    assert record.exc_info is None


async def test_events_of_another_workspace_are_ignored(
    world: SlackWorld, listener: RecordingListener, channel: str, caplog: pytest.LogCaptureFixture
) -> None:
    message = {"type": "message", "channel": channel, "ts": "1.0", "user": "U1", "text": "Hello"}
    world.event(message, team="T0OTHER")
    await check_statuses(world, 200)
    assert listener.handled == []
    assert "a workspace that WikiWhy is not set up for" in caplog.text


@pytest.mark.parametrize("headers", [{}, {"X-Slack-Signature": "v0=0", "X-Slack-Request-Timestamp": "1"}])
async def test_unsigned_requests_are_refused(
    world: SlackWorld, listener: RecordingListener, headers: dict[str, str]
) -> None:
    body = {"team_id": world.team, "type": "event_callback", "event": {"type": "message", "text": "Hello"}}
    url = world.deliverer.url
    assert url
    async with ClientSession() as session, session.post(url, json=body, headers=headers) as response:
        assert response.status == 401
    assert listener.handled == []


async def test_clicks_are_handled_with_value_and_trigger(
    world: SlackWorld, listener: RecordingListener, ada: str, channel: str
) -> None:
    button = {
        "type": "button",
        "action_id": "explain",
        "value": "turn-1",
        "text": {"type": "plain_text", "text": "Explain"},
    }
    calls = SlackCalls(world.bot_token, world.api_url)
    blocks = [{"type": "actions", "elements": [button]}]
    posted = await calls.write("chat.postMessage", channel=channel, text="Answer", blocks=blocks)
    delivery = world.click(ada, channel, posted["ts"], "explain")
    await world.until(lambda: delivery.status is not None)
    assert (delivery.status, listener.handled) == (200, [("clicked", "explain", "turn-1", True)])
    listener.fails = 1
    failing = world.click(ada, channel, posted["ts"], "explain")
    await world.until(lambda: failing.status is not None)
    assert failing.status == 500


async def test_a_command_is_answered_immediately(
    world: SlackWorld, listener: RecordingListener, ada: str, channel: str
) -> None:
    delivery = world.command(ada, channel, "/wiki", "sync ENG")
    await world.until(lambda: delivery.status is not None)
    assert (delivery.status, listener.handled) == (200, [("commanded", "sync", "ENG")])
    await world.until(lambda: [message.text for message in world.ephemerals(ada)] == ["done"])


# signatures


def sign(body: bytes, at: float | None = None, secret: str = SECRET) -> CIMultiDict[str]:
    timestamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    return CIMultiDict({"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={digest}"})


def test_a_valid_signature_is_accepted() -> None:
    assert is_signed(SECRET, sign(BODY), BODY)
    request = parse_request("", sign(BODY), BODY)
    assert request is not None
    assert request.body["text"] == "Größe"


def test_invalid_signatures_are_refused() -> None:
    assert not is_signed(SECRET, sign(BODY, secret="guessed"), BODY)
    assert not is_signed(SECRET, sign(BODY), BODY + b" ")
    assert not is_signed(SECRET, sign(BODY, at=time.time() - 301), BODY)
    assert not is_signed("", sign(BODY, secret=""), BODY)
    twice = sign(BODY)
    twice.add("X-Slack-Signature", "v0=" + "0" * 64)
    assert not is_signed(SECRET, twice, BODY)


@pytest.mark.parametrize("timestamp", ["", "9" * 5000, "-1", "1e9", "\u0663", "\xb2", "0x10", " 1", "nan"])
@pytest.mark.parametrize("signature", ["", "v0=\xe4", "v0=" + "g" * 64, "\udcff", "v0=" + "0" * 64])
def test_malformed_headers_are_refused_without_an_exception(timestamp: str, signature: str) -> None:
    headers = CIMultiDict({"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": signature})
    assert not is_signed(SECRET, headers, BODY)


@given(st.text(), st.text(), st.binary())
def test_random_headers_are_refused(timestamp: str, signature: str, body: bytes) -> None:
    headers = CIMultiDict({"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": signature})
    assert not is_signed(SECRET, headers, body)


@given(st.binary())
def test_any_signed_body_is_parsed_without_an_exception(body: bytes) -> None:
    if is_signed(SECRET, sign(body), body):
        parse_request("a=%ff", sign(body), body)


@pytest.mark.parametrize("body", [b"{", b"[" * 100_000, b"[1]", b"payload=%7B", b'{"authorizations": [1]}', b"7"])
def test_a_malformed_signed_body_is_not_a_request(body: bytes) -> None:
    assert is_signed(SECRET, sign(body), body)
    headers = {**sign(body), "Content-Type": "application/json"}
    assert parse_request("", headers, body) is None


def test_certificate_checks_are_recognised() -> None:
    assert is_certificate_check(b"ssl_check=1&token=x")
    assert is_certificate_check(b"token=x&ssl_check=1")
    assert not is_certificate_check(b"ssl_check=0")
    assert not is_certificate_check(b'{"ssl_check": "1"}')
    assert not is_certificate_check(b"ssl_check=1&x=" + b"y" * 5000)
    assert not is_certificate_check(b"\xff\xfe")
