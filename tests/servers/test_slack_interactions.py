"""Clicks, modals, commands and Socket Mode."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from tests.servers.slack import SlackWorld
from tests.servers.slack.receiver import Reaction, Receiver

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


BUTTONS: list[Json] = [
    {
        "type": "actions",
        "elements": [{"type": "button", "text": plain("Explain"), "action_id": "explain", "value": "t1"}],
    },
    {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": "thumbs",
                "positive_button": {"text": plain("Good"), "value": "up"},
                "negative_button": {"text": plain("Bad"), "value": "down"},
            }
        ],
    },
]
FORM: Json = {
    "type": "modal",
    "callback_id": "reason",
    "private_metadata": "t1",
    "title": plain("Why?"),
    "submit": plain("Send"),
    "blocks": [
        {
            "type": "input",
            "block_id": "why",
            "label": plain("Reason"),
            "element": {"type": "plain_text_input", "action_id": "text"},
        }
    ],
}


async def with_buttons(world: SlackWorld, slack: AsyncWebClient) -> tuple[str, str, str]:
    ada = world.add_user("ada")
    eng = world.add_channel("eng", members=[ada])
    root = world.say(ada, eng, "Hello")
    return ada, eng, (await slack.chat_postMessage(channel=eng, thread_ts=root, text="Hi", blocks=BUTTONS))["ts"]


async def test_a_click_says_what_was_clicked_and_where(
    slack_world: SlackWorld, receiver: Receiver, slack: AsyncWebClient
) -> None:
    ada, eng, ts = await with_buttons(slack_world, slack)
    delivery = slack_world.click(ada, eng, ts, "Explain")
    await slack_world.until(lambda: delivery.status == 200)
    payload = delivery.body
    assert (payload["type"], payload["user"]["id"], payload["channel"]["id"]) == ("block_actions", ada, eng)
    assert (payload["actions"][0]["action_id"], payload["actions"][0]["value"]) == ("explain", "t1")
    assert payload["container"]["message_ts"] == payload["message"]["ts"] == ts
    assert payload["container"]["thread_ts"] == payload["message"]["thread_ts"]
    thumbs = slack_world.feedback(ada, eng, ts, positive=False)
    assert (thumbs.body["actions"][0]["type"], thumbs.body["actions"][0]["value"]) == ("feedback_buttons", "down")
    with pytest.raises(KeyError, match="Explain"):
        slack_world.click(ada, eng, ts, "No such button")


async def test_a_response_url_is_for_the_clicker_alone_and_wears_out(
    slack_world: SlackWorld, receiver: Receiver, slack: AsyncWebClient
) -> None:
    ada, eng, ts = await with_buttons(slack_world, slack)
    url = slack_world.click(ada, eng, ts, "explain").body["response_url"]
    async with aiohttp.ClientSession() as session:
        statuses = [(await session.post(url, json={"text": f"Only you {n}"})).status for n in range(6)]
    assert statuses == [200] * 5 + [404]
    assert [message.text for message in slack_world.ephemerals(ada)] == [f"Only you {n}" for n in range(5)]
    again = slack_world.click(ada, eng, ts, "explain").body["response_url"]
    async with aiohttp.ClientSession() as session:
        await session.post(again, json={"text": "Instead", "replace_original": True})
    assert slack_world.message(eng, ts).text == "Instead"


async def test_a_modal_is_opened_filled_in_and_answered(
    slack_world: SlackWorld, receiver: Receiver, slack: AsyncWebClient
) -> None:
    ada, eng, ts = await with_buttons(slack_world, slack)
    trigger = slack_world.click(ada, eng, ts, "explain").body["trigger_id"]
    await slack.views_open(trigger_id=trigger, view=FORM)
    view = slack_world.views[ada]
    errors = {"response_action": "errors", "errors": {"why": "Too short"}}
    receiver.react = lambda received: Reaction(body=errors)
    first = slack_world.submit(view, {"text": "x"})
    await slack_world.until(lambda: first.status)
    assert first.body["view"]["state"]["values"]["why"]["text"]["value"] == "x"
    assert first.body["view"]["private_metadata"] == "t1"
    assert view.open
    receiver.react = lambda received: Reaction()
    slack_world.submit(view, {"text": "because"})
    await slack_world.until(lambda: not view.open)
    with pytest.raises(SlackApiError, match="exchanged_trigger_id"):
        await slack.views_open(trigger_id=trigger, view=FORM)


async def test_a_trigger_lasts_seconds(slack_world: SlackWorld, slack: AsyncWebClient) -> None:
    slack_world.trigger_life = 0.05
    ada, eng, ts = await with_buttons(slack_world, slack)
    trigger = slack_world.click(ada, eng, ts, "explain").body["trigger_id"]
    await asyncio.sleep(0.06)
    with pytest.raises(SlackApiError, match="expired_trigger_id"):
        await slack.views_open(trigger_id=trigger, view=FORM)


async def test_a_command_is_answered_at_once_and_later(slack_world: SlackWorld, receiver: Receiver) -> None:
    receiver.react = lambda received: Reaction(
        body={"response_type": "ephemeral", "text": f"*{received.body['text']}*"}
    )
    ada = slack_world.add_user("ada")
    eng = slack_world.add_channel("eng", members=[ada])
    delivery = slack_world.command(ada, eng, "/wiki", "spaces")
    await slack_world.until(lambda: slack_world.ephemerals(ada))
    assert receiver.received[0].body["command"] == "/wiki"
    assert slack_world.ephemerals(ada)[0].text == "*spaces*"
    async with aiohttp.ClientSession() as session:
        await session.post(delivery.body["response_url"], json={"text": "Done", "response_type": "in_channel"})
    assert [message.text for message in slack_world.channel(eng).messages.values()] == ["Done"]


async def test_over_socket_mode_each_envelope_goes_to_one_connection(slack_world: SlackWorld) -> None:
    came: list[tuple[int, SocketModeRequest]] = []
    clients = [await connected(slack_world, came, number) for number in range(2)]
    await slack_world.until(lambda: slack_world.context.deliverer.sockets.connected == 2)
    ada = slack_world.add_user("ada")
    eng = slack_world.add_channel("eng", members=[ada])
    for number in range(4):
        slack_world.say(ada, eng, str(number))
    command = slack_world.command(ada, eng, "/wiki", "help")
    await slack_world.until(lambda: not slack_world.pending)
    events = [(number, request.payload["event"]["text"]) for number, request in came if request.type == "events_api"]
    assert sorted(text for _, text in events) == list("0123")
    assert {number for number, _ in events} == {0, 1}
    assert command.answer == {"text": "answer"}
    assert {delivery.status for delivery in slack_world.deliveries} == {200}
    for client in clients:
        await client.close()


async def test_what_is_not_acknowledged_on_a_socket_comes_again(slack_world: SlackWorld) -> None:
    slack_world.patience, slack_world.retry_delays = 0.1, (0.01,)
    came: list[tuple[int, SocketModeRequest]] = []
    client = await connected(slack_world, came, 0, acknowledges_from=1)
    slack_world.direct_message(slack_world.add_user("ada"), "Hello")
    await slack_world.until(lambda: len(came) == 2)
    assert [request.retry_attempt for _, request in came] == [0, 1]
    assert came[1][1].retry_reason == "timeout"
    await client.close()


async def connected(
    world: SlackWorld, came: list[tuple[int, SocketModeRequest]], number: int, acknowledges_from: int = 0
) -> SocketModeClient:
    web_client = AsyncWebClient(base_url=world.api_url)
    client = SocketModeClient(world.app_token, web_client=web_client, ping_interval=60)

    async def listen(listening: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        came.append((number, request))
        if len(came) > acknowledges_from:
            payload = {"text": "answer"} if request.type == "slash_commands" else None
            await listening.send_socket_mode_response(SocketModeResponse(request.envelope_id, payload))

    client.socket_mode_request_listeners.append(listen)
    await client.connect()
    return client
