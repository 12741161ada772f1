"""The fake Slack workspace behaves as Slack's documentation says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import pytest
from aiohttp import web
from slack_sdk.errors import SlackApiError
from slack_sdk.signature import SignatureVerifier
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from tests.servers.chat_server import Json, receive_deliveries
from tests.servers.slack import SlackWorld, pings_in
from tests.servers.slack.blocks import check_blocks, check_modal
from tests.servers.slack.state import RequestError


@dataclass
class Bot:
    """A bot that only listens, and checks signatures as Slack's own library does."""

    verifier: SignatureVerifier
    received: list[Json] = field(default_factory=list)
    headers: list[Any] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    """Of the next answers; 200 after them."""
    delay: float = 0.0

    async def receive(self, request: web.Request) -> web.Response:
        text = await request.text()
        if not self.verifier.is_valid_request(text, dict(request.headers)):
            return web.Response(status=401)
        form = {name: values[0] for name, values in parse_qs(text).items()}
        is_json = request.content_type == "application/json"
        self.received.append(json.loads(text) if is_json else json.loads(form.get("payload", "null")) or form)
        self.headers.append(request.headers)
        await asyncio.sleep(self.delay)
        return web.json_response({}, status=self.statuses.pop(0) if self.statuses else 200)


@pytest.fixture
def world() -> Iterator[SlackWorld]:
    with SlackWorld() as world:
        yield world


@pytest.fixture
async def bot(world: SlackWorld) -> AsyncIterator[Bot]:
    bot = Bot(SignatureVerifier(world.signing_secret))
    async with receive_deliveries(bot.receive) as url:
        world.deliver_to(url)
        yield bot


@pytest.fixture
def slack(world: SlackWorld) -> AsyncWebClient:
    """Slack's own client, signed in as the bot."""
    return AsyncWebClient(world.bot_token, base_url=world.api_url)


@pytest.fixture
def ada(world: SlackWorld) -> str:
    return world.add_user("ada", email="ada@example.com")


@pytest.fixture
def eng(world: SlackWorld, ada: str) -> str:
    return world.add_channel("eng", members=[ada])


async def call_refused(call: Any) -> str:
    with pytest.raises(SlackApiError) as refusal:
        await call
    return str(refusal.value.response["error"])


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def section(text: str) -> Json:
    return {"type": "section", "text": mrkdwn(text)}


def button(**about: Any) -> Json:
    return {"type": "button", "text": plain("Go"), "action_id": "go", "value": "t1"} | about


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def thumbs(**about: Any) -> Json:
    one = {"text": plain("Good"), "value": "up"}
    element = {"type": "feedback_buttons", "action_id": "t", "positive_button": one, "negative_button": one}
    return {"type": "context_actions", "elements": [element | about]}


def form(**about: Any) -> Json:
    field: Json = {"type": "plain_text_input", "action_id": "text"}
    block: Json = {"type": "input", "block_id": "why", "label": plain("Reason"), "element": field}
    return {"type": "modal", "title": plain("Why?"), "submit": plain("Send"), "blocks": [block]} | about


# Limits

LIMITS: dict[str, tuple[list[Json], list[Json]]] = {
    "blocks": ([{"type": "divider"}] * 50, [{"type": "divider"}] * 51),
    "section": ([section("x" * 3000)], [section("x" * 3001)]),
    "emoji count twice": ([section("🙂" * 1500)], [section("🙂" * 1501)]),
    "action ids": ([actions(button()), actions(button())], [actions(button(), button())]),
    "block ids": ([{"type": "divider", "block_id": "x"}], [{"type": "divider", "block_id": "x"}] * 2),
    "button url": ([actions(button(url="https://x"))], [actions(button(url="javascript:alert(1)"))]),
    "types": ([{"type": "header", "text": plain("x")}], [{"type": "chapter"}]),
    "together": ([section("x" * 2900)] * 4, [section("x" * 2900)] * 5),
}  # fmt: skip
MODALS: dict[str, Json] = {
    "title": {"title": plain("x" * 25)}, "message only": {"blocks": [thumbs()]}, "type": {"type": "chapter"},
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_blocks_beyond_a_limit_are_refused(name: str) -> None:
    within, beyond = LIMITS[name]
    check_blocks(within)
    with pytest.raises(RequestError, match="msg_blocks_too_long" if name == "together" else "invalid_blocks"):
        check_blocks(beyond)


@pytest.mark.parametrize("name", MODALS)
def test_a_modal_has_limits(name: str) -> None:
    check_modal(form())
    with pytest.raises(RequestError, match="invalid_arguments"):
        check_modal(form() | MODALS[name])
    with pytest.raises(RequestError, match="invalid_arguments"):
        check_modal({key: value for key, value in form().items() if key != "submit"})


async def test_a_refused_message_is_recorded_and_not_posted(world: SlackWorld, slack: AsyncWebClient, eng: str) -> None:
    assert (
        await call_refused(slack.chat_postMessage(channel=eng, text="x", blocks=LIMITS["section"][1]))
        == "invalid_blocks"
    )
    assert [(one.method, "/blocks/0/text" in one.why) for one in world.refusals] == [("chat.postMessage", True)]
    assert world.channel(eng).messages == {}
    posted = await slack.chat_postMessage(channel=eng, text="x" * 4001)
    assert await call_refused(slack.chat_update(channel=eng, ts=posted["ts"], text="x" * 4001)) == "msg_too_long"


PINGS: list[tuple[Json, str]] = [
    ({"text": "<!channel> <@U1|ada> <#C1> <!subteam^S1>"}, "broadcast:channel user:U1 channel:C1 group:S1"),
    ({"text": "&lt;!channel&gt; &lt;@U1&gt; a &amp; b < @U1 >"}, ""),
    ({"text": "<!here>", "mrkdwn": False}, ""),
    ({"text": "<javascript:alert(1)|x> https://a.b/c."}, "link:javascript:alert(1) link:https://a.b/c"),
    ({"blocks": [{"type": "section", "text": plain("<!here> https://x.y")}]}, ""),
    ({"blocks": [section("<!here>")], "text": "<@U1>"}, "user:U1 broadcast:here"),
    ({"blocks": [actions(button(url="https://a.b"))]}, "link:https://a.b"),
]


@pytest.mark.parametrize(("message", "found"), PINGS)
def test_pings_are_found_by_the_type_of_each_field(message: Json, found: str) -> None:
    assert " ".join(f"{ping.kind}:{ping.target}" for ping in pings_in(message)) == found


# The bot's calls


async def test_an_open_stream_has_to_be_stopped_before_it_is_updated(
    world: SlackWorld, slack: AsyncWebClient, eng: str, ada: str
) -> None:
    root, reader = world.say(ada, eng, "Hello"), {"recipient_user_id": ada, "recipient_team_id": world.team}
    ts = (await slack.chat_startStream(channel=eng, thread_ts=root, markdown_text="One", **reader))["ts"]
    assert await call_refused(slack.chat_update(channel=eng, ts=ts, text="No")) == "streaming_state_conflict"
    await slack.chat_stopStream(channel=eng, ts=ts)
    assert await call_refused(slack.chat_stopStream(channel=eng, ts=ts)) == "message_not_in_streaming_state"
    await slack.chat_update(channel=eng, ts=ts, text="Whole")
    assert world.message(eng, ts).text == "Whole"


async def test_tokens_people_and_private_channels_are_checked(
    world: SlackWorld, slack: AsyncWebClient, ada: str
) -> None:
    assert await call_refused(AsyncWebClient("xoxb-wrong", base_url=world.api_url).auth_test()) == "invalid_auth"
    assert await call_refused(AsyncWebClient(base_url=world.api_url).auth_test()) == "not_authed"
    assert await call_refused(slack.apps_connections_open(app_token=world.bot_token)) == "not_allowed_token_type"
    me = await slack.auth_test()
    assert (me["user_id"], me["bot_id"]) == (world.bot, world.bot_id)
    guest = world.add_user("gus", restricted=True)
    seen = [(await slack.users_info(user=user))["user"] for user in (ada, guest)]
    assert [("email" in user["profile"], user["is_restricted"]) for user in seen] == [(True, False), (False, True)]
    hidden = world.add_channel("hidden", private=True, bot=False)
    assert await call_refused(slack.conversations_info(channel=hidden)) == "channel_not_found"
    assert await call_refused(slack.chat_postMessage(channel=hidden, text="x")) == "channel_not_found"
    assert (await slack.conversations_open(users=ada))["channel"]["id"] == world.direct_channel(ada)


# Requests to the bot


@pytest.mark.parametrize(
    ("statuses", "deliveries", "delay", "reasons"),
    [
        ([500, 500], 1, 0.0, [None, "http_error", "http_error"]), ([], 3, 0.0, [None, "http_timeout", "http_timeout"]),
        ([], 1, 0.4, [None, "http_timeout", "http_timeout"]), ([], 1, 0.0, [None]),
    ],
)  # fmt: skip
async def test_unacknowledged_events_are_retried_with_the_reason(
    world: SlackWorld, bot: Bot, ada: str, eng: str, statuses: list[int], deliveries: int, delay: float, reasons: Any
) -> None:
    world.retry_delays = (0.01, 0.01)
    bot.statuses, bot.delay = statuses.copy(), delay
    if delay:
        world.patience = delay / 2
    world.say(ada, eng, "Hello", deliveries=deliveries)
    await world.until(lambda: world.deliveries and not world.pending)
    assert [headers.get("X-Slack-Retry-Reason") for headers in bot.headers] == reasons
    assert [headers.get("X-Slack-Retry-Num", "0") for headers in bot.headers] == [f"{n}" for n in range(len(reasons))]
    assert len({body["event_id"] for body in bot.received}) == 1


async def test_a_trigger_opens_one_modal(world: SlackWorld, slack: AsyncWebClient, ada: str, eng: str) -> None:
    ts = (await slack.chat_postMessage(channel=eng, text="Hi", blocks=[actions(button())]))["ts"]
    trigger = world.click(ada, eng, ts, "Go").body["trigger_id"]
    await slack.views_open(trigger_id=trigger, view=form())
    assert await call_refused(slack.views_open(trigger_id=trigger, view=form())) == "invalid_trigger_id"


async def test_in_socket_mode_each_envelope_goes_to_one_connection_until_acknowledged(world: SlackWorld) -> None:
    world.patience, world.retry_delays = 0.3, (0.01,)
    came: list[tuple[int, SocketModeRequest]] = []

    async def connect(number: int) -> SocketModeClient:
        web_client = AsyncWebClient(base_url=world.api_url)
        client = SocketModeClient(world.app_token, web_client=web_client, ping_interval=60)

        async def listen(listening: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
            came.append((number, request))
            if len(came) > 1:
                payload = {"text": "answer"} if request.type == "slash_commands" else None
                await listening.send_socket_mode_response(SocketModeResponse(request.envelope_id, payload))

        client.socket_mode_request_listeners.append(listen)
        await client.connect()
        return client

    clients = [await connect(number) for number in range(2)]
    await world.until(lambda: world.sender.sockets.connected == 2)
    ada = world.add_user("ada")
    world.direct_message(ada, "Hello")
    await world.until(lambda: len(came) == 2)
    assert {number for number, _ in came} == {0, 1}
    assert [request.retry_attempt for _, request in came] == [0, 1]
    assert came[1][1].retry_reason == "timeout"
    command = world.command(ada, world.direct_channel(ada), "/wiki", "help")
    await world.until(lambda: command.status == 200)
    assert command.answer == {"text": "answer"}
    for client in clients:
        await client.close()
