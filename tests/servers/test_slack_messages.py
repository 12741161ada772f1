"""What the bot writes and reads: messages, threads, streams, limits, faults."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.servers.slack import Fault, SlackWorld
from tests.servers.slack.state import Refused


@pytest.fixture
def eng(slack_world: SlackWorld) -> str:
    return slack_world.add_channel("eng", members=[slack_world.add_user("ada", email="ada@example.com")])


async def refused(call: Any) -> str:
    with pytest.raises(SlackApiError) as refusal:
        await call
    return str(refusal.value.response["error"])


async def test_a_message_is_posted_changed_and_deleted(
    slack_world: SlackWorld, slack: AsyncWebClient, eng: str
) -> None:
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "*Hello*"}}]
    posted = await slack.chat_postMessage(channel=eng, text="Hello", blocks=blocks)
    await slack.chat_update(channel=eng, ts=posted["ts"], text="Bye")
    message = slack_world.message(eng, posted["ts"])
    assert (message.text, message.edited, message.blocks[0]["text"]) == ("Bye", 1, blocks[0]["text"])
    await slack.chat_update(channel=eng, ts=posted["ts"], text="Bye", blocks=[])
    with pytest.raises(SlackApiError):
        await slack.chat_update(channel=eng, ts="1.1", text="Bye")
    assert [update.text for update in message.updates] == ["Bye", "Bye"]
    assert message.blocks == []
    await slack.chat_delete(channel=eng, ts=posted["ts"])
    assert slack_world.thread(eng, posted["ts"]) == []


async def test_what_the_edge_does_not_have_the_emulator_answers(
    slack_world: SlackWorld, slack: AsyncWebClient, eng: str
) -> None:
    posted = await slack.chat_postMessage(channel=eng, text="Hello")
    await slack.reactions_add(channel=eng, timestamp=posted["ts"], name="eyes")
    seen = await slack.reactions_get(channel=eng, timestamp=posted["ts"])
    assert seen["message"]["reactions"][0]["name"] == "eyes"
    assert await refused(slack.api_call("no.such")) == "unknown_method"


async def test_a_channel_may_be_called_as_one_that_the_emulator_starts_with(slack_world: SlackWorld) -> None:
    general = slack_world.add_channel("general", members=[slack_world.add_user("ada")])
    assert slack_world.channel(general).name == "general"
    with pytest.raises(Refused, match="name_taken"):
        slack_world.add_channel("general")


async def test_a_long_thread_comes_in_pages_with_its_root_first(
    slack_world: SlackWorld, slack: AsyncWebClient, eng: str
) -> None:
    (ada,) = slack_world.channel(eng).members - {slack_world.bot}
    root = slack_world.say(ada, eng, "0")
    for number in range(1, 8):
        slack_world.say(ada, eng, str(number), thread=root)
    texts: list[str] = []
    cursor = None
    while cursor != "":
        page = await slack.conversations_replies(channel=eng, ts=root, limit=3, cursor=cursor)
        texts += [message["text"] for message in page["messages"]]
        cursor = page["response_metadata"]["next_cursor"]
    assert texts == list("01234567")
    last = slack_world.thread(eng, root)[-1].ts
    later = await slack.conversations_replies(channel=eng, ts=root, oldest=last, inclusive=True)
    assert [message["text"] for message in later["messages"]] == ["0", "7"]
    roots = await slack.conversations_history(channel=eng)
    assert [(message["text"], message["reply_count"]) for message in roots["messages"]] == [("0", 7)]
    assert await refused(slack.conversations_replies(channel=eng, ts="1.1")) == "thread_not_found"


async def test_a_stream_grows_and_ends_with_blocks(slack_world: SlackWorld, slack: AsyncWebClient, eng: str) -> None:
    (ada,) = slack_world.channel(eng).members - {slack_world.bot}
    root = slack_world.say(ada, eng, "Hello")
    to: dict[str, Any] = {"channel": eng, "thread_ts": root}
    assert await refused(slack.chat_startStream(**to)) == "missing_recipient_team_id"
    to |= {"recipient_team_id": slack_world.team, "recipient_user_id": ada}
    ts = (await slack.chat_startStream(**to, markdown_text="One"))["ts"]
    await slack.chat_appendStream(channel=eng, ts=ts, markdown_text=" two")
    assert await refused(slack.chat_update(channel=eng, ts=ts, text="No")) == "streaming_state_conflict"
    assert await refused(slack.chat_appendStream(channel=eng, ts=ts, markdown_text="x" * 12_001)) == "msg_too_long"
    await slack.chat_stopStream(channel=eng, ts=ts, markdown_text=".", blocks=[{"type": "divider"}])
    message = slack_world.message(eng, ts)
    assert (message.text, [block["type"] for block in message.blocks]) == ("One two.", ["markdown", "divider"])
    late = slack.chat_appendStream(channel=eng, ts=ts, markdown_text="!")
    assert await refused(late) == "message_not_in_streaming_state"


async def test_a_stream_dies_and_can_be_updated_then(slack_world: SlackWorld, slack: AsyncWebClient) -> None:
    slack_world.stream_life = 0.05
    ada = slack_world.add_user("ada")
    root, im = slack_world.direct_message(ada, "Hello"), slack_world.direct_channel(ada)
    ts = (await slack.chat_startStream(channel=im, thread_ts=root, markdown_text="One"))["ts"]
    await asyncio.sleep(0.06)
    assert await refused(slack.chat_stopStream(channel=im, ts=ts)) == "message_not_in_streaming_state"
    await slack.chat_update(channel=im, ts=ts, text="Whole")
    slack_world.streams = False
    assert await refused(slack.chat_startStream(channel=im, thread_ts=root)) == "feature_not_enabled"


async def test_faults_come_where_and_as_often_as_planned(
    slack_world: SlackWorld, slack: AsyncWebClient, eng: str
) -> None:
    other = slack_world.add_channel("other")
    faults = slack_world.faults
    faults.add("chat.postMessage", Fault(status=429, retry_after=3), where=lambda asked: asked["channel"] == eng)
    faults.add("chat.*", Fault(error="channel_not_found"), skip=1)
    await slack.chat_postMessage(channel=other, text="a")
    with pytest.raises(SlackApiError) as limited:
        await slack.chat_postMessage(channel=eng, text="b")
    assert (limited.value.response.status_code, limited.value.response.headers["Retry-After"]) == (429, "3")
    assert await refused(slack.chat_postMessage(channel=eng, text="c")) == "channel_not_found"
    await slack.chat_postMessage(channel=eng, text="d")
    faults.add("chat.postMessage", Fault(status=500))
    with pytest.raises(SlackApiError):
        await slack.chat_postMessage(channel=eng, text="e")
    statuses = [call.status for call in slack_world.calls]
    assert statuses == [200, 429, 200, 200, 500]


async def test_a_cut_connection_leaves_the_work_done(slack_world: SlackWorld, eng: str) -> None:
    slack_world.faults.add("chat.postMessage", Fault(drop_after=True))
    async with aiohttp.ClientSession() as session:
        headers = {"Authorization": f"Bearer {slack_world.bot_token}"}
        with pytest.raises(aiohttp.ClientError):
            await session.post(
                f"{slack_world.api_url}chat.postMessage", json={"channel": eng, "text": "x"}, headers=headers
            )
    assert [message.text for message in slack_world.channel(eng).messages.values()] == ["x"]
    assert slack_world.calls[0].status == 0


async def test_who_calls_is_checked(slack_world: SlackWorld) -> None:
    stranger = AsyncWebClient("xoxb-wrong", base_url=slack_world.api_url)
    assert await refused(stranger.auth_test()) == "invalid_auth"
    assert await refused(AsyncWebClient(base_url=slack_world.api_url).auth_test()) == "not_authed"
    me = await AsyncWebClient(slack_world.bot_token, base_url=slack_world.api_url).auth_test()
    assert (me["user_id"], me["bot_id"]) == (slack_world.bot, slack_world.bot_id)


async def test_people_are_told_apart(slack_world: SlackWorld, slack: AsyncWebClient) -> None:
    ada = slack_world.add_user("ada", email="ada@example.com")
    guest = slack_world.add_user("gus", restricted=True)
    seen = [(await slack.users_info(user=user))["user"] for user in (ada, guest)]
    assert ["email" in user["profile"] for user in seen] == [True, False]
    assert [user["is_restricted"] for user in seen] == [False, True]
    shared = slack_world.add_channel("shared", ext_shared=True, private=True, bot=False)
    assert await refused(slack.conversations_info(channel=shared)) == "channel_not_found"
    assert await refused(slack.chat_postMessage(channel=shared, text="x")) == "channel_not_found"
    opened = await slack.conversations_open(users=ada, return_im=True)
    assert opened["channel"]["is_im"]
    assert opened["channel"]["id"] == slack_world.direct_channel(ada)


async def test_rates_are_those_of_slack(slack_world: SlackWorld, slack: AsyncWebClient, eng: str) -> None:
    slack_world.rates = True
    for _ in range(4):
        await slack.chat_postMessage(channel=eng, text="x")
    with pytest.raises(SlackApiError) as limited:
        await asyncio.gather(*[slack.chat_postMessage(channel=eng, text="x") for _ in range(4)])
    assert limited.value.response.headers["Retry-After"] == "1"
    await slack.chat_postMessage(channel=slack_world.add_channel("other"), text="x")
