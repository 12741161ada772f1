"""Calls to Slack: retries and errors."""

from __future__ import annotations

import pytest

from adapters.slack.calls import SlackCalls, SlackRefused
from core.errors import ChatUnavailable
from tests.servers.slack import Fault, SlackWorld


@pytest.fixture
def channel(slack: SlackWorld) -> str:
    return slack.add_channel("eng")


def count_calls(slack: SlackWorld, method: str) -> int:
    return sum(call.method == method for call in slack.calls)


async def test_arguments_that_are_none_are_not_sent(slack: SlackWorld, calls: SlackCalls, channel: str) -> None:
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
async def test_a_refusal_names_the_error_and_the_remedy(
    slack: SlackWorld, calls: SlackCalls, channel: str, code: str, advice: str
) -> None:
    slack.faults.add("chat.postMessage", Fault(error=code))
    with pytest.raises(SlackRefused) as raised:
        await calls.write("chat.postMessage", channel=channel, text="Hello")
    assert raised.value.code == code
    assert advice in str(raised.value)
    assert slack.bot_token not in str(raised.value)
    assert count_calls(slack, "chat.postMessage") == 1


@pytest.mark.parametrize("code", ["internal_error", "fatal_error", "ratelimited", "service_unavailable"])
async def test_transient_errors_raise_unavailable(
    slack: SlackWorld, calls: SlackCalls, channel: str, code: str
) -> None:
    slack.faults.add("chat.postMessage", Fault(error=code), times=None)
    with pytest.raises(ChatUnavailable, match=code):
        await calls.write("chat.postMessage", channel=channel, text="Hello")


@pytest.mark.parametrize("fault", [Fault(status=500), Fault(drop=True), Fault(drop_after=True)])
async def test_writes_are_not_retried_after_an_unclear_failure(
    slack: SlackWorld, calls: SlackCalls, channel: str, fault: Fault
) -> None:
    slack.faults.add("chat.postMessage", fault)
    with pytest.raises(ChatUnavailable):
        await calls.write("chat.postMessage", channel=channel, text="Hello")
    assert count_calls(slack, "chat.postMessage") == 1


@pytest.mark.parametrize("fault", [Fault(status=500), Fault(drop=True), Fault(drop_after=True)])
async def test_reads_and_idempotent_calls_are_retried(
    slack: SlackWorld, calls: SlackCalls, channel: str, fault: Fault
) -> None:
    slack.faults.add("conversations.info", fault)
    assert (await calls.read("conversations.info", channel=channel))["channel"]["id"] == channel
    posted = await calls.write("chat.postMessage", channel=channel, text="Hello")
    slack.faults.add("chat.update", fault)
    await calls.set("chat.update", channel=channel, ts=posted["ts"], text="Changed")
    assert slack.message(channel, posted["ts"]).text == "Changed"
    assert (count_calls(slack, "conversations.info"), count_calls(slack, "chat.update")) == (2, 2)


async def test_a_wrong_token_is_refused_and_a_missing_server_is_unavailable(slack: SlackWorld) -> None:
    with pytest.raises(SlackRefused, match="WIKIWHY_SLACK_BOT_TOKEN is not valid"):
        await SlackCalls("xoxb-wrong", slack.api_url).read("auth.test")
    with pytest.raises(ChatUnavailable):
        await SlackCalls("xoxb-any", "http://127.0.0.1:9/api/").write("auth.test")


async def test_the_base_url_may_lack_its_final_slash(slack: SlackWorld) -> None:
    assert (await SlackCalls(slack.bot_token, slack.api_url.rstrip("/")).read("auth.test"))["user_id"] == slack.bot
