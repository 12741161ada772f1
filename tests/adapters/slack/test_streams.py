"""Answers that appear while they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.calls import SlackCalls
from adapters.slack.streams import Streams, _harmless
from core.errors import ChatUnavailable
from core.ports.chat import Place
from tests.servers.slack import Fault, SlackWorld, pings_in


@pytest.fixture
def place(slack: SlackWorld) -> Place:
    ada = slack.add_user("ada")
    channel = slack.add_channel("eng", members=[ada])
    return Place("slack", slack.team, channel, slack.say(ada, channel, "Who is on call?"))


@pytest.fixture
def streams(calls: SlackCalls) -> Streams:
    return Streams(calls)


def asker(slack: SlackWorld, place: Place) -> str:
    return next(user for user in slack.channel(place.channel).members if user != slack.bot)


async def begun(slack: SlackWorld, streams: Streams, place: Place) -> str:
    message_id = await streams.start(place, "_Reading_\n\n", asker(slack, place))
    assert message_id
    return message_id


async def test_a_stream_grows_by_what_is_new_each_time(slack: SlackWorld, streams: Streams, place: Place) -> None:
    message_id = await begun(slack, streams, place)
    for text in ("Ann", "Ann is", "Ann is", "Ann is on call."):
        assert await streams.grow(place, message_id, text)
    assert slack.message(place.channel, message_id).text == "_Reading_\n\nAnn is on call."
    assert [call.arguments["markdown_text"] for call in slack.calls if call.method == "chat.appendStream"] == [
        "Ann", " is", " on call.",
    ]  # fmt: skip


async def test_a_stream_that_has_ended_can_be_updated_and_grows_no_more(
    slack: SlackWorld, streams: Streams, place: Place
) -> None:
    message_id = await begun(slack, streams, place)
    assert streams.has(place, message_id)
    await streams.end(place, message_id)
    assert not streams.has(place, message_id)
    await streams.end(place, message_id)
    await streams.calls.set("chat.update", channel=place.channel, ts=message_id, text="The answer.")


@pytest.mark.parametrize("text", ["Bob is", "", "Ann is" + "x" * 12_001])
async def test_what_begins_anew_or_is_too_long_ends_it(
    slack: SlackWorld, streams: Streams, place: Place, text: str
) -> None:
    message_id = await begun(slack, streams, place)
    await streams.grow(place, message_id, "Ann is")
    assert not await streams.grow(place, message_id, text)
    assert not streams.has(place, message_id)
    assert slack.message(place.channel, message_id).text == "_Reading_\n\nAnn is"


async def test_where_slack_does_not_answer_nobody_knows_whether_it_began(
    slack: SlackWorld, streams: Streams, place: Place
) -> None:
    slack.faults.add("chat.startStream", Fault(drop_after=True))
    with pytest.raises(ChatUnavailable):
        await streams.start(place, "…", asker(slack, place))


async def test_nobody_is_called_by_what_is_written(slack: SlackWorld, streams: Streams, place: Place) -> None:
    message_id = await begun(slack, streams, place)
    text = "Ask <!channel> or <@U123> in <#C123>"
    for end in range(len(text) + 1):
        assert await streams.grow(place, message_id, text[:end])
    shown = slack.message(place.channel, message_id)
    assert not pings_in(shown)
    assert shown.text.replace("\u200b", "").endswith(text)


@given(st.lists(st.sampled_from(["<", "!", "@", "#", "here>", "U123>", "x"])).map("".join))
def test_no_text_calls_anybody(text: str) -> None:
    harmless = _harmless(text)
    assert not any(each in harmless for each in ("<!", "<@", "<#"))
    assert harmless.replace("\u200b", "") == text
