"""Calls to Slack, and what their failures mean."""

from __future__ import annotations

import pytest

from adapters.slack.calls import SlackCalls, SlackRefused
from core.errors import ChatUnavailable
from tests.servers.slack import Fault, SlackWorld


@pytest.fixture
def channel(slack: SlackWorld) -> str:
    return slack.add_channel("eng")


def asked(slack: SlackWorld, method: str) -> int:
    return sum(call.method == method for call in slack.calls)


async def test_what_is_not_given_is_not_sent(slack: SlackWorld, calls: SlackCalls, channel: str) -> None:
    await calls.write("chat.postMessage", channel=channel, text="Hello", thread_ts=None)
    assert slack.calls[-1].arguments == {"channel": channel, "text": "Hello"}


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("channel_not_found", "channel is gone"),
        ("not_in_channel", "/invite @WikiWhy"),
        ("invalid_auth", "WIKIWHY_SLACK_BOT_TOKEN"),
        ("missing_scope", "wikiwhy slack manifest"),
        ("something_new", "something_new"),
    ],
)
async def test_a_refusal_says_what_slack_says_and_what_to_do(
    slack: SlackWorld, calls: SlackCalls, channel: str, code: str, advice: str
) -> None:
    slack.faults.add("chat.postMessage", Fault(error=code))
    with pytest.raises(SlackRefused) as raised:
        await calls.write("chat.postMessage", channel=channel, text="Hello")
    assert raised.value.code == code
    assert advice in str(raised.value)
    assert slack.bot_token not in str(raised.value)
    assert asked(slack, "chat.postMessage") == 1


@pytest.mark.parametrize("code", ["internal_error", "fatal_error", "ratelimited", "service_unavailable"])
async def test_what_slack_cannot_do_now_it_may_do_later(
    slack: SlackWorld, calls: SlackCalls, channel: str, code: str
) -> None:
    slack.faults.add("chat.postMessage", Fault(error=code), times=None)
    with pytest.raises(ChatUnavailable, match=code):
        await calls.write("chat.postMessage", channel=channel, text="Hello")


@pytest.mark.parametrize("fault", [Fault(status=500), Fault(drop=True), Fault(drop_after=True)])
async def test_what_may_be_done_once_only_is_not_tried_again_where_it_may_have_been_done(
    slack: SlackWorld, calls: SlackCalls, channel: str, fault: Fault
) -> None:
    slack.faults.add("chat.postMessage", fault)
    with pytest.raises(ChatUnavailable):
        await calls.write("chat.postMessage", channel=channel, text="Hello")
    assert asked(slack, "chat.postMessage") == 1


@pytest.mark.parametrize("fault", [Fault(status=500), Fault(drop=True), Fault(drop_after=True)])
async def test_what_only_tells_or_sets_is_tried_again(
    slack: SlackWorld, calls: SlackCalls, channel: str, fault: Fault
) -> None:
    slack.faults.add("conversations.info", fault)
    assert (await calls.read("conversations.info", channel=channel))["channel"]["id"] == channel
    posted = await calls.write("chat.postMessage", channel=channel, text="Hello")
    slack.faults.add("chat.update", fault)
    await calls.set("chat.update", channel=channel, ts=posted["ts"], text="Changed")
    assert slack.message(channel, posted["ts"]).text == "Changed"
    assert (asked(slack, "conversations.info"), asked(slack, "chat.update")) == (2, 2)


async def test_a_wrong_token_is_refused_and_where_nobody_answers_it_is_unavailable(slack: SlackWorld) -> None:
    with pytest.raises(SlackRefused, match="WIKIWHY_SLACK_BOT_TOKEN is not valid"):
        await SlackCalls("xoxb-wrong", slack.api_url).read("auth.test")
    with pytest.raises(ChatUnavailable):
        await SlackCalls("xoxb-any", "http://127.0.0.1:9/api/").write("auth.test")


async def test_an_address_without_a_slash_at_its_end_does_too(slack: SlackWorld) -> None:
    assert (await SlackCalls(slack.bot_token, slack.api_url.rstrip("/")).read("auth.test"))["user_id"] == slack.bot
